// SPDX-License-Identifier: Apache-2.0
//
// MQSim ASCII: `t_ns device lba512 sectors op`; op 0 write, 1 read.
#include <utility>

#include "testbench/trace/fields.h"
#include "testbench/trace/five_columns.h"
#include "testbench/trace/formats.h"

namespace solidtlm::testbench {
namespace {

class MqsimReader final : public FiveColumnReader {
  public:
    using FiveColumnReader::FiveColumnReader;

  private:
    void convert(const Columns& columns, TraceRecord& record) override {
        start(record, operation(columns.op, '1', '0'));
        record.time_ns = number(columns.time, "a whole number of nanoseconds");
        set_sectors(record.request, number(columns.address, "an address in sectors"),
                    number(columns.length, "a length in sectors"));
    }
};

}  // namespace

extern const Format kMqsimFormat{
    {"mqsim", "MQSim ASCII: t_ns device lba sectors op"}, make_reader<MqsimReader>, kFiveColumns};

}  // namespace solidtlm::testbench
