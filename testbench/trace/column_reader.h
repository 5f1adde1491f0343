// SPDX-License-Identifier: Apache-2.0
//
// Reads text in columns as a declaration says (columns.h).
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "testbench/trace/columns.h"
#include "testbench/trace/reader.h"

namespace solidtlm::testbench {

class ColumnReader final : public TextReader {
  public:
    ColumnReader(std::shared_ptr<const Columns> columns, ReaderInput input);

    bool read(TraceRecord& record) override;

  private:
    static constexpr std::int32_t kAbsent = -1000;
    static constexpr std::size_t kMostFields = 64;

    /// Where the columns are, from 0, or from the word Columns::at.
    struct Layout {
        std::string kind;  ///< of the lines that it holds for: their operation; empty: all
        std::int32_t time = kAbsent;
        std::int32_t after = kAbsent;
        std::int32_t latency = kAbsent;
        std::int32_t op = kAbsent;
        std::int32_t offset = kAbsent;
        std::int32_t size = kAbsent;
        std::int32_t again = kAbsent;
        std::int32_t device = kAbsent;
        std::int32_t wide = kAbsent;
        std::int32_t count = 0;  ///< columns of the heading
    };
    /// What a line says.
    struct Command {
        CommandKind kind = CommandKind::other;
        bool preflush = false;
        bool fua = false;
        std::uint64_t time_ns = 0;
        std::uint64_t address = 0;
        std::uint64_t length = 0;
        bool in_bytes = false;  ///< address and length
    };

    void split(std::string_view line);
    [[nodiscard]] std::int32_t place(const TraceColumn& column) const;
    [[nodiscard]] std::string_view field(std::int32_t place) const {
        const auto at = static_cast<std::uint32_t>(origin_ + place);
        return at < static_cast<std::uint32_t>(count_) ? fields_[at] : end_;
    }
    void join_wide_column();

    /// Whether the line, by its form, tells no command.
    bool passed_over(std::string_view line);
    [[nodiscard]] bool is_heading() const;
    /// Finds the layout of the line; false: it is a heading itself, or a remark.
    bool find_layout(std::string_view line);
    /// Columns that have a number are where it says, others where the line that was split has their heading.
    [[nodiscard]] Layout layout_by_heading() const;

    bool parse(TraceRecord& record);
    void check_columns();
    bool is_wanted_event();
    bool take_operation();
    bool take_rwbs(std::string_view letters);
    bool take_word_of(std::string_view word);
    bool take_device();
    void take_time();
    void take_data();
    void take_range();
    void take_size();
    std::uint64_t time_in(std::int32_t place, const TraceColumn& column);
    /// In bytes or sectors, as the column's unit; hexadecimal with 0x before it.
    std::uint64_t amount(std::string_view text, const TraceColumn& column);
    bool give(TraceRecord& record);
    void fill(TraceRecord& record);

    static constexpr std::uint8_t kNoKind = 255;

    std::shared_ptr<const Columns> columns_;
    std::array<std::uint8_t, 256> letters_{};  ///< what an operation of this one letter is
    std::deque<Layout> layouts_;
    const Layout* layout_ = nullptr;  ///< of the current line
    std::array<std::string_view, kMostFields> fields_;
    std::int32_t count_ = 0;           ///< of fields_
    std::int32_t most_ = kMostFields;  ///< fields of a line that are looked at
    std::int32_t origin_ = 0;          ///< the word Columns::at
    std::string_view end_;             ///< of the current line, empty
    bool began_ = false;               ///< a command was read
    bool in_remarks_ = false;
    Command command_;
    std::uint64_t next_ns_ = 0;  ///< of the next command, where lines tell that
    bool pending_data_ = false;  ///< command_ has data, and the flush before them was returned last
};

}  // namespace solidtlm::testbench
