// SPDX-License-Identifier: Apache-2.0
//
// Aligned columns of text that fit a given width.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "testbench/show/terminal.h"

namespace solidtlm::testbench {

enum class Align : std::uint8_t {
    left,
    right,
    wrap,  ///< left-aligned; wraps between words when the table is too wide
};

class TextTable {
  public:
    /// Paints a finished cell; receives the text with its padding.
    using Paint = std::function<std::string(const TextStyle&, const std::string&)>;
    struct Cell {
        Cell(std::string content, Paint how = nullptr) : text(std::move(content)), paint(std::move(how)) {}
        Cell(const char* content) : text(content) {}
        std::string text;
        Paint paint;
    };

    void column(std::string heading, Align align);
    /// REQUIRES: one cell per column.
    void row(std::vector<Cell> cells);
    /// Width of the table when nothing is wrapped.
    [[nodiscard]] std::size_t natural_width() const;
    /// The heading and the rows; each line ends with a newline and has no spaces before it.
    [[nodiscard]] std::string render(const TextStyle& style) const;

  private:
    struct Column {
        std::string heading;
        Align align;
        std::size_t width;
    };
    [[nodiscard]] std::vector<std::size_t> fit(std::size_t width) const;
    [[nodiscard]] std::string render_row(const std::vector<Cell>& cells,
                                         const std::vector<std::size_t>& widths,
                                         const TextStyle& style) const;

    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
};

/// `text` in lines of at most `width` columns, broken between words; a longer word stays whole.
[[nodiscard]] std::vector<std::string> wrap_words(const std::string& text, std::size_t width);

}  // namespace solidtlm::testbench
