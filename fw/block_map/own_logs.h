// SPDX-License-Identifier: Apache-2.0
//
// Log blocks that belong to one logical block each, in the order of their last writes.
#pragma once

#include <vector>

#include "fw/block_map/block_layer.h"
#include "fw/block_map/recency.h"

namespace solidtlm::fw {

class OwnLogs {
  public:
    struct Log {
        Lbn owner{kNoLbn};
        BlockId block{kNoBlock};
        std::uint32_t next = 0;  ///< offset of the next page
        bool in_place = true;    ///< every page lies at its own offset

        void serialize(hal::StateArchive& archive) { archive(owner, block, next, in_place); }
    };

    explicit OwnLogs(std::uint32_t logical_blocks) : slot_of_(logical_blocks, kNone) {}

    [[nodiscard]] std::uint32_t size() const {
        return static_cast<std::uint32_t>(logs_.size() - unused_.size());
    }
    /// Null if `lbn` has none. Valid until the next add().
    [[nodiscard]] Log* find(Lbn lbn) {
        const std::uint32_t slot = slot_of_[lbn.value];
        return slot == kNone ? nullptr : &logs_[slot];
    }
    [[nodiscard]] const Log* find(Lbn lbn) const {
        const std::uint32_t slot = slot_of_[lbn.value];
        return slot == kNone ? nullptr : &logs_[slot];
    }
    /// The owner of the log block that was written least recently. REQUIRES: at least one log block.
    [[nodiscard]] Lbn least_recent() const { return logs_[recency_.least_recent()].owner; }

    Log& add(Lbn lbn, BlockId block) {
        auto slot = static_cast<std::uint32_t>(logs_.size());
        if (unused_.empty()) {
            logs_.emplace_back();
        } else {
            slot = unused_.back();
            unused_.pop_back();
        }
        logs_[slot] = Log{lbn, block};
        slot_of_[lbn.value] = slot;
        recency_.add(slot);
        return logs_[slot];
    }
    void remove(Lbn lbn) {
        const std::uint32_t slot = slot_of_[lbn.value];
        recency_.remove(slot);
        unused_.push_back(slot);
        slot_of_[lbn.value] = kNone;
    }
    /// The log block of `lbn` has been written.
    void touch(Lbn lbn) { recency_.use(slot_of_[lbn.value]); }

    void serialize(hal::StateArchive& archive) {
        archive(slot_of_, hal::list(logs_), hal::list(unused_), recency_);
    }

  private:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

    std::vector<std::uint32_t> slot_of_;  // by Lbn
    std::vector<Log> logs_;
    std::vector<std::uint32_t> unused_;  // slots of logs_
    Recency recency_;                    // of slots
};

}  // namespace solidtlm::fw
