// SPDX-License-Identifier: Apache-2.0
//
// KAST (Cho, Shin, Eom 2009): as FAST, but a random log block holds pages of few logical blocks, and there
// may be several sequential log blocks.
#include "fw/block_map/in_place_layer.h"
#include "fw/block_map/kast_logs.h"

namespace solidtlm::fw {
namespace {

class Kast final : public InPlaceLayer {
  public:
    Kast(const FirmwareConfig& config, const BlockGeometry& geometry)
        : InPlaceLayer(config, geometry),
          most_sequential_(config.block_map.sequential_logs),
          logs_(geometry, books_.logical_blocks(), config.block_map.associativity) {}

  private:
    void serialize(hal::StateArchive& archive) override {
        InPlaceLayer::serialize(archive);
        archive(logs_);
    }
    [[nodiscard]] bool may_take() const { return logs_.size() < log_limit(); }
    [[nodiscard]] bool continues(LogSlot sequential, std::uint32_t offset) const {
        return offset == logs_[sequential].next && !logs_[sequential].full;
    }

    bool log_merge(Lbn lbn, std::uint32_t offset, Merge& merge) override {
        const LogSlot own = logs_.sequential_of(lbn);
        if (offset == 0) {
            return start_merge(lbn, own, merge);
        }
        if (own != kNoLogSlot) {
            if (continues(own, offset)) {
                return false;
            }
            logs_.make_random(own);
        }
        if (logs_.choose(lbn) != kNoLogSlot || may_take() || logs_.least_shared() != kNoLogSlot) {
            return false;
        }
        clear_oldest(merge);
        return true;
    }
    /// Describes the merge that a new sequential log block of `lbn` needs first; false if none.
    bool start_merge(Lbn lbn, LogSlot own, Merge& merge) {
        if (own != kNoLogSlot) {
            describe_merge(lbn, merge);
            return true;
        }
        if (logs_.sequential() >= most_sequential_) {
            describe_merge(logs_[logs_.least_recent_sequential()].owner, merge);
            return true;
        }
        if (may_take()) {
            return false;
        }
        clear_oldest(merge);
        return true;
    }
    void clear_oldest(Merge& merge) {
        const KastLogs::Log& log = logs_[logs_.oldest()];
        if (log.owner != kNoLbn) {
            describe_merge(log.owner, merge);
        } else {
            begin_clearing(log.block, merge);
        }
    }

    BlockPage log_place(Lbn lbn, std::uint32_t offset) override {
        LogSlot slot = offset == 0 ? kNoLogSlot : logs_.sequential_of(lbn);
        if (offset != 0 && slot == kNoLogSlot) {
            slot = logs_.choose(lbn);
            if (slot == kNoLogSlot && !may_take()) {
                slot = logs_.least_shared();
            }
        }
        if (slot == kNoLogSlot) {
            slot = logs_.add(books_.take(BlockRole::log), offset == 0 ? lbn : kNoLbn);
        }
        return {logs_[slot].block, logs_.append(slot)};
    }

    [[nodiscard]] BlockId own_log(Lbn lbn) const override {
        const LogSlot slot = logs_.sequential_of(lbn);
        return slot == kNoLogSlot ? kNoBlock : logs_[slot].block;
    }
    [[nodiscard]] bool can_complete(Lbn lbn) const override {
        const BlockId log = own_log(lbn);
        return log != kNoBlock && !books_.failed(log);
    }
    [[nodiscard]] bool is_complete(Lbn lbn) const override {
        return can_complete(lbn) && logs_[logs_.sequential_of(lbn)].next == books_.pages();
    }
    void forget_own_log(Lbn lbn) override { logs_.remove(own_log(lbn)); }
    void forget_shared_log(BlockId block) override { logs_.remove(block); }
    void page_came(BlockId block, Lbn lbn) override { logs_.page_came(block, lbn); }
    void page_left(BlockId block, Lbn lbn) override { logs_.page_left(block, lbn); }
    void block_failed(BlockId block) override { logs_.fail(block); }
    [[nodiscard]] std::string check_logs() const override {
        return logs_.size() == log_blocks() ? "" : "a log block belongs to no logical block";
    }

    std::uint32_t most_sequential_;
    KastLogs logs_;
};

}  // namespace

extern const TranslationLayer kKastTranslationLayer{
    {{"kast", "log blocks shared by a few logical blocks each"}, {.least_logs = 2}}, make_layer<Kast>};

}  // namespace solidtlm::fw
