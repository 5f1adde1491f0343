// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/text_table.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "fw/hal/check.h"

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 12;  // least width of a wrapped column

std::string pad(const std::string& text, std::size_t width, Align align) {
    const std::size_t used = columns_of(text);
    const std::string space(width > used ? width - used : 0, ' ');
    return align == Align::right ? space + text : text + space;
}

std::size_t longest_word(const std::string& text) {
    std::size_t longest = 0;
    for (const std::string& word : wrap_words(text, 0)) {
        longest = std::max(longest, columns_of(word));
    }
    return longest;
}

void strip_end(std::string& line) {
    line.erase(line.find_last_not_of(' ') + 1);
}

}  // namespace

std::vector<std::string> wrap_words(const std::string& text, std::size_t width) {
    std::vector<std::string> lines(1);
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        std::string& line = lines.back();
        if (line.empty()) {
            line = word;
        } else if (columns_of(line) + 1 + columns_of(word) <= width) {
            line += ' ' + word;
        } else {
            lines.push_back(word);
        }
    }
    return lines;
}

void TextTable::column(std::string heading, Align align) {
    const std::size_t width = columns_of(heading);
    columns_.push_back({std::move(heading), align, width});
}

void TextTable::row(std::vector<Cell> cells) {
    SOLIDTLM_CHECK(cells.size() == columns_.size(), "there is one cell per column");
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        columns_[i].width = std::max(columns_[i].width, columns_of(cells[i].text));
    }
    rows_.push_back(std::move(cells));
}

std::size_t TextTable::natural_width() const {
    std::size_t width = kIndent;
    for (const Column& column : columns_) {
        width += column.width + kGap;
    }
    return columns_.empty() ? 0 : width - kGap;
}

// Narrows the widest wrapped column, by one column of text at a time, until the table fits or no word has
// room to spare.
std::vector<std::size_t> TextTable::fit(std::size_t width) const {
    std::vector<std::size_t> widths;
    std::vector<std::size_t> narrowest;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        widths.push_back(columns_[i].width);
        narrowest.push_back(std::max(kNarrowest, longest_word(columns_[i].heading)));
        for (const std::vector<Cell>& cells : rows_) {
            narrowest.back() = std::max(narrowest.back(), longest_word(cells[i].text));
        }
    }
    for (std::size_t total = natural_width(); total > width; --total) {
        std::size_t widest = columns_.size();
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const bool shrinks = columns_[i].align == Align::wrap && widths[i] > narrowest[i];
            if (shrinks && (widest == columns_.size() || widths[i] > widths[widest])) {
                widest = i;
            }
        }
        if (widest == columns_.size()) {
            break;
        }
        --widths[widest];
    }
    return widths;
}

std::string TextTable::render_row(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths,
                                  const TextStyle& style) const {
    std::vector<std::vector<std::string>> lines;
    std::size_t height = 1;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        lines.push_back(columns_[i].align == Align::wrap ? wrap_words(cells[i].text, widths[i])
                                                         : std::vector<std::string>{cells[i].text});
        height = std::max(height, lines.back().size());
    }
    std::string out;
    for (std::size_t line = 0; line < height; ++line) {
        std::string text(kIndent, ' ');
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const bool filled = line < lines[i].size();
            const std::string cell = pad(filled ? lines[i][line] : "", widths[i], columns_[i].align);
            text += cells[i].paint && filled ? cells[i].paint(style, cell) : cell;
            text += std::string(i + 1 < columns_.size() ? kGap : 0, ' ');
        }
        strip_end(text);
        out += text + '\n';
    }
    return out;
}

std::string TextTable::render(const TextStyle& style) const {
    const std::vector<std::size_t> widths = fit(style.width);
    std::vector<Cell> headings;
    for (const Column& column : columns_) {
        headings.emplace_back(column.heading,
                              [](const TextStyle& how, const std::string& text) { return how.dim(text); });
    }
    std::string out = render_row(headings, widths, style);
    for (const std::vector<Cell>& cells : rows_) {
        out += render_row(cells, widths, style);
    }
    return out;
}

}  // namespace solidtlm::testbench
