// SPDX-License-Identifier: Apache-2.0
//
// FlashSim: `t_ms device lba512 pages op`; lengths in 4 KiB pages; op 1 read, 0 write.
#include <utility>

#include "testbench/trace/fields.h"
#include "testbench/trace/five_columns.h"
#include "testbench/trace/formats.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kLongestPages = std::uint64_t{1} << 32;

class FlashSimReader final : public FiveColumnReader {
  public:
    using FiveColumnReader::FiveColumnReader;

  private:
    void convert(const Columns& columns, TraceRecord& record) override {
        start(record, operation(columns.op, '1', '0'));
        record.time_ns = time(columns.time, kNsPerMs, "a time in milliseconds");
        const std::uint64_t pages = number(columns.length, "a length in 4 KiB pages");
        if (pages > kLongestPages) {
            fail(columns.length, "a length in 4 KiB pages");
        }
        set_sectors(record.request, number(columns.address, "an address in sectors"),
                    pages * kSectorsPerPage);
    }
};

}  // namespace

extern const Format kFlashsimFormat{
    {"flashsim", "FlashSim: t_ms device lba pages op"}, make_reader<FlashSimReader>, kFiveColumns};

}  // namespace solidtlm::testbench
