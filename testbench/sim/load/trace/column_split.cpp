// SPDX-License-Identifier: Apache-2.0
//
// How ColumnReader takes a line apart.
#include <algorithm>

#include "testbench/sim/load/trace/column_reader.h"
#include "testbench/sim/load/trace/fields.h"

namespace solidtlm::testbench {

void ColumnReader::split(std::string_view line) {
    end_ = line.substr(line.size());
    count_ = 0;
    const char separator = columns_->separator;
    const char* at = line.data();
    const char* const end = at + line.size();
    const auto pass_blanks = [&at, end] {
        while (at != end && is_blank(*at)) {
            ++at;
        }
    };
    const auto add = [this](const char* begin, const char* last) {
        fields_[static_cast<std::size_t>(count_++)] = {begin, static_cast<std::size_t>(last - begin)};
    };
    // A field in quotes may hold separators.
    const auto take_quoted = [&at, end, &add] {
        const char* const close = *at == '"' ? std::find(at + 1, end, '"') : end;
        if (close == end) {
            return false;
        }
        add(at + 1, close);
        at = close + 1;
        return true;
    };
    if (separator == ' ') {
        for (pass_blanks(); at != end && count_ < most_; pass_blanks()) {
            const char* const begin = at;
            while (at != end && !is_blank(*at)) {
                ++at;
            }
            add(begin, at);
        }
        return;
    }
    while (at != end && count_ < most_) {
        while (at != end && is_blank(*at) && *at != separator) {
            ++at;
        }
        const bool quoted = at != end && take_quoted();
        const char* const begin = at;
        while (at != end && *at != separator) {
            ++at;
        }
        if (quoted) {
            at += at != end ? 1 : 0;
            continue;
        }
        const std::string_view field = trimmed({begin, static_cast<std::size_t>(at - begin)});
        if (at == end && field.empty()) {
            return;
        }
        add(field.data(), field.data() + field.size());
        at += at != end ? 1 : 0;
    }
}

/// Joins the words of the column that may contain separators into one field.
void ColumnReader::join_wide_column() {
    const std::int32_t surplus = count_ - layout_->count;
    if (layout_->wide == kAbsent || surplus <= 0) {
        return;
    }
    const auto behind = fields_.begin() + layout_->wide + 1;
    std::copy(behind + surplus, fields_.begin() + count_, behind);
    count_ -= surplus;
}

void ColumnReader::find_values(std::string_view line) {
    constexpr std::string_view kEnds = " \t,;(){}[]";
    values_.assign(columns_->keys.size(), end_);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const std::string& key = columns_->keys[i];
        std::size_t at = line.find(key);
        while (at != std::string_view::npos && at > 0 && kEnds.find(line[at - 1]) == std::string_view::npos) {
            at = line.find(key, at + 1);
        }
        if (at != std::string_view::npos) {
            std::string_view value = line.substr(at + key.size());
            value.remove_prefix(value.starts_with('(') ? 1 : 0);
            values_[i] = value.substr(0, value.find_first_of(kEnds));
        }
    }
}

}  // namespace solidtlm::testbench
