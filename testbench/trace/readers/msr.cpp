// SPDX-License-Identifier: Apache-2.0
//
// MSR Cambridge (SNIA): `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`; timestamp a Windows
// filetime (100 ns since 1601), offset and size in bytes, widened to sectors; the response time is not used.
#include <utility>

#include "testbench/trace/fields.h"
#include "testbench/trace/formats.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kNsPerTick = 100;

class MsrReader final : public TextReader {
  public:
    using TextReader::TextReader;

    bool read(TraceRecord& record) override {
        std::string_view line;
        while (next_line(line)) {
            if (input().line_number() == 1 && line.substr(0, 10) == "Timestamp,") {
                continue;  // some copies carry a heading
            }
            if (parse(line, record)) {
                return true;
            }
        }
        return false;
    }

  private:
    bool parse(std::string_view line, TraceRecord& record) {
        const std::string_view whole = line;
        const std::uint64_t time_ns =
            time(trimmed(take_field(line, ',')), kNsPerTick, "a Windows filetime (100 ns)");
        take_field(line, ',');  // host name
        const std::string_view disk = trimmed(take_field(line, ','));
        const std::string_view type = trimmed(take_field(line, ','));
        const std::string_view offset = trimmed(take_field(line, ','));
        const std::string_view bytes = trimmed(take_field(line, ','));
        const std::string_view response = trimmed(take_field(line, ','));
        if (response.empty() || !line.empty()) {
            fail(whole, "seven fields: timestamp,hostname,disk,type,offset,size,response");
        }
        number(disk, "a disk number");
        const bool is_read = type == "Read" || type == "read";
        if (!is_read && type != "Write" && type != "write") {
            fail(type, "a type: Read or Write");
        }
        if (!wanted(disk)) {
            return false;
        }
        start(record, is_read ? Operation::read : Operation::write);
        record.time_ns = time_ns;
        set_bytes(record.request, number(offset, "an offset in bytes"), number(bytes, "a size in bytes"));
        return true;
    }
};

}  // namespace

extern const Format kMsrFormat{{"msr", "MSR Cambridge CSV"}, make_reader<MsrReader>, {.has_devices = true}};

}  // namespace solidtlm::testbench
