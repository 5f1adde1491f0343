// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/event_cutter.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "fw/dedup/virtual_block.h"
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

void EventCutter::attach(platform::Ssd& ssd, PowerCycler& cycler) {
    ssd_ = &ssd;
    cycler_ = &cycler;
    cycler.tell(*this);
    judgement_.emplace(cycler, *this, hw::kCall<&EventCutter::judge>);
}

// The signature is the first frame after the power came.
void EventCutter::link_frame(Ps begin, Ps end, bool /*to_device*/, std::uint8_t /*fis_type*/) {
    const bool heard = planned_ && hw::now() > planned_at_;
    if (heard || (!planned_ && patience_ > 0 && left() > 0 && ++waited_ > patience_)) {
        const Frame frame{begin, end};
        turns_ = std::min(frame, turns_.value_or(frame));
        judge_after_this_instant();
    }
    look(EventKind::link_frame, end);
}

void EventCutter::judge_after_this_instant() {
    if (!judgement_->armed()) {
        judgement_->arm_first(hw::now() + Ps{1});
    }
}

void EventCutter::judge() {
    std::ranges::sort(noted_);
    for (const Ps noted : noted_) {
        count(noted);
    }
    noted_.clear();
    if (const auto frame = std::exchange(turns_, std::nullopt); frame) {
        turn(*frame);
    }
}

void EventCutter::turn(const Frame& frame) {
    if (planned_ && hw::now() > planned_at_ + Ps{1}) {
        on_after_ = planned_at_ < Ps{0} ? Ps{-1} : frame.begin - planned_at_;
        planned_ = false;
    } else if (!planned_) {
        ++next_;
    } else {
        return;  // the cut has been planned at this instant
    }
    begin_next(frame.begin);
    if (waits_for(EventKind::link_frame)) {
        count(frame.end);
    }
}

/// A cut at the very end of something comes before what the end wakes.
void EventCutter::count(Ps noted) {
    const std::optional<Ps> end = planned_ ? std::nullopt : end_of(noted);
    if (end && counted()) {
        plan(*end + Ps{cuts_[next_].offset_ps}, PowerCycler::Place::first);
    }
}

/// Starts counting for the next cut.
void EventCutter::begin_next(Ps from) {
    waited_ = 0;
    if (left() == 0) {
        return;
    }
    skip_ = cuts_[next_].after;
    if (cuts_[next_].kind == EventKind::time) {
        plan(std::max(from, hw::now() - Ps{1}) + Ps{static_cast<std::int64_t>(skip_)},
             PowerCycler::Place::as_asked);
    }
}

bool EventCutter::names_shared_pages(const hal::FlashOp& op) const {
    return names_shared(op, ssd_->firmware().layout().units_per_page(),
                        ssd_->configuration().firmware.dedup.shared_pages());
}

bool EventCutter::waits_for(EventKind kind) const {
    return !planned_ && left() > 0 && cuts_[next_].kind == kind && ssd_->powered();
}

void EventCutter::core_slice(Ps /*begin*/, Ps /*stall_begin*/, Ps end, hal::Cause /*cause*/) {
    look(EventKind::core_slice, end);
    look(EventKind::alarm, end);
}

void EventCutter::dram_served(Ps /*begin*/, Ps end, std::uint16_t port) {
    look(EventKind::dram_grant, end);
    look(port == static_cast<std::uint16_t>(hal::DramPort::host) ? EventKind::dram_host
                                                                 : EventKind::dram_flash,
         end);
}

void EventCutter::bus_held(Ps /*begin*/, Ps end, const hal::FlashOp& /*op*/, hal::BusPhase /*kind*/) {
    look(EventKind::bus_phase, end);
    look(EventKind::hash_job, end);
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
            if (programs && waits_for(EventKind::unlogged) && names_shared_pages(op)) {
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
    if (waits_for(kind)) {
        noted_.push_back(end);
        judge_after_this_instant();
    }
}

std::optional<Ps> EventCutter::end_of(Ps noted) const {
    Ps end = noted;
    bool counts = true;
    switch (cuts_[next_].kind) {
        case EventKind::alarm:
            end = ssd_->core.alarm_at();
            break;
        case EventKind::hash_job:
            end = ssd_->hash.done_at();
            break;
        case EventKind::dram_grant:
            counts = ssd_->dram.waiting() > 0;
            break;
        case EventKind::dram_host:
        case EventKind::dram_flash:
            counts = ssd_->dram.waiting() == 0;
            break;
        case EventKind::unlogged:
            counts = ssd_->firmware().translation().log_pending();
            break;
        default:
            break;
    }
    return counts && end != hw::WakeUp::kNever && end > hw::now() ? std::optional(end) : std::nullopt;
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
        plan(hw::now() + Ps{cuts_[next_].offset_ps}, PowerCycler::Place::as_asked);
    }
}

/// A cut at an instant other than the planned one was made by another cause.
void EventCutter::power_cut(CutInstant instant) {
    if (planned_ && planned_at_ == hw::now()) {
        happened_.push_back({cuts_[next_ - 1], instant});
    }
    noted_.clear();
    turns_.reset();
    judgement_->disarm();
}

void EventCutter::plan(Ps at, PowerCycler::Place place) {
    planned_at_ = at;
    planned_ = true;
    ++next_;
    cycler_->cut_at(at, place);
}

}  // namespace solidtlm::testbench
