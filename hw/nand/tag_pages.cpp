// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/tag_pages.h"

#include <algorithm>
#include <cstring>

namespace solidtlm::hw {
namespace {

/// The sectors of one run within a range of sectors.
struct Part {
    std::size_t run;
    std::size_t begin;    ///< first sector within the run
    std::size_t sectors;  ///< at most the sectors of a run
};

/// Calls use(part, sectors before it) for every run that `sectors` from `first` on touch.
template <class Use>
void each_part(std::size_t first, std::size_t sectors, Use use) {
    for (std::size_t done = 0; done < sectors;) {
        Part part{(first + done) / kRunSectors, (first + done) % kRunSectors, 0};
        part.sectors = std::min(kRunSectors - part.begin, sectors - done);
        use(part, done);
        done += part.sectors;
    }
}

constexpr std::size_t kTag = sizeof(std::uint64_t);
constexpr std::size_t kCacheLineRuns = 8;

}  // namespace

TagPages::TagPages(std::size_t blocks, std::size_t block_sectors)
    : block_runs_((block_sectors + kRunSectors - 1) / kRunSectors),
      firsts_(blocks * block_runs_ + kCacheLineRuns, "contents of a die, by 8 sectors"),
      others_(blocks),
      stored_(blocks) {}

/// The following pages will probably be used next. Affects only the speed of the model.
void TagPages::prefetch_behind(std::size_t block, std::size_t sector) const {
    firsts_.prefetch(block * block_runs_ + sector / kRunSectors + kCacheLineRuns);
}

void TagPages::copy(std::size_t block, std::size_t sector, std::span<std::byte> tags) const {
    prefetch_behind(block, sector);
    each_part(sector, tags.size() / kTag, [&](const Part& part, std::size_t done) {
        const RunTags* const others = other(block, part.run);
        for (std::size_t i = 0; i < part.sectors; ++i) {
            const std::size_t at = part.begin + i;
            const std::uint64_t tag =
                others != nullptr ? (*others)[at] : tag_in_run(first(block, part.run), at);
            std::memcpy(tags.data() + (done + i) * kTag, &tag, kTag);
        }
    });
}

void TagPages::store(std::size_t block, std::size_t sector, std::span<const std::byte> tags) {
    prefetch_behind(block, sector);
    stored_[block] = true;
    each_part(sector, tags.size() / kTag, [&](const Part& part, std::size_t done) {
        RunTags changed;
        if (part.sectors == kRunSectors) {
            std::memcpy(changed.data(), tags.data() + done * kTag, sizeof changed);
        } else {
            changed = load(block, part.run);
            std::memcpy(&changed[part.begin], tags.data() + done * kTag, part.sectors * kTag);
        }
        put(block, part.run, changed);
    });
}

void TagPages::clear(std::size_t block, std::size_t sector, std::size_t sectors) {
    if (!stored_[block]) {
        return;
    }
    each_part(sector, sectors, [&](const Part& part, std::size_t /*done*/) {
        RunTags changed{};
        if (part.sectors != kRunSectors) {
            changed = load(block, part.run);
            std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(part.begin), part.sectors, 0);
        }
        put(block, part.run, changed);
    });
}

void TagPages::forget(std::size_t block) {
    if (others_[block]) {
        std::fill_n(&first(block, 0), block_runs_, 0);  // old places in Others are invalid now
        others_[block].reset();
    }
}

/// Once a run has a place in Others, it keeps the place until the block is erased.
void TagPages::put(std::size_t block, std::size_t run, const RunTags& tags) {
    std::unique_ptr<Others>& others = others_[block];
    if (others && others->has(run)) {
        others->tags[first(block, run)] = tags;
    } else if (follow_each_other(tags)) {
        first(block, run) = tags[0];
    } else {
        if (!others) {
            others = std::make_unique<Others>();
            others->runs.resize(words());
        }
        others->runs[run / kWordBits] |= std::uint64_t{1} << run % kWordBits;
        first(block, run) = others->tags.size();
        others->tags.push_back(tags);
    }
}

std::size_t TagPages::memory() const {
    std::size_t bytes = 0;
    for (std::size_t block = 0; block < stored_.size(); ++block) {
        bytes += stored_[block] ? block_runs_ * sizeof(std::uint64_t) : 0;
        if (const Others* const others = others_[block].get(); others != nullptr) {
            bytes += words() * sizeof(std::uint64_t) + others->tags.size() * sizeof(RunTags);
        }
    }
    return bytes;
}

}  // namespace solidtlm::hw
