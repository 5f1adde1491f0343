// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulation/event_cutter.h"

#include <algorithm>
#include <sstream>

#include "fw/drive/limits.h"
#include "fw/drive/virtual_block.h"
#include "fw/flash/spare.h"
#include "hw/tlm/time.h"
#include "hw/tlm/wake_up.h"
#include "platform/units.h"

namespace solidtlm::testbench {
namespace {

using hal::Ps;

constexpr std::array<std::string_view, 3> kOffsets{"-1ps", "", "+1ps"};

/// Whether a page is programmed under the name of one of the `blocks` virtual blocks.
bool names_shared(const hal::FlashOp& op, std::uint32_t units_per_page, std::uint32_t blocks) {
    const std::size_t page = fw::spare_bytes(units_per_page);
    for (auto left = op.spare; left.size() >= page; left = left.subspan(page)) {
        for (std::uint32_t unit = 0; unit < units_per_page; ++unit) {
            if (fw::is_shared(fw::decode_lpn(left, unit), blocks)) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

std::string to_text(const EventCut& cut) {
    std::string text(kEventKindNames.at(static_cast<std::size_t>(cut.kind)));
    text += " " + (cut.kind == EventKind::time
                       ? platform::format_duration(Ps{static_cast<std::int64_t>(cut.after)})
                       : std::to_string(cut.after));
    const std::ptrdiff_t place = std::ptrdiff_t{cut.offset_ps} + 1;
    const std::string_view offset = kOffsets.at(static_cast<std::size_t>(place));
    return text.append(offset.empty() ? "" : " ").append(offset);
}

std::optional<EventCut> parse_event_cut(std::string_view text) {
    std::istringstream in{std::string(text)};
    std::string kind;
    std::string after;
    std::string offset;
    std::string more;
    in >> kind >> after >> offset >> more;
    const auto found = std::ranges::find(kEventKindNames, kind);
    const auto found_offset = std::ranges::find(kOffsets, offset);
    if (found == kEventKindNames.end() || found_offset == kOffsets.end() || !more.empty()) {
        return std::nullopt;
    }
    EventCut cut;
    cut.kind = static_cast<EventKind>(found - kEventKindNames.begin());
    cut.offset_ps = static_cast<int>(found_offset - kOffsets.begin()) - 1;
    if (cut.kind == EventKind::time) {
        const auto duration = platform::parse_duration(after);
        cut.after = duration ? static_cast<std::uint64_t>(duration->count()) : 0;
        return duration && cut.after > 0 && offset.empty() ? std::optional(cut) : std::nullopt;
    }
    const auto count = platform::parse_count(after);
    cut.after = count.value_or(0);
    const bool known_before = cut.kind != EventKind::promise || cut.offset_ps >= 0;
    return count && known_before ? std::optional(cut) : std::nullopt;
}

// The signature is the first frame after the power came.
void EventCutter::link_frame(Ps begin, Ps end, bool /*to_device*/, std::uint8_t /*fis_type*/) {
    if (planned_ && hw::now() > planned_at_) {
        on_after_ = planned_at_ < Ps{0} ? Ps{-1} : begin - planned_at_;
        planned_ = false;
        begin_next(begin);
    } else if (!planned_ && patience_ > 0 && left() > 0 && ++waited_ > patience_) {
        ++next_;
        begin_next(begin);
    }
    look(EventKind::link_frame, end);
}

/// Starts counting for the next cut.
void EventCutter::begin_next(Ps from) {
    waited_ = 0;
    if (left() == 0) {
        return;
    }
    skip_ = cuts_[next_].after;
    if (cuts_[next_].kind == EventKind::time) {
        plan(std::max(from, hw::now()) + Ps{static_cast<std::int64_t>(skip_)});
    }
}

bool EventCutter::unlogged(const hal::FlashOp& op) const {
    const fw::Firmware& firmware = ssd_->firmware();
    return firmware.translation().log_pending() &&
           names_shared(op, firmware.layout().units_per_page(),
                        fw::virtual_blocks(ssd_->configuration().firmware));
}

bool EventCutter::waits_for(EventKind kind) const {
    return !planned_ && left() > 0 && cuts_[next_].kind == kind && ssd_->powered();
}

void EventCutter::core_slice(Ps /*begin*/, Ps /*stall_begin*/, Ps end, hal::Cause /*cause*/) {
    look(EventKind::core_slice, end);
    look(EventKind::alarm, ssd_->core.alarm_at());
}

void EventCutter::dram_served(Ps /*begin*/, Ps end, std::uint16_t port) {
    look(ssd_->dram.waiting() > 0                                  ? EventKind::dram_grant
         : port == static_cast<std::uint16_t>(hal::DramPort::host) ? EventKind::dram_host
                                                                   : EventKind::dram_flash,
         end);
}

void EventCutter::bus_held(Ps /*begin*/, Ps end, const hal::FlashOp& /*op*/, hal::BusPhase /*kind*/) {
    look(EventKind::bus_phase, end);
    look(EventKind::hash_job, ssd_->hash.done_at());
}

void EventCutter::die_released(Ps at, hal::Channel /*channel*/, hal::Die /*die*/, hal::PlaneSet /*planes*/) {
    look(EventKind::die_free, at);
}

void EventCutter::die_busy(Ps /*begin*/, Ps ready, hal::Channel /*channel*/, hal::Die /*die*/) {
    look(EventKind::die_ready, ready);
}

void EventCutter::array_busy(Ps /*begin*/, Ps end, const hal::FlashOp& op, bool suspended) {
    using hal::Cause;
    if (suspended) {
        look(EventKind::suspension, end);
        return;
    }
    look(EventKind::array, end);
    const bool programs = op.opcode == hal::FlashOpcode::program || op.opcode == hal::FlashOpcode::copy_back;
    if (op.opcode == hal::FlashOpcode::erase) {
        look(EventKind::erase, end);
    } else if (programs) {
        look(EventKind::program, end);
    }
    switch (op.cause) {
        case Cause::gc:
        case Cause::wear:
            if (programs && waits_for(EventKind::unlogged) && unlogged(op)) {
                look(EventKind::unlogged, end);
            }
            return look(EventKind::collection, end);
        case Cause::merge:
            return look(EventKind::merge, end);
        case Cause::map:
            return look(EventKind::map, end);
        case Cause::recovery:
            return look(EventKind::recovery, end);
        default:
            return;
    }
}

void EventCutter::look(EventKind kind, Ps end) {
    if (!waits_for(kind) || end == hw::WakeUp::kNever || end <= hw::now() + Ps{1}) {
        return;
    }
    if (counted()) {
        plan(end + Ps{cuts_[next_].offset_ps});
    }
}

bool EventCutter::counted() {
    if (skip_ > 0) {
        --skip_;
        return false;
    }
    return true;
}

/// The verifier comes before this observer, so it already knows of the promise.
void EventCutter::completed(Command& command) {
    if (!waits_for(EventKind::promise) || command.status != CommandStatus::ok) {
        return;
    }
    const bool writes_through =
        ssd_->configuration().firmware.write_buffer.policy == fw::WriteCachePolicy::write_through;
    const bool promises = command.operation == Operation::flush || command.operation == Operation::trim ||
                          (command.operation == Operation::write && (command.fua || writes_through));
    if (promises && counted()) {
        plan(hw::now() + Ps{cuts_[next_].offset_ps});
    }
}

/// A cut at an instant other than the planned one was made by another cause.
void EventCutter::power_cut(CutInstant instant) {
    if (planned_ && planned_at_ == hw::now()) {
        happened_.push_back({cuts_[next_ - 1], instant});
    }
}

void EventCutter::plan(Ps at) {
    planned_at_ = at;
    planned_ = true;
    ++next_;
    cycler_->cut_at(at);
}

}  // namespace solidtlm::testbench
