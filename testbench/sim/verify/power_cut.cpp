// SPDX-License-Identifier: Apache-2.0
//
// The verifier's rules of durability.
#include <utility>

#include "fw/hal/check.h"
#include "testbench/sim/verify/verifier.h"

namespace solidtlm::testbench {

/// A command has completed. If a power cut can undo its change, the previous state is stored.
void Verifier::keep_until_durable(const Command& command) {
    const std::uint32_t writer = writer_of(command);
    if (command.operation == Operation::flush) {
        flushed(command);
    } else if (command.operation == Operation::write && config_.volatile_cache && !command.fua) {
        unsafe_.push_back(Unsafe{writer, {before_write(command)}});
    } else if (command.operation == Operation::trim && config_.trims == TrimDurability::never) {
        lazy_trims_.push_back(writer);
    } else if (command.operation == Operation::trim && config_.trims == TrimDurability::after_flush) {
        unsafe_.push_back(Unsafe{writer, std::move(trims_[command.sequence])});
    }
}

/// Everything that had completed when the flush was issued is durable.
void Verifier::flushed(const Command& command) {
    const std::uint64_t durable = flushes_[command.sequence];
    while (made_durable_ < durable) {
        unsafe_.pop_front();
        ++made_durable_;
    }
}

void Verifier::written_back() {
    made_durable_ += unsafe_.size();
    unsafe_.clear();
}

void Verifier::power_cut() {
    SOLIDTLM_CHECK(config_.power_cuts, "power cuts were announced");
    for (Unsafe& change : unsafe_) {
        doubts_.add(change.writer, std::move(change.before), Doubts::Why::lost, next_sequence_);
    }
    made_durable_ += unsafe_.size();
    unsafe_.clear();
    flushes_.clear();
    for (const std::uint32_t writer : lazy_trims_) {
        doubts_.add_anything(writer);
    }
    lazy_trims_.clear();
    cut_at_ = next_sequence_;
}

/// After a power cut left a sector's content open, it holds from now on what was found. Writer 0, which has
/// no alternatives, marks that.
void Verifier::settle(const Command& read, std::uint64_t lba, const SectorState& expected,
                      std::uint64_t found) {
    const bool since_cut = cut_at_ > 0 && number_of(read) >= cut_at_;
    if (since_cut && expected.writer != 0 && expected.writer < SectorState::kFirstCommand + cut_at_ &&
        expected.kind != SectorState::Kind::anything && shadow_.get(lba).writer == expected.writer) {
        shadow_.set(lba, SectorState{found, 0, SectorState::Kind::known});
    }
}

/// Skips sectors that a command sent since the cut will change: that command may not have been carried out
/// yet.
void Verifier::audit(Lba lba, std::span<const std::byte> content) {
    const std::size_t stride = hal::content_stride(config_.content);
    const std::uint64_t sectors = stride == 0 ? 0 : content.size() / stride;
    const auto since_cut = [this, lba](std::uint64_t sector) {
        return shadow_.get(lba.value + sector).writer >= SectorState::kFirstCommand + cut_at_;
    };
    const VerifierCounts before = counts_;
    for (std::uint64_t sector = 0; sector < sectors;) {
        std::uint64_t end = sector;
        while (end < sectors && !since_cut(end)) {
            ++end;
        }
        check(Lba{lba.value + sector}, content.subspan(sector * stride, (end - sector) * stride));
        sector = end + 1;
    }
    counts_.audited_sectors += counts_.sectors_checked - before.sectors_checked;
    counts_.sectors_checked = before.sectors_checked;
    counts_.reads_checked = before.reads_checked;
    counts_.unchecked_trimmed = before.unchecked_trimmed;
}

}  // namespace solidtlm::testbench
