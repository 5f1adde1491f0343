// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/tag_pages.h"

#include <algorithm>
#include <cstring>

namespace solidtlm::hw {
namespace {

/// Sectors of one run among consecutive ones.
struct Part {
    std::size_t run;
    std::size_t begin;    ///< sector of the run
    std::size_t sectors;  ///< at most those of the run
};

/// use(part, sectors before it) for every run that `sectors` from `first` on touch.
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

/// The next pages are likely to be next. Concerns the model's speed alone.
void TagPages::prefetch_behind(std::size_t sector) const {
    __builtin_prefetch(firsts_.data() + sector / kRunSectors + kCacheLineRuns, 1);
}

void TagPages::copy(std::size_t sector, std::span<std::byte> tags) const {
    prefetch_behind(sector);
    each_part(sector, tags.size() / kTag, [this, tags](const Part& part, std::size_t done) {
        const RunTags* const others = other(part.run);
        for (std::size_t i = 0; i < part.sectors; ++i) {
            const std::size_t at = part.begin + i;
            const std::uint64_t tag = others != nullptr ? (*others)[at] : tag_in_run(firsts_[part.run], at);
            std::memcpy(tags.data() + (done + i) * kTag, &tag, kTag);
        }
    });
}

void TagPages::store(std::size_t sector, std::span<const std::byte> tags) {
    prefetch_behind(sector);
    each_part(sector, tags.size() / kTag, [this, tags](const Part& part, std::size_t done) {
        RunTags changed;
        if (part.sectors == kRunSectors) {
            std::memcpy(changed.data(), tags.data() + done * kTag, sizeof changed);
        } else {
            changed = load(part.run);
            std::memcpy(&changed[part.begin], tags.data() + done * kTag, part.sectors * kTag);
        }
        put(part.run, changed);
    });
}

void TagPages::clear(std::size_t sector, std::size_t sectors) {
    each_part(sector, sectors, [this](const Part& part, std::size_t /*done*/) {
        RunTags changed{};
        if (part.sectors != kRunSectors) {
            changed = load(part.run);
            std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(part.begin), part.sectors, 0);
        }
        put(part.run, changed);
    });
}

void TagPages::forget() {
    if (others_) {
        std::ranges::fill(firsts_, 0);  // places in others_ mean nothing now
        others_.reset();
    }
}

void TagPages::put(std::size_t run, const RunTags& tags) {
    if (others_ || !follow_each_other(tags)) {
        put_other(run, tags);
    } else {
        firsts_[run] = tags[0];
    }
}

/// A place in others_ that was taken once stays with its run until the block is erased.
void TagPages::put_other(std::size_t run, const RunTags& tags) {
    if (others_ && others_->has(run)) {
        others_->tags[firsts_[run]] = tags;
    } else if (follow_each_other(tags)) {
        firsts_[run] = tags[0];
    } else {
        if (!others_) {
            others_ = std::make_unique<Others>();
            others_->runs.resize(words());
        }
        others_->runs[run / kWordBits] |= std::uint64_t{1} << run % kWordBits;
        firsts_[run] = others_->tags.size();
        others_->tags.push_back(tags);
    }
}

std::size_t TagPages::memory() const {
    const std::size_t others =
        others_ ? words() * sizeof(std::uint64_t) + others_->tags.size() * sizeof(RunTags) : 0;
    return firsts_.size() * sizeof(std::uint64_t) + others;
}

}  // namespace solidtlm::hw
