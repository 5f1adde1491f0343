// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/five_columns.h"

#include "fw/hal/check.h"
#include "testbench/trace/fields.h"

namespace solidtlm::testbench {

bool FiveColumnReader::read(TraceRecord& record) {
    Columns columns;
    std::string_view line;
    while (next_line(line)) {
        const std::string_view whole = line;
        columns.time = take_word(line);
        const std::string_view device = take_word(line);
        columns.address = take_word(line);
        columns.length = take_word(line);
        columns.op = take_word(line);
        if (columns.op.empty() || !trimmed(line).empty()) {
            fail(whole, "five columns: time device address length op");
        }
        number(device, "a device number");
        if (wanted(device)) {
            convert(columns, record);
            return true;
        }
    }
    return false;
}

Operation FiveColumnReader::operation(std::string_view op, char read, char write) const {
    SOLIDTLM_CHECK(read != write, "two letters that differ");
    if (op.size() == 1 && op.front() == read) {
        return Operation::read;
    }
    if (op.size() == 1 && op.front() == write) {
        return Operation::write;
    }
    fail(op, std::string("an operation: ") + read + " (read) or " + write + " (write)");
}

}  // namespace solidtlm::testbench
