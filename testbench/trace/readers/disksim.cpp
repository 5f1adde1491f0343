// SPDX-License-Identifier: Apache-2.0
//
// DiskSim ASCII: `t_ms device lba512 sectors flags`; bit 0 of the flags: read.
#include <utility>

#include "testbench/trace/fields.h"
#include "testbench/trace/five_columns.h"
#include "testbench/trace/formats.h"

namespace solidtlm::testbench {
namespace {

class DiskSimReader final : public FiveColumnReader {
  public:
    using FiveColumnReader::FiveColumnReader;

  private:
    void convert(const Columns& columns, TraceRecord& record) override {
        const std::uint64_t flags = number(columns.op, "flags, bit 0 set for a read");
        start(record, (flags & 1) != 0 ? Operation::read : Operation::write);
        record.time_ns = time(columns.time, kNsPerMs, "a time in milliseconds");
        set_sectors(record.request, number(columns.address, "an address in sectors"),
                    number(columns.length, "a length in sectors"));
    }
};

}  // namespace

extern const Format kDisksimFormat{
    {"disksim", "DiskSim ASCII: t_ms device lba sectors flags"}, make_reader<DiskSimReader>, kFiveColumns};

}  // namespace solidtlm::testbench
