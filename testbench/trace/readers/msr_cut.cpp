// SPDX-License-Identifier: Apache-2.0
//
// Cuts of MSR Cambridge volumes: `t_ms device byte_offset bytes op`; op 1 read, 0 write.
#include <utility>

#include "testbench/trace/fields.h"
#include "testbench/trace/five_columns.h"
#include "testbench/trace/formats.h"

namespace solidtlm::testbench {
namespace {

class MsrCutReader final : public FiveColumnReader {
  public:
    using FiveColumnReader::FiveColumnReader;

  private:
    void convert(const Columns& columns, TraceRecord& record) override {
        start(record, operation(columns.op, '1', '0'));
        record.time_ns = time(columns.time, kNsPerMs, "a time in milliseconds");
        const std::uint64_t offset = number(columns.address, "an offset in bytes");
        const std::uint64_t bytes = number(columns.length, "a length in bytes");
        if (offset % hal::kSectorBytes != 0 || bytes % hal::kSectorBytes != 0) {
            fail(std::to_string(offset) + "+" + std::to_string(bytes), "bytes in multiples of 512");
        }
        set_bytes(record.request, offset, bytes);
    }
};

}  // namespace

extern const Format kMsrCutFormat{
    {"msr_cut", "MSR Cambridge cut: t_ms device offset bytes op"}, make_reader<MsrCutReader>, kFiveColumns};

}  // namespace solidtlm::testbench
