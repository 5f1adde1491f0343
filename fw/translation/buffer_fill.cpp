// SPDX-License-Identifier: Apache-2.0
#include "fw/translation/buffer_fill.h"

#include <algorithm>
#include <bit>
#include <cstring>

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
    SOLIDTLM_CHECK(slots.size() == slots_, "it was prepared for these slots");
    return reads_.empty() ? Task<void>::ended() : read(slots, reader, ledger);
}

Task<void> BufferFill::read(std::span<const Slot> slots, LogicalReader& reader, Ledger* ledger) {
    Charge charge;
    co_await reader.begin_read(reads_, join_, ledger, true, charge);
    const Ledger* last = co_await join_.wait();
    if (ledger != nullptr && last != nullptr && reader.operations() > 1) {
        ledger->join(*last, Stage::firmware_wait);
    }
    if (!reader.collect(reads_) && reads_.size() > 1) {
        co_await read_alone(reader, ledger);
    }
    settle(slots);
}

/// A page fails as a whole if some of what is asked for there cannot be corrected: what lies beside it may
/// well be read alone.
Task<void> BufferFill::read_alone(LogicalReader& reader, Ledger* ledger) {
    for (LogicalRead& read : reads_) {
        if (read.unreadable) {
            const std::span<LogicalRead> one(&read, 1);
            Charge charge;
            co_await reader.begin_read(one, join_, ledger, true, charge);
            co_await join_.wait();
            reader.collect(one);
        }
    }
}

void BufferFill::settle(std::span<const Slot> slots) {
    const std::size_t stride = hal::content_stride(environment_.config.content);
    for (const LogicalRead& read : reads_) {
        if (!read.mapped && stride != 0) {
            std::memset(environment_.dram->content(read.dram), 0, read.sectors * stride);
        }
    }
    for (const Slot slot : slots) {
        const bool whole = std::none_of(reads_.begin(), reads_.end(), [&](const LogicalRead& read) {
            return read.unreadable && read.lpn == buffer_[slot].lpn;
        });
        if (whole) {
            buffer_.filled(slot);
        }
    }
}

}  // namespace solidtlm::fw
