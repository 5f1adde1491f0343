// SPDX-License-Identifier: Apache-2.0
//
// FIU traces with contents (Koller & Rangaswami, FAST 2010): `t_ns pid process lba512 sectors op major minor
// md5`, often inside a tar archive. The process name may contain blanks, so a line is split from its end.
//
// The content identity of a written block is the first 64 bits of the MD5; the MD5 of 4 KiB of zeros is
// identity 0. One MD5 describes the whole request: further 4 KiB blocks get identities derived from it.
#include <algorithm>
#include <utility>

#include "testbench/sim/load/trace/fields.h"
#include "testbench/sim/load/trace/formats.h"
#include "testbench/sim/load/trace/tar.h"

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kTarSizeAt = 124;
constexpr std::size_t kTarSizeDigits = 11;
constexpr std::size_t kTarTypeAt = 156;
constexpr std::string_view kMd5OfZeros = "620f0b67a91f7f74151bc5be745b7110";  ///< MD5 of 4096 zero bytes

/// splitmix64's finalizer: a permutation of the 64-bit numbers.
std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

class FiuReader final : public TextReader {
  public:
    using TextReader::TextReader;

    bool read(TraceRecord& record) override {
        std::string_view line;
        while (next_record_line(line)) {
            if (parse(line, record)) {
                return true;
            }
        }
        return false;
    }

  private:
    /// The next line of a tar member or of a plain file. Zero bytes up to the end are tar padding.
    bool next_record_line(std::string_view& line) {
        if (input().offset() >= member_end_) {
            next_member();
        }
        if (!next_line(line)) {
            return false;
        }
        return !std::all_of(line.begin(), line.end(), [](char c) { return c == '\0'; });
    }

    /// Skips tar headers and members that are not regular files.
    void next_member() {
        if (input().offset() > 0) {
            input().skip((kTarBlock - input().offset() % kTarBlock) % kTarBlock);
        }
        member_end_ = ~std::uint64_t{0};
        while (true) {
            const std::string_view header = input().peek(kTarBlock);
            if (!is_tar_header(header)) {
                return;
            }
            std::uint64_t bytes = 0;
            if (!parse_number(trimmed(header.substr(kTarSizeAt, kTarSizeDigits)), bytes, 8)) {
                fail(header.substr(kTarSizeAt, kTarSizeDigits), "the octal size of a tar member");
            }
            const char type = header[kTarTypeAt];
            input().skip(kTarBlock);
            if (type == '0' || type == '\0') {
                member_end_ = input().offset() + bytes;
                return;
            }
            input().skip((bytes + kTarBlock - 1) / kTarBlock * kTarBlock);
        }
    }

    bool parse(std::string_view line, TraceRecord& record) {
        const std::string_view whole = line;
        const std::string_view md5 = take_last_word(line);
        const std::string_view minor = take_last_word(line);
        const std::string_view major = take_last_word(line);
        const std::string_view op = take_last_word(line);
        const std::string_view sectors = take_last_word(line);
        const std::string_view lba = take_last_word(line);
        const std::string_view time_text = take_word(line);
        if (time_text.empty()) {
            fail(whole, "nine columns: t_ns pid process lba sectors op major minor md5");
        }
        const bool is_read = op == "R";
        if (!is_read && op != "W") {
            fail(op, "an operation: R or W");
        }
        number(major, "a major device number");
        number(minor, "a minor device number");
        if (!wanted(std::string_view(major.data(), static_cast<std::size_t>(minor.end() - major.data())))) {
            return false;
        }
        start(record, is_read ? Operation::read : Operation::write);
        record.time_ns = number(time_text, "a time in nanoseconds");
        set_sectors(record.request, number(lba, "an address in sectors"),
                    number(sectors, "a length in sectors"));
        const std::uint64_t identity = identity_of(md5);
        if (!is_read) {
            // Blocks count from the request's own address, because a file system's blocks may begin anywhere
            // on the device.
            const std::size_t blocks = record.request.content_layout.identities(record.request.sectors);
            for (std::uint64_t i = 0; i < blocks; ++i) {
                record.request.content.push_back(identity == 0 || i == 0 ? identity : mixed(identity + i));
            }
        }
        return true;
    }

    [[nodiscard]] std::uint64_t identity_of(std::string_view md5) const {
        std::uint64_t high = 0;
        std::uint64_t low = 0;
        if (md5.size() != 32 || !parse_number(md5.substr(0, 16), high, 16) ||
            !parse_number(md5.substr(16), low, 16)) {
            fail(md5, "an MD5 of 32 hexadecimal digits");
        }
        return md5 == kMd5OfZeros ? 0 : high;
    }

    std::uint64_t member_end_ = 0;  ///< position of the next tar header
};

}  // namespace

extern const Format kFiuFormat{{"fiu", "FIU block trace with MD5 of the contents"},
                               make_reader<FiuReader>,
                               {.has_devices = true, .has_contents = true}};

}  // namespace solidtlm::testbench
