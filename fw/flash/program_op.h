// SPDX-License-Identifier: Apache-2.0
//
// Programs one superpage: data from DRAM, metadata into the spare areas.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "fw/drive/dram_map.h"
#include "fw/drive/environment.h"
#include "fw/flash/spare.h"

namespace solidtlm::fw {

/// An operation on every plane of a superpage, or superblock.
hal::FlashOp superpage_op(const MediaLayout& layout, hal::FlashOpcode opcode, const SuperpageAddress& at,
                          Cause cause);

/// A mapping unit to program: padding when `lpn` is kNoLpn.
struct UnitWrite {
    Lpn lpn{kNoLpn};
    DramAddress dram{hal::FlashPiece::kPadding};
};

/// Must outlive the operation.
class ProgramOp {
  public:
    /// Builds the operation for `units` (units_per_superpage of them) at `at`.
    void prepare(const Environment& environment, const SuperpageAddress& at, std::span<const UnitWrite> units,
                 const SpareHeader& header, Cause cause);
    /// The same on some planes of the superpage only: `units` holds units_per_page for each of `planes`
    /// (ascending, 0 ... planes_per_pu - 1).
    void prepare(const Environment& environment, const SuperpageAddress& at,
                 std::span<const std::uint8_t> planes, std::span<const UnitWrite> units,
                 const SpareHeader& header, Cause cause);
    hal::FlashOp& op() { return op_; }

  private:
    hal::FlashOp op_;
    std::vector<hal::FlashPiece> pieces_;
    std::array<std::byte, hal::kMaxPlanesPerOp * hal::kMaxSpareBytes> spare_{};
};

/// "flash operation: program of channel 0 die 1 plane 0 block 2 page 3 (host)".
std::string describe_wait(const hal::FlashOp& op);

/// Waits for a flash operation: co_await FlashAwaiter(environment, op).
class FlashAwaiter : public Waitable {
  public:
    FlashAwaiter(Environment& environment, hal::FlashOp& op)
        : flash_(*environment.flash), op_(op), resumption_(environment.executor) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> handle) {
        op_.done = resumption_.completion(handle.promise(), *this);
        flash_.submit(op_);
    }
    [[nodiscard]] hal::FlashStatus await_resume() const noexcept { return op_.status; }
    [[nodiscard]] std::string describe() const override { return describe_wait(op_); }

  private:
    hal::Flash& flash_;
    hal::FlashOp& op_;
    Resumption resumption_;
};

}  // namespace solidtlm::fw
