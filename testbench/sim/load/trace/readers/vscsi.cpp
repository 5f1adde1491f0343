// SPDX-License-Identifier: Apache-2.0
//
// VMware vscsiStats: binary little-endian records. Version 1, 32 bytes:
//   u32 serial, u32 bytes, u32 scatter-gather elements, u16 SCSI opcode, u16 version << 8, u64 LBA, u64 t_us;
// version 2, 40 bytes:
//   u16 SCSI opcode, u16 version << 8, u32 serial, u32 bytes, u32 scatter-gather elements, u64 LBA, u64 t_us,
//   u64 response_us.
// Commands without data that are no flush are counted as skipped.
#include <utility>

#include "testbench/sim/load/trace/command_kind.h"
#include "testbench/sim/load/trace/fields.h"
#include "testbench/sim/load/trace/formats.h"

namespace solidtlm::testbench {
namespace {

/// Offsets of a version's fields from the beginning of a record, in bytes.
struct RecordLayout {
    std::size_t size;
    std::size_t length;
    std::size_t opcode;
    std::size_t version;
    std::size_t lba;
    std::size_t time;
};
constexpr RecordLayout kVersion1{32, 4, 12, 14, 16, 24};
constexpr RecordLayout kVersion2{40, 8, 0, 2, 16, 24};

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
    explicit VscsiReader(ReaderInput input) : input_(std::move(input.stream)) {
        // Bytes 12 to 15 of version 2 are the number of elements, which is far below 2^24.
        const std::string_view first = input_.peek(kVersion1.size);
        const auto version_at = [first](std::size_t at) {
            return first.size() == kVersion1.size ? little_endian<std::uint16_t>(first, at) >> 8 : 0;
        };
        layout_ =
            version_at(kVersion1.version) != 1 && version_at(kVersion2.version) == 2 ? kVersion2 : kVersion1;
    }

    bool read(TraceRecord& record) override {
        while (true) {
            const std::string_view data = input_.read(layout_.size);
            if (data.empty()) {
                return false;
            }
            ++number_;
            if (data.size() < layout_.size) {
                fail("", std::to_string(data.size()) + " bytes",
                     "a record of " + std::to_string(layout_.size) + " bytes: the file is truncated");
            }
            if (parse(data, record)) {
                return true;
            }
        }
    }

    [[nodiscard]] std::string where(std::uint64_t line) const override {
        return input_.path() + ": vscsi: record " + std::to_string(line) + " (byte " +
               std::to_string((line - 1) * layout_.size) + ")";
    }
    [[nodiscard]] const std::vector<std::string>& devices() const override { return no_devices_; }

  private:
    bool parse(std::string_view data, TraceRecord& record) {
        const auto bytes = little_endian<std::uint32_t>(data, layout_.length);
        const auto version = little_endian<std::uint16_t>(data, layout_.version) >> 8;
        const auto lba = little_endian<std::uint64_t>(data, layout_.lba);
        const auto time_us = little_endian<std::uint64_t>(data, layout_.time);
        if (version != (layout_.size == kVersion1.size ? 1 : 2)) {
            fail("version", std::to_string(version),
                 "1 or 2, the version of vscsiStats, the same in all records");
        }
        std::uint64_t time_ns = 0;
        if (__builtin_mul_overflow(time_us, kNsPerUs, &time_ns)) {
            fail("time", std::to_string(time_us), "microseconds, below 2^64 ns");
        }
        const CommandKind kind = scsi_kind(little_endian<std::uint16_t>(data, layout_.opcode));
        if (kind == CommandKind::other || (kind != CommandKind::flush && bytes == 0)) {
            ++counts_.skipped;
            return false;
        }
        record.request.clear();
        record.time_ns = time_ns;
        record.line = number_;
        record.device = 0;
        record.zeroes = false;
        record.request.operation = static_cast<Operation>(kind);
        if (kind != CommandKind::flush) {
            if (lba >= kAddressLimit) {
                fail("LBA", std::to_string(lba), "an address below 2^48 sectors");
            }
            record.request.lba = Lba{lba};
            record.request.sectors = (std::uint64_t{bytes} + hal::kSectorBytes - 1) / hal::kSectorBytes;
        }
        return true;
    }

    [[noreturn]] void fail(const std::string& field, const std::string& found,
                           const std::string& expected) const {
        throw FieldError(where(number_) + ": " + field + (field.empty() ? "" : ": ") + "found " +
                         testbench::quoted(found) + ", expected " + expected);
    }

    InputStream input_;
    RecordLayout layout_ = kVersion1;
    std::uint64_t number_ = 0;
    std::vector<std::string> no_devices_;
};

}  // namespace

extern const Format kVscsiFormat{{"vscsi", "VMware vscsiStats version 1 or 2, binary"},
                                 make_reader<VscsiReader>};

}  // namespace solidtlm::testbench
