// SPDX-License-Identifier: Apache-2.0
//
// Reads text in columns as described by a declaration (columns.h).
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/sim/load/trace/columns.h"
#include "testbench/sim/load/trace/reader.h"

namespace solidtlm::testbench {

class ColumnReader final : public TextReader {
  public:
    ColumnReader(std::shared_ptr<const Columns> columns, ReaderInput input);

    bool read(TraceRecord& record) override;

  private:
    static constexpr std::int32_t kAbsent = -1000;
    static constexpr std::size_t kMostFields = 64;
    static constexpr std::int32_t kFirstKey = 1000;  ///< from here on, places are those of Columns::keys

    /// Positions of the columns, counted from 0 or from the word Columns::at.
    struct Layout {
        std::string kind;  ///< the operation whose lines have this layout; empty: all lines
        std::int32_t time = kAbsent;
        std::int32_t after = kAbsent;
        std::int32_t latency = kAbsent;
        std::int32_t op = kAbsent;
        std::int32_t offset = kAbsent;
        std::int32_t size = kAbsent;
        std::int32_t again = kAbsent;
        std::int32_t device = kAbsent;
        std::int32_t wide = kAbsent;
        std::int32_t count = 0;  ///< number of columns in the heading
    };
    /// The contents of a line.
    struct Command {
        CommandKind kind = CommandKind::other;
        bool preflush = false;
        bool fua = false;
        bool zeroes = false;  ///< the write is a write-zeroes command
        std::uint64_t time_ns = 0;
        std::uint64_t address = 0;
        std::uint64_t length = 0;
        bool in_bytes = false;  ///< unit of address and length
    };

    void split(std::string_view line);
    [[nodiscard]] std::int32_t place(const TraceColumn& column) const;
    [[nodiscard]] std::string_view field(std::int32_t place) const {
        if (place >= kFirstKey) {
            return values_[static_cast<std::size_t>(place - kFirstKey)];
        }
        const auto at = static_cast<std::uint32_t>(origin_ + place);
        return at < static_cast<std::uint32_t>(count_) ? fields_[at] : end_;
    }
    void join_wide_column();
    /// Finds the values of Columns::keys in the line.
    void find_values(std::string_view line);

    /// Whether the line's form shows that it holds no command.
    bool passed_over(std::string_view line);
    [[nodiscard]] bool is_heading() const;
    /// Finds the layout of the line; false: the line is a heading or a remark.
    bool find_layout(std::string_view line);
    /// Columns with a number have that position; others have the position of their heading in the line that
    /// was split.
    [[nodiscard]] Layout layout_by_heading() const;

    bool parse(TraceRecord& record);
    void check_columns();
    bool is_wanted_event();
    bool take_operation();
    bool take_rwbs(std::string_view letters);
    bool take_word_of(std::string_view word);
    void take_kind(std::size_t kind);  ///< an index of Columns::words
    bool take_device();
    void take_time();
    void take_data();
    void take_range();
    void take_size();
    std::uint64_t time_in(std::int32_t place, const TraceColumn& column);
    std::uint64_t date_in(std::int32_t place, const TraceColumn& column);
    /// An amount in the column's unit, bytes or sectors; hexadecimal with a leading 0x.
    std::uint64_t amount(std::string_view text, const TraceColumn& column);
    bool give(TraceRecord& record);
    void fill(TraceRecord& record);

    static constexpr std::uint8_t kNoKind = 255;

    std::shared_ptr<const Columns> columns_;
    std::array<std::uint8_t, 256> letters_{};  ///< the kind of an operation that is a single letter
    std::deque<Layout> layouts_;
    const Layout* layout_ = nullptr;  ///< layout of the current line
    std::array<std::string_view, kMostFields> fields_;
    std::vector<std::string_view> values_;  ///< of Columns::keys in the current line
    std::int32_t count_ = 0;                ///< number of fields in fields_
    std::int32_t most_ = kMostFields;       ///< number of fields in a line that are looked at
    std::int32_t origin_ = 0;               ///< position of the word Columns::at
    std::string_view end_;                  ///< empty view at the end of the current line
    bool began_ = false;                    ///< whether a command was read
    bool in_remarks_ = false;
    Command command_;
    std::uint64_t next_ns_ = 0;  ///< time of the next command, if lines give the time until it
    bool pending_data_ = false;  ///< command_ has data whose preceding flush was just returned
};

}  // namespace solidtlm::testbench
