// SPDX-License-Identifier: Apache-2.0
#include "fw/translation/buffer_fill.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "fw/hal/check.h"

namespace solidtlm::fw {

std::uint32_t BufferFill::prepare(std::span<const Slot> slots) {
    std::uint32_t partly_written = 0;
    slots_ = slots.size();
    reads_.clear();
    for (const Slot slot : slots) {
        SectorMask missing = buffer_.memory().full_mask() & ~buffer_[slot].valid;
        partly_written += missing != 0 ? 1 : 0;
        while (missing != 0) {
            const auto first = static_cast<std::uint32_t>(std::countr_zero(missing));
            const auto count = static_cast<std::uint32_t>(std::countr_one(missing >> first));
            const DramAddress dram{buffer_.address(slot).value + std::uint64_t{first} * hal::kSectorBytes};
            reads_.push_back(LogicalRead{buffer_[slot].lpn, dram, first, count});
            missing &= count == 64 ? 0 : ~(((SectorMask{1} << count) - 1) << first);
        }
    }
    return partly_written;
}

Task<void> BufferFill::run(std::span<const Slot> slots, LogicalReader& reader, Ledger* ledger) {
    SOLIDTLM_CHECK(slots.size() == slots_, "run() follows prepare() for the same slots");
    return reads_.empty() ? Task<void>::ended() : read(slots, reader, ledger);
}

Task<void> BufferFill::read(std::span<const Slot> slots, LogicalReader& reader, Ledger* ledger) {
    Charge charge;
    co_await reader.begin_read(reads_, join_, ledger, true, charge);
    const Ledger* last = co_await join_.wait();
    if (ledger != nullptr && last != nullptr && reader.operations() > 1) {
        ledger->join(*last, Stage::firmware_wait);
    }
    const std::span<const LogicalRead> unreadable = reader.unreadable();
    unreadable_.assign(unreadable.begin(), unreadable.end());
    if (!unreadable_.empty() && reads_.size() > 1) {
        co_await read_alone(reader, ledger);
    }
    settle(slots);
}

/// A page fails as a whole if one of the requested parts cannot be corrected. The other parts may still be
/// readable by themselves.
Task<void> BufferFill::read_alone(LogicalReader& reader, Ledger* ledger) {
    std::vector<LogicalRead> still;
    for (const LogicalRead& read : unreadable_) {
        Charge charge;
        co_await reader.begin_read(std::span(&read, 1), join_, ledger, true, charge);
        co_await join_.wait();
        if (!reader.unreadable().empty()) {
            still.push_back(read);
        }
    }
    unreadable_ = std::move(still);
}

void BufferFill::settle(std::span<const Slot> slots) {
    for (const Slot slot : slots) {
        if (std::ranges::find(unreadable_, buffer_[slot].lpn, &LogicalRead::lpn) == unreadable_.end()) {
            buffer_.filled(slot);
        }
    }
}

}  // namespace solidtlm::fw
