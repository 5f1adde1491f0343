// SPDX-License-Identifier: Apache-2.0
//
// FAST (Lee et al. 2007): one sequential log block with an owner, and random log blocks that all logical
// blocks share, cleared in the order in which they were taken.
#include <deque>

#include "fw/block_map/in_place_layer.h"

namespace solidtlm::fw {
namespace {

class Fast final : public InPlaceLayer {
  public:
    using InPlaceLayer::InPlaceLayer;

  private:
    struct RandomLog {
        BlockId block;
        std::uint32_t next = 0;  ///< offset of the next page

        void serialize(hal::StateArchive& archive) { archive(block, next); }
    };

    void serialize(hal::StateArchive& archive) override {
        InPlaceLayer::serialize(archive);
        archive(sequential_, owner_, sequential_next_, hal::list(random_));
    }
    [[nodiscard]] bool has_room(BlockId block, std::uint32_t next) const {
        return next < books_.pages() && !books_.failed(block);
    }

    bool log_merge(Lbn lbn, std::uint32_t offset, Merge& merge) override {
        const bool starts = offset == 0 && owner_ != kNoLbn;
        const bool strays =
            owner_ == lbn && !(offset == sequential_next_ && has_room(sequential_, sequential_next_));
        if (starts || strays) {
            describe_merge(owner_, merge);
            return true;
        }
        if (offset == 0 || owner_ == lbn || newest_has_room() || random_.size() + 1 < log_limit()) {
            return false;
        }
        begin_clearing(random_.front().block, merge);
        return true;
    }

    BlockPage log_place(Lbn lbn, std::uint32_t offset) override {
        if (offset == 0) {
            sequential_ = books_.take(BlockRole::log);
            owner_ = lbn;
            sequential_next_ = 0;
        }
        if (owner_ == lbn) {
            return {sequential_, sequential_next_++};
        }
        if (!newest_has_room()) {
            random_.push_back({books_.take(BlockRole::log)});
        }
        return {random_.back().block, random_.back().next++};
    }

    [[nodiscard]] bool newest_has_room() const {
        return !random_.empty() && has_room(random_.back().block, random_.back().next);
    }
    [[nodiscard]] BlockId own_log(Lbn lbn) const override { return owner_ == lbn ? sequential_ : kNoBlock; }
    [[nodiscard]] bool can_complete(Lbn lbn) const override {
        return owner_ == lbn && !books_.failed(sequential_);
    }
    [[nodiscard]] bool is_complete(Lbn lbn) const override {
        return can_complete(lbn) && sequential_next_ == books_.pages();
    }
    void forget_own_log(Lbn /*lbn*/) override {
        sequential_ = kNoBlock;
        owner_ = kNoLbn;
    }
    void forget_shared_log(BlockId /*block*/) override { random_.pop_front(); }
    [[nodiscard]] std::string check_logs() const override {
        const std::size_t logs = random_.size() + (sequential_ != kNoBlock ? 1 : 0);
        return logs == log_blocks() ? "" : "a log block belongs to no logical block";
    }

    BlockId sequential_{kNoBlock};
    Lbn owner_{kNoLbn};
    std::uint32_t sequential_next_ = 0;
    std::deque<RandomLog> random_;  // oldest first
};

}  // namespace

extern const TranslationLayer kFastTranslationLayer{
    {{"fast", "log blocks shared by all logical blocks"}, {.least_logs = 2}}, make_layer<Fast>};

}  // namespace solidtlm::fw
