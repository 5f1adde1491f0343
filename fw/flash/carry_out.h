// SPDX-License-Identifier: Apache-2.0
//
// How firmware carries out a flash operation: the core builds a descriptor and hands it over
// (CycleCosts::flash_issue), waits, and handles the completion (flash_complete).
//
// - carry_out() takes all three steps.
// - Code that charges the core for a descriptor together with other work spends those cycles itself and waits
//   with a FlashAwaiter.
// - start() submits one of several operations that a Join waits for.
#pragma once

#include <string>

#include "fw/drive/services.h"
#include "fw/runtime/join.h"

namespace solidtlm::fw {

/// A read of one row of a superpage, in SLC mode or in normal mode, or the erase of a superblock, on all its
/// planes.
hal::FlashOp superpage_op(const MediaLayout& layout, hal::FlashOpcode opcode, const SuperpageAddress& at,
                          Cause cause, std::uint32_t row = 0, bool slc = false);

/// An operation on one plane, in the map area or the recovery log.
inline hal::FlashOp plane_op(const Services& services, hal::FlashOpcode opcode, const hal::FlashAddress& at) {
    hal::FlashOp op;
    op.opcode = opcode;
    op.slc = opcode != hal::FlashOpcode::erase && services.config.flash.slc_areas();
    op.address[0] = at;
    return op;
}

/// More that carry_out() does.
struct Besides {
    std::uint64_t before = 0;  ///< cycles that the core spends together with flash_issue
    std::uint64_t after = 0;   ///< cycles that it spends together with flash_complete
    hal::Completion ended{};   ///< called at the instant when the operation ends, if not empty
};

/// Carries out `op` on behalf of `cause`. `ledger` (may be null) shows the core's work; the hardware marks
/// it, too, unless `op` has a ledger of its own. Returns op.status.
Task<hal::FlashStatus> carry_out(Services& services, hal::FlashOp& op, Cause cause, Ledger* ledger = nullptr,
                                 Besides besides = {});

/// Submits `op`; its end counts once in `join`.
inline void start(Services& services, hal::FlashOp& op, Join& join) {
    join.add();
    op.done = join.completion();
    services.flash->submit(op);
}

/// co_await FlashAwaiter(services, op) submits `op`, waits for its end and returns op.status.
class FlashAwaiter : public Waitable {
  public:
    /// `ended` (may be empty) is called at the instant when the operation ends.
    FlashAwaiter(Services& services, hal::FlashOp& op, hal::Completion ended = {})
        : services_(services), op_(op), ended_(ended) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> handle) {
        waiter_ = &handle.promise();
        services_.executor.suspend(*waiter_, *this);
        op_.done = hal::Completion{[](void* self) { static_cast<FlashAwaiter*>(self)->end(); }, this};
        services_.flash->submit(op_);
    }
    [[nodiscard]] hal::FlashStatus await_resume() const noexcept { return op_.status; }
    /// "flash operation: program of channel 0 die 1 plane 0 block 2 page 3 (host)".
    [[nodiscard]] std::string describe() const override;

  private:
    void end() const {
        if (ended_) {
            ended_();
        }
        services_.executor.post(*waiter_);
    }

    Services& services_;
    hal::FlashOp& op_;
    hal::Completion ended_;
    Coroutine* waiter_ = nullptr;
};

}  // namespace solidtlm::fw
