// SPDX-License-Identifier: Apache-2.0
//
// VMware vscsiStats, version 1: binary little-endian records of 32 bytes
//   u32 serial, u32 bytes, u32 scatter-gather elements, u16 SCSI opcode, u16 version << 8, u64 LBA, u64 t_us.
// READ and WRITE (6, 10, 12, 16), WRITE AND VERIFY and SYNCHRONIZE CACHE are requests; other opcodes (UNMAP's
// ranges are not recorded) and transfers of no data are counted as skipped.
#include <cstring>
#include <utility>

#include "testbench/trace/fields.h"
#include "testbench/trace/formats.h"

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kRecordBytes = 32;

template <class Number>
Number little_endian(std::string_view data, std::size_t at) {
    Number value = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
        value = static_cast<Number>(value | static_cast<Number>(static_cast<unsigned char>(data[at + i]))
                                                << 8 * i);
    }
    return value;
}

class VscsiReader final : public TraceReader {
  public:
    explicit VscsiReader(InputStream input) : input_(std::move(input)) {}

    bool read(TraceRecord& record) override {
        while (true) {
            const std::string_view data = input_.read(kRecordBytes);
            if (data.empty()) {
                return false;
            }
            ++number_;
            if (data.size() < kRecordBytes) {
                fail(std::to_string(data.size()) + " bytes", "a record of 32 bytes: the file is truncated");
            }
            if (parse(data, record)) {
                return true;
            }
        }
    }

    [[nodiscard]] std::string where(std::uint64_t line) const override {
        return input_.path() + ": record " + std::to_string(line) + " (byte " +
               std::to_string((line - 1) * kRecordBytes) + ")";
    }

  private:
    enum class Kind : std::uint8_t { read, write, flush, other };

    static Kind kind_of(std::uint16_t opcode) {
        switch (opcode) {
            case 0x08:
            case 0x28:
            case 0xa8:
            case 0x88:
                return Kind::read;
            case 0x0a:
            case 0x2a:
            case 0xaa:
            case 0x8a:
            case 0x2e:  // WRITE AND VERIFY (10), (12), (16)
            case 0xae:
            case 0x8e:
                return Kind::write;
            case 0x35:
            case 0x91:
                return Kind::flush;
            default:
                return Kind::other;
        }
    }

    bool parse(std::string_view data, TraceRecord& record) {
        const auto bytes = little_endian<std::uint32_t>(data, 4);
        const auto opcode = little_endian<std::uint16_t>(data, 12);
        const auto version = little_endian<std::uint16_t>(data, 14);
        const auto lba = little_endian<std::uint64_t>(data, 16);
        const auto time_us = little_endian<std::uint64_t>(data, 24);
        if (version >> 8 != 1) {
            fail("version " + std::to_string(version >> 8), "vscsiStats version 1");
        }
        std::uint64_t time_ns = 0;
        if (__builtin_mul_overflow(time_us, kNsPerUs, &time_ns)) {
            fail(std::to_string(time_us), "a time in microseconds");
        }
        const Kind kind = kind_of(opcode);
        if (kind == Kind::other || (kind != Kind::flush && bytes == 0)) {
            ++counts_.skipped;
            return false;
        }
        record.request.clear();
        record.time_ns = time_ns;
        record.line = number_;
        record.request.operation = kind == Kind::read    ? Operation::read
                                   : kind == Kind::write ? Operation::write
                                                         : Operation::flush;
        if (kind != Kind::flush) {
            if (lba >= kAddressLimit) {
                fail("LBA " + std::to_string(lba), "an address below 2^48 sectors");
            }
            record.request.lba = Lba{lba};
            record.request.sectors = (std::uint64_t{bytes} + hal::kSectorBytes - 1) / hal::kSectorBytes;
        }
        return true;
    }

    [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
        throw InputError(where(number_) + ": found " + testbench::quoted(found) + ", expected " + expected);
    }

    InputStream input_;
    std::uint64_t number_ = 0;
};

}  // namespace

extern const Format kVscsiFormat{
    {"vscsi", "VMware vscsiStats version 1, binary"},
    [](InputStream input, std::string /*device*/) -> std::unique_ptr<TraceReader> {
        return std::make_unique<VscsiReader>(std::move(input));
    }};

}  // namespace solidtlm::testbench
