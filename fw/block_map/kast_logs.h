// SPDX-License-Identifier: Apache-2.0
//
// The log blocks of kast: their ages, their free pages, and which logical blocks have newest data in them.
#pragma once

#include <set>
#include <vector>

#include "fw/block_map/block_layer.h"

namespace solidtlm::fw {

using LogSlot = hal::Index<struct LogSlotTag, std::uint32_t>;
constexpr LogSlot kNoLogSlot{0xFFFF'FFFF};

class KastLogs {
  public:
    struct Log {
        BlockId block{kNoBlock};
        Lbn owner{kNoLbn};             ///< owner of a sequential log block; kNoLbn for a random one
        std::uint32_t next = 0;        ///< offset of the next page
        std::uint32_t associated = 0;  ///< logical blocks with newest data in it
        std::uint64_t age = 0;         ///< order in which the blocks were taken
        std::uint64_t written = 0;     ///< order of the last writes
        bool full = false;             ///< also set if a program failed in it

        void serialize(hal::StateArchive& archive) {
            archive(block, owner, next, associated, age, written, full);
        }
    };

    /// Random log blocks hold at most `associativity` logical blocks.
    KastLogs(const BlockGeometry& geometry, std::uint32_t logical_blocks, std::uint32_t associativity)
        : pages_(geometry.pages),
          associativity_(associativity),
          slot_of_block_(geometry.blocks, kNoLogSlot),
          sequential_of_(logical_blocks, kNoLogSlot),
          first_of_(logical_blocks, kNone) {}

    [[nodiscard]] const Log& operator[](LogSlot slot) const { return logs_[slot.value]; }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(by_age_.size()); }
    [[nodiscard]] std::uint32_t sequential() const { return static_cast<std::uint32_t>(sequential_.size()); }
    [[nodiscard]] LogSlot oldest() const { return by_age_.begin()->slot; }
    /// The sequential log block of `lbn`, or kNoLogSlot.
    [[nodiscard]] LogSlot sequential_of(Lbn lbn) const { return sequential_of_[lbn.value]; }
    [[nodiscard]] LogSlot least_recent_sequential() const;
    /// The newest random log block with room that has newest data of `lbn`, or kNoLogSlot.
    [[nodiscard]] LogSlot choose(Lbn lbn) const;

    /// Among the random log blocks that may take one more logical block, the one with the fewest; of several,
    /// the oldest. kNoLogSlot if there is none.
    [[nodiscard]] LogSlot least_shared() const {
        return shareable_.empty() ? kNoLogSlot : shareable_.begin()->slot;
    }

    /// Adds `block` as a log block; `owner` is kNoLbn for a random one.
    LogSlot add(BlockId block, Lbn owner);
    void remove(BlockId block);
    void make_random(LogSlot slot);
    /// Takes the next offset of the log block.
    std::uint32_t append(LogSlot slot);
    /// `block` takes no more writes.
    void fail(BlockId block);
    /// The newest data of a page of `lbn` lies in `block` from now on, or no longer does. Ignores other
    /// blocks.
    void page_came(BlockId block, Lbn lbn);
    void page_left(BlockId block, Lbn lbn);

    void serialize(hal::StateArchive& archive) {
        archive(hal::list(logs_), hal::list(unused_), slot_of_block_, sequential_of_, first_of_,
                hal::list(associations_), hal::list(unused_associations_), by_age_, shareable_,
                hal::list(sequential_), taken_, writes_);
    }

  private:
    /// How many newest pages of a logical block lie in a log block; a node in the list of the logical block.
    struct Association {
        LogSlot slot;
        std::uint32_t pages = 0;
        std::uint32_t next = kNone;

        void serialize(hal::StateArchive& archive) { archive(slot, pages, next); }
    };
    struct Rank {
        std::uint64_t first = 0;  ///< lowest first
        std::uint64_t age = 0;
        LogSlot slot;
        // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted operator
        auto operator<=>(const Rank&) const = default;
        void serialize(hal::StateArchive& archive) { archive(first, age, slot); }
    };
    static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

    [[nodiscard]] bool shareable(const Log& log) const {
        return log.owner == kNoLbn && !log.full && log.associated < associativity_;
    }
    /// Applies `change` to a log block and updates its place among the blocks that can be shared.
    template <class Change>
    void update(LogSlot slot, Change change);
    /// The link to the association of `lbn` with `slot`, or the link at the end of the list.
    [[nodiscard]] std::uint32_t* link_to(Lbn lbn, LogSlot slot);
    void dissociate(std::uint32_t* link, LogSlot slot);
    void end_sequential(LogSlot slot);

    std::uint32_t pages_;
    std::uint32_t associativity_;
    std::vector<Log> logs_;
    std::vector<LogSlot> unused_;
    std::vector<LogSlot> slot_of_block_;
    std::vector<LogSlot> sequential_of_;   // by Lbn
    std::vector<std::uint32_t> first_of_;  // by Lbn: head of the list of its associations
    std::vector<Association> associations_;
    std::vector<std::uint32_t> unused_associations_;
    std::set<Rank> by_age_;
    std::set<Rank> shareable_;  // fewest associated logical blocks first
    std::vector<LogSlot> sequential_;
    std::uint64_t taken_ = 0;
    std::uint64_t writes_ = 0;
};

}  // namespace solidtlm::fw
