// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/fs/allocator.h"

#include <algorithm>
#include <iterator>

namespace solidtlm::testbench::fs {

Allocator::Allocator(const Layout& layout) : layout_(layout), groups_(layout.groups()) {
    Block at = 0;
    const auto add = [this](Block first, Block end) {
        while (first < end) {  // an extent does not cross the end of its group
            const Block border = std::min(end, layout_.group(layout_.group_of(first)).end());
            insert({first, border - first});
            first = border;
        }
    };
    for (const Extent& fixed : layout.fixed()) {
        add(at, fixed.first);
        at = fixed.end();
    }
    add(at, layout.blocks());
}

// The first free extent from `goal` on with `want` blocks. If there is none, stores the length of the longest
// one.
std::optional<Extent> Allocator::find(Group& group, Block goal, std::uint64_t want) {
    if (group.longest < want) {
        return std::nullopt;
    }
    Place from = group.free.upper_bound(goal);
    if (from != group.free.begin()) {
        if (const Place before = std::prev(from); before->first + before->second >= goal + want) {
            return Extent{goal, want};
        }
    }
    std::uint64_t longest = 0;
    for (Place place = from; place != group.free.end(); ++place) {
        if (place->second >= want) {
            return Extent{place->first, want};
        }
        longest = std::max(longest, place->second);
    }
    for (Place place = group.free.begin(); place != from; ++place) {
        if (place->second >= want) {
            return Extent{place->first, want};
        }
        longest = std::max(longest, place->second);
    }
    group.longest = longest;
    return std::nullopt;
}

std::optional<Extent> Allocator::take(Block goal, std::uint64_t want) {
    if (free_ == 0 || want == 0) {
        return std::nullopt;
    }
    const std::uint64_t first = layout_.group_of(std::min(goal, layout_.blocks() - 1));
    while (true) {
        for (std::uint64_t i = 0; i < groups_.size(); ++i) {
            const std::uint64_t number = (first + i) % groups_.size();
            const Block from = i == 0 ? goal : layout_.group(number).first;
            if (const auto found = find(groups_[number], from, want)) {
                return cut(groups_[number], *found);
            }
        }
        // No extent is long enough, so the longest is taken. Every group has just stored the length of its
        // longest.
        want = std::max_element(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) {
                   return a.longest < b.longest;
               })->longest;
    }
}

Extent Allocator::cut(Group& group, const Extent& extent) {
    const Place place = std::prev(group.free.upper_bound(extent.first));
    const Extent whole{place->first, place->second};
    group.free.erase(place);
    if (whole.first < extent.first) {
        group.free.emplace(whole.first, extent.first - whole.first);
    }
    if (extent.end() < whole.end()) {
        group.free.emplace(extent.end(), whole.end() - extent.end());
    }
    free_ -= extent.count;
    used_ += extent.count;
    return extent;
}

void Allocator::free(const Extent& extent) {
    used_ -= extent.count;
    freed_ += extent.count;
}

void Allocator::release(const Extent& extent) {
    freed_ -= extent.count;
    groups_[layout_.group_of(extent.first)].dirty = true;
    insert(extent);
}

void Allocator::give_back(const Extent& extent) {
    used_ -= extent.count;
    insert(extent);
}

void Allocator::insert(const Extent& extent) {
    Group& group = groups_[layout_.group_of(extent.first)];
    free_ += extent.count;
    Place next = group.free.upper_bound(extent.first);
    Extent whole = extent;
    if (next != group.free.end() && next->first == whole.end()) {
        whole.count += next->second;
        next = group.free.erase(next);
    }
    if (next != group.free.begin()) {
        if (const Place before = std::prev(next); before->first + before->second == whole.first) {
            before->second += whole.count;
            group.longest = std::max(group.longest, before->second);
            return;
        }
    }
    group.free.emplace_hint(next, whole.first, whole.count);
    group.longest = std::max(group.longest, whole.count);
}

}  // namespace solidtlm::testbench::fs
