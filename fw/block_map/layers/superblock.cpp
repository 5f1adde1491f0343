// SPDX-License-Identifier: Apache-2.0
//
// Superblocks (Kang et al. 2006; numbers of data and log blocks after Park et al. 2008): adjacent logical
// blocks share some blocks, in which their pages may lie anywhere.
#include <algorithm>

#include "fw/block_map/books_layer.h"
#include "fw/block_map/recency.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {
namespace {

class SuperblockLayer final : public BooksLayer {
  public:
    SuperblockLayer(const FirmwareConfig& config, const BlockGeometry& geometry)
        : BooksLayer(config, geometry),
          logical_(config.block_map.superblock_blocks),
          most_logs_(config.block_map.superblock_logs),
          groups_((books_.logical_blocks() + logical_ - 1) / logical_) {}

    bool next_merge(Lpn lpn, Merge& merge) override {
        merge.clear();
        const std::uint32_t number = group_of(books_.lbn_of(lpn));
        const std::size_t blocks = groups_[number].blocks.size();
        if (has_room(groups_[number]) || blocks < logical_blocks(number)) {
            return false;
        }
        if (blocks >= logical_blocks(number) + most_logs_) {
            describe_collection(number, merge);
            return true;
        }
        if (logs_ < log_limit()) {
            return false;
        }
        describe_reduction(with_logs_.least_recent(), merge);
        return true;
    }

    Placement place(Lpn lpn) override {
        SOLIDTLM_CHECK(free_blocks() > 0, "a page is placed while there is a free block");
        const std::uint32_t number = group_of(books_.lbn_of(lpn));
        Group& group = groups_[number];
        if (!has_room(group)) {
            open_block(number);
        }
        if (group.blocks.size() > logical_blocks(number)) {
            with_logs_.use(number);
        }
        const BlockPage at{group.open, group.next++};
        SOLIDTLM_CHECK(books_.writable(at), "nothing had to be merged before the page was placed");
        program(lpn, at);
        return {at};
    }

    void merged(const Merge& merge) override {
        const std::uint32_t number = group_of(merge.logical);
        for (const Merge::Copy& copied : merge.copies) {
            copy(copied, merge.target);
        }
        for (const BlockId source : merge.sources) {
            release_block(number, source);
        }
        if (merge.kind == MergeKind::full) {
            open_block(number);
        }
        groups_[number].next += static_cast<std::uint32_t>(merge.copies.size());
    }

    void merge_failed(const Merge& merge, std::uint32_t /*offset*/) override {
        if (merge.kind == MergeKind::full) {
            books_.retired(books_.take(BlockRole::data));
        } else {
            fail(merge.target);
        }
    }

    [[nodiscard]] std::uint64_t log_blocks() const override { return logs_; }
    void serialize(hal::StateArchive& archive) override {
        BooksLayer::serialize(archive);
        archive(groups_, with_logs_, logs_);
    }
    [[nodiscard]] std::string check() const override;

  private:
    struct Group {
        std::vector<BlockId> blocks;  ///< in the order in which they were taken
        BlockId open{kNoBlock};       ///< the last of `blocks`, or none
        std::uint32_t next = 0;       ///< its next offset

        void serialize(hal::StateArchive& archive) { archive(hal::list(blocks), open, next); }
    };

    [[nodiscard]] std::uint32_t group_of(Lbn lbn) const { return lbn.value / logical_; }
    /// Logical blocks of a superblock; the last superblock may have fewer.
    [[nodiscard]] std::uint32_t logical_blocks(std::uint32_t number) const {
        return std::min(logical_, books_.logical_blocks() - number * logical_);
    }
    [[nodiscard]] bool has_room(const Group& group) const {
        return group.open != kNoBlock && group.next < books_.pages() && !books_.failed(group.open);
    }
    void open_block(std::uint32_t number) {
        Group& group = groups_[number];
        group.open = books_.take(BlockRole::data);
        group.next = 0;
        group.blocks.push_back(group.open);
        logs_changed(number, group.blocks.size() - 1);
    }
    void release_block(std::uint32_t number, BlockId block) {
        Group& group = groups_[number];
        std::erase(group.blocks, block);
        group.open = group.open == block ? kNoBlock : group.open;
        books_.begin_erase(block);
        logs_changed(number, group.blocks.size() + 1);
    }
    /// Updates the count of log blocks after the superblock had `before` blocks.
    void logs_changed(std::uint32_t number, std::size_t before) {
        const std::size_t own = logical_blocks(number);
        const std::size_t now = groups_[number].blocks.size();
        logs_ += static_cast<std::uint32_t>(std::max(now, own) - own);
        logs_ -= static_cast<std::uint32_t>(std::max(before, own) - own);
        if (before <= own && now > own) {
            with_logs_.add(number);
        } else if (before > own && now <= own) {
            with_logs_.remove(number);
        }
    }

    [[nodiscard]] BlockId victim_of(const Group& group) const {
        const std::size_t open = has_room(group) ? 1 : 0;
        return *std::ranges::min_element(group.blocks.begin(),
                                         group.blocks.end() - static_cast<std::ptrdiff_t>(open), {},
                                         [this](BlockId block) { return books_.valid(block); });
    }
    void describe_collection(std::uint32_t number, Merge& merge) {
        describe(number, MergeKind::full, merge);
        merge.target = books_.next_free();
        gather(victim_of(groups_[number]), 0, merge);
    }
    void describe_reduction(std::uint32_t number, Merge& merge) {
        const Group& group = groups_[number];
        if (!has_room(group)) {
            describe_collection(number, merge);
            return;
        }
        describe(number, MergeKind::partial, merge);
        merge.target = group.open;
        gather(victim_of(group), group.next, merge);
    }
    void describe(std::uint32_t number, MergeKind kind, Merge& merge) const {
        merge.kind = kind;
        merge.logical = Lbn{number * logical_};
    }
    /// Copies pages of `victim` to offset `to` and the following ones, up to the end of the block.
    void gather(BlockId victim, std::uint32_t to, Merge& merge) const {
        for (std::uint32_t offset = 0; offset < books_.pages(); ++offset) {
            const BlockPage from{victim, offset};
            if (const Lpn lpn = books_.page_at(from); lpn != kNoLpn) {
                if (to == books_.pages()) {
                    return;
                }
                merge.copies.push_back({lpn, from, to++});
            }
        }
        merge.sources.push_back(victim);
    }

    bool release_of(Lbn lbn, Merge& merge) override {
        const std::uint32_t number = group_of(lbn);
        const Group& group = groups_[number];
        describe(number, MergeKind::drop, merge);
        const auto no_data = [this](BlockId block) { return books_.valid(block) == 0; };
        if (std::ranges::all_of(group.blocks, no_data)) {
            merge.sources = group.blocks;
            return !merge.sources.empty();
        }
        const auto victim = std::ranges::find_if(group.blocks, no_data);
        if (victim != group.blocks.end() && !(*victim == group.open && has_room(group))) {
            merge.sources.push_back(*victim);
        }
        return !merge.sources.empty();
    }
    void page_left(BlockId block, Lbn lbn) override {
        if (books_.valid(block) == 0) {
            add_due(lbn);
        }
    }

    std::uint32_t logical_;
    std::uint32_t most_logs_;
    std::vector<Group> groups_;
    Recency with_logs_;  // superblocks that have log blocks, by their last writes
    std::uint32_t logs_ = 0;
};

std::string SuperblockLayer::check() const {
    if (std::string problem = books_.check(); !problem.empty()) {
        return problem;
    }
    std::size_t blocks = 0;
    std::size_t logs = 0;
    for (std::uint32_t number = 0; number < groups_.size(); ++number) {
        const std::string name = "superblock " + std::to_string(number);
        const Group& group = groups_[number];
        blocks += group.blocks.size();
        logs += std::max<std::size_t>(group.blocks.size(), logical_blocks(number)) - logical_blocks(number);
        for (const BlockId block : group.blocks) {
            if (books_.role(block) != BlockRole::data) {
                return name + ": block " + std::to_string(block.value) + " is none of its blocks";
            }
            for (std::uint32_t offset = 0; offset < books_.pages(); ++offset) {
                const Lpn lpn = books_.page_at({block, offset});
                if (lpn != kNoLpn && group_of(books_.lbn_of(lpn)) != number) {
                    return name + ": LPN " + std::to_string(lpn.value) + " lies in one of its blocks";
                }
            }
        }
    }
    if (blocks != books_.count(BlockRole::data) || books_.count(BlockRole::log) != 0) {
        return "there are blocks without a superblock";
    }
    return logs == logs_ ? "" : "the log blocks do not agree";
}

}  // namespace

extern const TranslationLayer kSuperblockTranslationLayer{
    {{"superblock", "pages anywhere in the blocks of adjacent logical blocks"},
     {.least_logs = 1, .own_page_table = true}},
    make_layer<SuperblockLayer>};

}  // namespace solidtlm::fw
