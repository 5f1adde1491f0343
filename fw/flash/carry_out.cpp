// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/carry_out.h"

namespace solidtlm::fw {

hal::FlashOp superpage_op(const MediaLayout& layout, hal::FlashOpcode opcode, const SuperpageAddress& at,
                          Cause cause, std::uint32_t row, bool slc) {
    hal::FlashOp op;
    op.opcode = opcode;
    op.cause = cause;
    op.slc = slc;
    op.planes = static_cast<std::uint8_t>(layout.planes_per_pu());
    for (std::uint8_t plane = 0; plane < op.planes; ++plane) {
        op.address[plane] = layout.address(at, layout.page_of_row(row, plane), slc);
    }
    return op;
}

Task<hal::FlashStatus> carry_out(Services& services, hal::FlashOp& op, Cause cause, Ledger* ledger,
                                 Besides besides) {
    const CycleCosts& cycles = services.config.cycles;
    op.cause = cause;
    op.ledger = op.ledger == nullptr ? ledger : op.ledger;
    co_await services.executor.spend(cycles.flash_issue + besides.before, ledger, cause);
    FlashAwaiter ended(services, op, besides.ended);
    const hal::FlashStatus status = co_await ended;
    co_await services.executor.spend(cycles.flash_complete + besides.after, ledger, cause);
    co_return status;
}

std::string FlashAwaiter::describe() const {
    const hal::FlashAddress& at = op_.address[0];
    const auto number = [](const char* what, std::uint32_t value) {
        return std::string(what) + std::to_string(value);
    };
    return "flash operation: " + std::string(name_of(op_.opcode)) + number(" of channel ", at.channel.value) +
           number(" die ", at.die.value) + number(" plane ", at.plane.value) +
           number(" block ", at.block.value) + number(" page ", at.page.value) + " (" +
           std::string(hal::kCauseNames[static_cast<std::size_t>(op_.cause)]) + ")";
}

}  // namespace solidtlm::fw
