// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/evidence.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "fw/hal/types.h"
#include "platform/names.h"
#include "testbench/sim/load/trace/columns.h"
#include "testbench/sim/load/trace/fields.h"
#include "testbench/sim/load/trace/reader.h"

namespace solidtlm::testbench {
namespace {

using Kind = EvidenceItem::Kind;

constexpr std::uint64_t kYear2000Ns = 946'684'800 * kNsPerSecond;
constexpr std::uint64_t kYear2100Ns = 4'102'444'800 * kNsPerSecond;
constexpr std::uint64_t kApartNs = 100;  ///< more than 10 million requests per second are no recording

std::optional<EvidenceItem> evidence_item(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, Kind>, 4> kWithoutNumber{
        {{"time:calendar", Kind::calendar},
         {"time:point", Kind::point},
         {"time:apart", Kind::apart},
         {"op:known", Kind::known}}};
    for (const auto& [name, kind] : kWithoutNumber) {
        if (text == name) {
            return EvidenceItem{kind};
        }
    }
    const std::string_view field = take_field(text, ':');
    if (field == "without" && !text.empty()) {
        return EvidenceItem{.kind = Kind::without, .word = std::string(text)};
    }
    const bool at_least = field == "size" && text.ends_with('+');
    text.remove_suffix(at_least ? 1 : 0);
    constexpr std::array<std::pair<std::string_view, Kind>, 4> kWithNumber{{{"lines", Kind::lines},
                                                                            {"offset", Kind::offset_aligned},
                                                                            {"size", Kind::size_aligned},
                                                                            {"op", Kind::operations}}};
    std::uint64_t value = 0;
    for (const auto& [name, kind] : kWithNumber) {
        if (field == name && parse_number(text, value) && value > 0) {
            return EvidenceItem{at_least ? Kind::longest : kind, value};
        }
    }
    return std::nullopt;
}

std::string in_words(const EvidenceItem& item) {
    const std::string value = std::to_string(item.value);
    switch (item.kind) {
        case Kind::calendar:
            return "times between the years 2000 and 2100";
        case Kind::point:
            return "times with a decimal point";
        case Kind::apart:
            return "times that are 100 ns apart on average";
        case Kind::lines:
            return value + " lines";
        case Kind::offset_aligned:
            return "addresses in multiples of " + value;
        case Kind::size_aligned:
            return "lengths in multiples of " + value;
        case Kind::longest:
            return "a length of " + value + " or more";
        case Kind::operations:
            return value + " different operations";
        case Kind::known:
            return "reads, writes and flushes in half of the lines";
        case Kind::without:
            return "no line with " + item.word;
    }
    return {};
}

/// The time of a line, as text. Of columns that count from a word, only the word before it can be the time.
std::string_view time_of(const Columns& columns, std::string_view line) {
    std::string_view time;
    if (!columns.at.empty()) {
        std::string_view word = take_word(line);
        for (; !word.empty() && !word.ends_with(columns.at); word = take_word(line)) {
            time = word;
        }
        time.remove_suffix(time.ends_with(':') ? 1 : 0);
        return word.empty() ? std::string_view() : time;
    }
    for (std::int32_t i = 0; i < columns.time.number; ++i) {
        time = columns.separator == ' ' ? take_word(line) : take_field(line, columns.separator);
    }
    return trimmed(time);
}

/// Whether some line has a time with a decimal point.
bool has_point(const Columns& columns, std::string_view sample) {
    while (!sample.empty()) {
        const std::string_view time = time_of(columns, take_field(sample, '\n'));
        std::uint64_t value = 0;
        if (time.find('.') != std::string_view::npos && parse_time(time, 1, value)) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::optional<Evidence> parse_evidence(std::string_view text) {
    Evidence evidence;
    while (!text.empty()) {
        std::string_view part = take_field(text, ';');
        auto& items = evidence.emplace_back();
        while (!part.empty()) {
            const auto item = evidence_item(take_field(part, ','));
            if (!item) {
                return std::nullopt;
            }
            items.push_back(*item);
        }
    }
    return evidence;
}

EvidenceFound::EvidenceFound(const Columns& columns, std::string_view sample)
    : columns_(columns), sample_(sample), point_(!columns.evidence.empty() && has_point(columns, sample)) {}

void EvidenceFound::add(const TraceRecord& record) {
    const Request& request = record.request;
    const bool trims = !request.ranges.empty();
    const std::uint64_t lba = trims ? request.ranges.front().lba.value : request.lba.value;
    const std::uint64_t sectors = trims ? request.ranges.front().sectors : request.sectors;
    seen_.push_back({record.time_ns, lba * hal::kSectorBytes / columns_.offset.unit,
                     sectors * hal::kSectorBytes / columns_.size.unit, request.operation});
}

bool EvidenceFound::mostly_multiples(std::uint64_t Seen::*value, std::uint64_t of) const {
    constexpr std::size_t kOf = 10;
    const auto multiples =
        std::ranges::count_if(seen_, [value, of](const Seen& each) { return each.*value % of == 0; });
    return static_cast<std::size_t>(multiples) * kOf >= seen_.size() * (kOf - 1);
}

bool EvidenceFound::holds(const EvidenceItem& item) const {
    switch (item.kind) {
        case Kind::calendar:
            return std::ranges::all_of(seen_, [](const Seen& each) {
                return each.time_ns >= kYear2000Ns && each.time_ns < kYear2100Ns;
            });
        case Kind::point:
            return point_;
        case Kind::apart: {
            const auto [first, last] = std::ranges::minmax_element(seen_, {}, &Seen::time_ns);
            return first == seen_.end() || last->time_ns - first->time_ns >= kApartNs * (seen_.size() - 1);
        }
        case Kind::lines:
            return seen_.size() + skipped_ >= item.value;
        case Kind::offset_aligned:
            return mostly_multiples(&Seen::address, item.value);
        case Kind::size_aligned:
            return mostly_multiples(&Seen::length, item.value);
        case Kind::longest:
            return std::ranges::any_of(seen_, [&item](const Seen& e) { return e.length >= item.value; });
        case Kind::operations: {
            std::set<Operation> all;
            for (const Seen& each : seen_) {
                all.insert(each.operation);
            }
            return all.size() >= item.value;
        }
        case Kind::known:
            return seen_.size() >= skipped_;
        case Kind::without:
            return sample_.find(item.word) == std::string_view::npos;
    }
    return false;
}

std::string EvidenceFound::missing() const {
    std::string text;
    for (const auto& part : columns_.evidence) {
        if (std::ranges::any_of(part, [this](const EvidenceItem& item) { return holds(item); })) {
            continue;
        }
        text += text.empty() ? "" : ", and ";
        for (const EvidenceItem& item : part) {
            text += (&item == &part.front() ? "" : " or ") + in_words(item);
        }
    }
    return text;
}

std::string EvidenceFound::held() const {
    platform::Names names;
    for (const auto& part : columns_.evidence) {
        const auto held =
            std::ranges::find_if(part, [this](const EvidenceItem& item) { return holds(item); });
        if (held != part.end()) {
            names.push_back(in_words(*held));
        }
    }
    return platform::join_names(names);
}

}  // namespace solidtlm::testbench
