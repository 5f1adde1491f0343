// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/verify/doubts.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace solidtlm::testbench {

using Kind = SectorState::Kind;

namespace {
constexpr SectorState kAnything{0, 0, Kind::anything};
}

std::uint32_t Doubts::failures_of(std::uint32_t writer) const {
    const auto entry = entries_.find(writer);
    return entry == entries_.end() ? 0 : entry->second.failures;
}

void Doubts::add(std::uint32_t writer, std::vector<StateRange> before, Why why, std::uint64_t now) {
    const std::uint32_t own = why == Why::failed ? 1 : 0;
    std::uint32_t most = 0;
    Entry& entry = entries_[writer];
    for (StateRange& range : before) {
        weight_ += range.states.size();
        for (std::size_t i = 0; i < range.states.size(); ++i) {
            const std::uint64_t lba = range.first + i;
            std::uint32_t failures = failures_of(range.states[i].writer);
            for (const StateRange& other : entry.ranges) {
                const SectorState* overtaken = other.find(lba);
                failures = std::max(failures, overtaken != nullptr ? failures_of(overtaken->writer) : 0);
            }
            if (failures + own <= kMostFailures) {
                most = std::max(most, failures);
            } else {
                range.states[i] = kAnything;
                give_up(entry, lba);
            }
        }
    }
    entry.failures = most + own;
    entry.since = now;
    std::ranges::move(before, std::back_inserter(entry.ranges));
}

/// Gives the sector up: any content is accepted there, so the content that the writer has overtaken is
/// dropped.
void Doubts::give_up(Entry& entry, std::uint64_t lba) {
    for (StateRange& range : entry.ranges) {
        if (range.find(lba) != nullptr) {
            range.states[lba - range.first] = kAnything;
        }
    }
}

void Doubts::add_overtaken(std::uint32_t writer, std::uint64_t lba, const SectorState& instead,
                           std::uint64_t now) {
    const std::uint32_t failures = failures_of(instead.writer);
    Entry& entry = entries_[writer];
    const bool known = std::ranges::any_of(entry.ranges, [&](const StateRange& range) {
        const SectorState* state = range.find(lba);
        return state != nullptr && state->writer == instead.writer;
    });
    if (known) {
        return;  // it was sent again before
    }
    entry.failures = std::max(entry.failures, failures);
    entry.since = now;
    ++weight_;
    if (!entry.ranges.empty()) {
        StateRange& last = entry.ranges.back();
        if (last.first + last.states.size() == lba && last.states.back().writer == instead.writer) {
            last.states.push_back(instead);
            return;
        }
    }
    entry.ranges.push_back(StateRange{lba, {instead}});
}

/// Visits each writer once, because many paths may lead to it.
ReadVerdict Doubts::judge(std::uint64_t lba, std::uint32_t writer, std::uint64_t found) const {
    struct Step {
        std::uint32_t writer;
        const std::vector<StateRange>* ranges;
        std::size_t next;
    };
    std::vector<Step> steps;
    std::unordered_set<std::uint32_t> seen;
    const auto enter = [&](std::uint32_t next) {  // false: any content is accepted after `next`
        const auto entry = entries_.find(next);
        if (entry != entries_.end() && seen.insert(next).second) {
            steps.push_back({next, &entry->second.ranges, 0});
        }
        return !anything_.contains(next);
    };
    if (!enter(writer)) {
        return ReadVerdict::unchecked;
    }
    while (!steps.empty()) {
        Step& step = steps.back();
        if (step.next == step.ranges->size()) {
            steps.pop_back();
            continue;
        }
        const SectorState* instead = (*step.ranges)[step.next++].find(lba);
        if (instead == nullptr || instead->writer >= step.writer) {
            continue;  // only content older than the writer's can still be there
        }
        if (instead->kind == Kind::anything || instead->kind == Kind::unseen) {
            return ReadVerdict::unchecked;
        }
        if (instead->identity == found) {
            return ReadVerdict::match;
        }
        if (!enter(instead->writer)) {
            return ReadVerdict::unchecked;
        }
    }
    return ReadVerdict::mismatch;
}

bool Doubts::left_somewhere(std::uint32_t writer, const Entry& entry, const ShadowMap& shadow) {
    return std::ranges::any_of(entry.ranges, [writer, &shadow](const StateRange& range) {
        for (std::size_t i = 0; i < range.states.size(); ++i) {
            if (shadow.get(range.first + i).writer == writer) {
                return true;
            }
        }
        return false;
    });
}

void Doubts::collect(const ShadowMap& shadow, std::span<const std::uint32_t> held, std::uint64_t oldest) {
    std::vector<std::uint32_t> todo(held.begin(), held.end());
    for (const auto& [writer, entry] : entries_) {
        if (entry.since > oldest || left_somewhere(writer, entry, shadow)) {
            todo.push_back(writer);
        }
    }
    std::unordered_set<std::uint32_t> wanted;
    while (!todo.empty()) {
        const std::uint32_t writer = todo.back();
        todo.pop_back();
        const auto entry = entries_.find(writer);
        if (entry == entries_.end() || !wanted.insert(writer).second) {
            continue;
        }
        for (const StateRange& range : entry->second.ranges) {
            std::uint32_t last = writer;
            for (const SectorState& state : range.states) {
                if (std::exchange(last, state.writer) != state.writer) {
                    todo.push_back(state.writer);
                }
            }
        }
    }
    weight_ = 0;
    std::erase_if(entries_, [this, &wanted](const auto& each) {
        if (!wanted.contains(each.first)) {
            return true;
        }
        for (const StateRange& range : each.second.ranges) {
            weight_ += range.states.size();
        }
        return false;
    });
    limit_ = std::max(at_ease_, 2 * weight_);
}

}  // namespace solidtlm::testbench
