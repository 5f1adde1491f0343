// SPDX-License-Identifier: Apache-2.0
//
// SPC trace file format 1.0.1 as used by the UMass traces: `ASU,LBA,size,opcode,timestamp`, LBA in 512-byte
// sectors, size in bytes, opcode R or W in either case, timestamp in seconds; optional fields after it are
// ignored.
#include <utility>

#include "testbench/trace/fields.h"
#include "testbench/trace/formats.h"

namespace solidtlm::testbench {
namespace {

class SpcReader final : public TextReader {
  public:
    using TextReader::TextReader;

    bool read(TraceRecord& record) override {
        std::string_view line;
        while (next_line(line)) {
            const std::string_view asu = trimmed(take_field(line, ','));
            number(asu, "an application storage unit (ASU,LBA,size,opcode,timestamp)");
            if (!wanted(asu)) {
                continue;
            }
            const std::uint64_t lba = number(trimmed(take_field(line, ',')), "an LBA in 512-byte sectors");
            const std::uint64_t bytes = number(trimmed(take_field(line, ',')), "a size in bytes");
            const std::string_view op = trimmed(take_field(line, ','));
            const bool is_read = op == "R" || op == "r";
            if (!is_read && op != "W" && op != "w") {
                fail(op, "an opcode: R or W");
            }
            start(record, is_read ? Operation::read : Operation::write);
            record.time_ns = time(trimmed(take_field(line, ',')), kNsPerSecond, "a timestamp in seconds");
            set_sectors(record.request, lba,
                        bytes / hal::kSectorBytes + (bytes % hal::kSectorBytes != 0 ? 1 : 0));
            return true;
        }
        return false;
    }
};

}  // namespace

extern const Format kSpcFormat{{"spc", "UMass/SPC: ASU,LBA,size,opcode,timestamp"},
                               make_reader<SpcReader>,
                               {.in_time_order = true, .has_devices = true}};

}  // namespace solidtlm::testbench
