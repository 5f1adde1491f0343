// SPDX-License-Identifier: Apache-2.0
#include "fw/page_map/patrol.h"

#include "fw/drive/host_activity.h"
#include "fw/flash/carry_out.h"
#include "fw/runtime/alarms.h"

namespace solidtlm::fw {

Patrol::Patrol(Services& services, const SuperblockTable& table)
    : services_(services), table_(table), wake_(services.executor, "something was written") {
    while (pieces_.size() < services.layout.planes_per_pu()) {
        const auto plane = static_cast<std::uint8_t>(pieces_.size());
        pieces_.push_back(hal::FlashPiece{plane, 0, services.config.flash.page_bytes});
    }
}

Task<void> Patrol::work() {
    const MediaLayout& layout = services_.layout;
    const std::uint64_t superpages =
        std::uint64_t{layout.pus()} * layout.superblocks() * std::uint64_t{layout.pages()};
    while (true) {
        if (!due_) {
            co_await wake_.wait();
            continue;
        }
        due_ = false;
        for (std::uint64_t i = 0; i < superpages; ++i) {
            const SuperpageAddress at{
                Pu{static_cast<std::uint32_t>(i / layout.pages() % layout.pus())},
                Superblock{static_cast<std::uint32_t>(i / layout.pages() / layout.pus())},
                static_cast<std::uint32_t>(i % layout.pages())};
            if (!holds_data(at)) {
                continue;
            }
            co_await services_.alarms->until(services_.executor.now() + services_.config.reliability.patrol);
            co_await services_.activity->wait_idle();
            const BlockInfo& info = table_.info(at.pu, at.superblock);
            if (info.state == BlockState::closed && !info.collecting && holds_data(at)) {
                co_await read(at);
            }
        }
    }
}

bool Patrol::holds_data(const SuperpageAddress& at) const {
    const Ppa first = services_.layout.ppa(at, 0);
    const Ppa end{first.value + services_.layout.units_per_superpage()};
    return table_.next_valid(first, end) != end;
}

/// An erase that is requested meanwhile waits for the read in the die's queue.
Task<void> Patrol::read(SuperpageAddress at) {
    bool unreadable = false;
    const MediaLayout& layout = services_.layout;
    const bool slc = in_slc_mode(services_, at);
    for (std::uint32_t row = 0; row < layout.shape(slc).rows; ++row) {
        hal::FlashOp op = superpage_op(layout, hal::FlashOpcode::read, at, Cause::patrol, row, slc);
        op.pieces = pieces_;
        const hal::FlashStatus status = co_await carry_out(services_, op, Cause::patrol);
        unreadable |= status == hal::FlashStatus::uncorrectable;
        tell_if_weak(services_, op, at);
    }
    ++superpages_;
    unreadable_ += unreadable ? 1 : 0;
}

void Patrol::tell(hal::Metrics& metrics) const {
    metrics.counter("patrol.superpages", "superpages",
                    "superpages read to check them while the host was idle", superpages_);
    metrics.counter("patrol.unreadable", "superpages", "superpages read by patrol that ECC could not correct",
                    unreadable_);
}

}  // namespace solidtlm::fw
