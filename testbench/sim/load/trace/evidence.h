// SPDX-License-Identifier: Apache-2.0
//
// Lines of numbers alone could be anything: results of a benchmark, say. A format of such lines states what
// the beginning of a file must show before the format is chosen by content. In its declaration,
//
//     evidence={time:calendar;size:8,op:2}
//
// each part between semicolons must hold; of a part, one of the alternatives between commas. traces/README.md
// lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

struct Columns;
struct TraceRecord;

struct EvidenceItem {
    enum class Kind : std::uint8_t {
        calendar,        ///< all times are between 2000 and 2100, counted from 1970
        point,           ///< some time has a decimal point
        apart,           ///< times are 100 ns apart or more, on average
        lines,           ///< as many lines as `value`
        offset_aligned,  ///< nine of ten addresses are multiples of `value`, in their unit
        size_aligned,    ///< nine of ten lengths are multiples of `value`, in their unit
        longest,         ///< some length is `value` or more, in its unit
        operations,      ///< as many different operations as `value`
        known,           ///< half of the operations or more are reads, writes, trims or flushes
        without          ///< no line has `word`
    };
    Kind kind;
    std::uint64_t value = 0;
    std::string word = {};
};

/// All parts must hold, of each one item.
using Evidence = std::vector<std::vector<EvidenceItem>>;

/// Nothing if an item is not one.
[[nodiscard]] std::optional<Evidence> parse_evidence(std::string_view text);
/// For messages: what items look like.
constexpr const char* kEvidenceItems =
    "time:calendar, time:point, time:apart, lines:N, offset:N, size:N, size:N+, op:N, op:known or "
    "without:WORD, "
    "alternatives between commas, parts between semicolons";

/// What a reader found in the beginning of a file.
class EvidenceFound {
  public:
    /// `sample`: the text that the records come from; it must outlive this.
    EvidenceFound(const Columns& columns, std::string_view sample);

    void add(const TraceRecord& record);
    /// `skipped`: commands that the reader skipped.
    void finish(std::uint64_t skipped) { skipped_ = skipped; }

    /// The parts of the columns' evidence that do not hold, in words; empty: all hold.
    [[nodiscard]] std::string missing() const;
    /// The first item that holds of each part, in words.
    [[nodiscard]] std::string held() const;

  private:
    struct Seen {
        std::uint64_t time_ns;
        std::uint64_t address;  ///< in the unit of its column
        std::uint64_t length;
        Operation operation;
    };
    [[nodiscard]] bool holds(const EvidenceItem& item) const;
    [[nodiscard]] bool mostly_multiples(std::uint64_t Seen::*value, std::uint64_t of) const;

    const Columns& columns_;
    std::string_view sample_;
    bool point_;
    std::vector<Seen> seen_;
    std::uint64_t skipped_ = 0;
};

}  // namespace solidtlm::testbench
