// SPDX-License-Identifier: Apache-2.0
//
// What DiskSim, FlashSim, MQSim and the MSR cuts share: five columns `time device address length op`.
#pragma once

#include "testbench/trace/formats.h"
#include "testbench/trace/reader.h"

namespace solidtlm::testbench {

class FiveColumnReader : public TextReader {
  public:
    using TextReader::TextReader;

    bool read(TraceRecord& record) final;

  protected:
    struct Columns {
        std::string_view time;
        std::string_view address;
        std::string_view length;
        std::string_view op;
    };
    /// What a wanted line says.
    virtual void convert(const Columns& columns, TraceRecord& record) = 0;
    /// REQUIRES: `read` and `write` differ. The operation of an op column that must be one of the two.
    [[nodiscard]] Operation operation(std::string_view op, char read, char write) const;
};

constexpr FormatTraits kFiveColumns{.in_time_order = true, .has_devices = true};

}  // namespace solidtlm::testbench
