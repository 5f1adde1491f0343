// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/link.h"

#include <algorithm>

namespace solidtlm::hw {
namespace {

constexpr const char* kLinkReport = "/ssd/link";

bool is_control(std::uint8_t type) {
    return type == static_cast<std::uint8_t>(FisType::register_d2h) ||
           type == static_cast<std::uint8_t>(FisType::set_device_bits) ||
           type == static_cast<std::uint8_t>(FisType::dma_activate);
}

void leave_wire(const SataFrame& frame, Ps at) {
    if (frame.ledger != nullptr) {
        frame.ledger->enter(hal::Stage::link_wait, at);
    }
}

}  // namespace

void LinkDirectionStatistics::tell(hal::Metrics& metrics, const std::string& direction) const {
    for (std::size_t type = 0; type < kFisTypes; ++type) {
        metrics.counter(direction + ".frames." + std::string(fis_name(type)), "frames",
                        "frames sent, each with one turnaround", frames[type]);
    }
    metrics.counter(direction + ".payload_bytes", "B", "payload of Data FISes", payload_bytes);
    metrics.time(direction + ".busy_us", "time that the line was busy, framing and turnaround included",
                 busy);
}

void LinkStatistics::tell(hal::Metrics& metrics) const {
    to_device.tell(metrics, "link.to_device");
    to_host.tell(metrics, "link.to_host");
    if (sleep) {
        sleep->tell(metrics);
    }
}

SataLink::SataLink(const sc_core::sc_module_name& name, const SataConfig& config)
    : AgendaModule(name),
      host(*this, Side::host),
      device(*this, Side::device),
      timing_(config),
      power_(config.power),
      speed_(static_cast<std::uint8_t>(std::min(config.generation, SataGeneration::gen3))) {}

LinkStatistics SataLink::statistics() const {
    run_machine();
    LinkStatistics result = statistics_;
    if (power_.any()) {
        result.sleep = power_.slept_until(std::min(idle_since(), now()), now());
    }
    if (wire_ != nullptr) {
        result.of(sender_).busy -= std::max(frame_end_ - now(), Ps{0});
    }
    return result;
}

std::size_t SataLink::pending() const {
    run_machine();
    std::size_t frames = wire_ != nullptr ? 1 : 0;
    for (const FrameList& lane : lanes_) {
        for (const SataFrame* frame = lane.first(); frame != nullptr; frame = frame->next) {
            ++frames;
        }
    }
    return frames;
}

Ps SataLink::idle_since() const {
    const bool idle = wire_ == nullptr && all_sent() && frame_end_ >= Ps{0} && at_rest_();
    return idle ? std::max(frame_end_, up_at_) : WakeUp::kNever;
}

void SataLink::wake(Ps at) {
    if (const Ps since = idle_since(); since < at) {
        up_at_ = at + power_.wake(since, at);
    }
}

void SataLink::end_sleep() {
    run_machine();
    if (const Ps since = idle_since(); power_.any() && since < now()) {
        power_.end(since, now());
    }
    up_at_ = Ps{0};
}

void SataLink::power_cut() {
    run_machine();
    for (FrameList& lane : lanes_) {
        while (lane.first() != nullptr) {
            forget(lane.pop());
        }
    }
    others_ = 0;
    if (wire_ != nullptr) {
        forget(end_wire());
    }
    while (!lost_.empty()) {
        forget(*lost_.pop().frame);
    }
    host.power_cut();
    device.power_cut();
    down_ = false;
    drop_work();
    frame_end_ = Ps{-1};  // no frame has ended: both sides start as on an idle link
    wake_.disarm();
    tell_machine();
}

SataFrame& SataLink::end_wire() {
    statistics_ = statistics();  // the frame counts until now
    return *std::exchange(wire_, nullptr);
}

void SataLink::forget(SataFrame& frame) {
    LinkSide::forget(frame);
    frames_.give_back(frame);
}

void SataLink::take(Side sender, const SataFrame& frame, Ps at) {
    SOLIDTLM_CHECK(frame.header.length > 0, "a frame has a header");
    if (holds_ == 0) {
        run_machine();
    }
    SataFrame& taken = frames_.take(frame);
    if (down_) {
        lose(sender, taken);
        return;
    }
    const Lane lane = sender == Side::host                ? host_lane
                      : is_control(frame.header.bytes[0]) ? device_control
                                                          : device_data;
    taken.queued = at;
    if (sender == Side::host && power_.any()) {
        wake(at);
    }
    lanes_[lane].push(taken);
    others_ += frame.in_phase ? 0U : 1U;
    if (frame.ledger != nullptr && frame.ledger->current() != hal::Stage::link_transfer) {
        frame.ledger->enter(at < up_at_ ? hal::Stage::link_wake : hal::Stage::link_wait, at);
    }
    if (wire_ == nullptr) {
        if (holds_ == 0) {
            wake_.arm(std::max(at, up_at_));
        }
    } else if (!frame.in_phase && late_end() != WakeUp::kNever) {
        arm_end();
        if (holds_ == 0) {
            tell_machine();
        }
    }
}

std::uint8_t SataLink::signalled(LinkSignal signal) {
    run_machine();
    device.signal(signal);
    if (signal == LinkSignal::comreset) {
        go_down();
        return 0;
    }
    down_ = false;
    return speed_;
}

void SataLink::go_down() {
    if (host.holds() || device.holds()) {
        SC_REPORT_FATAL(kLinkReport, "a side that holds a frame gives it back before COMRESET, or with it");
    }
    end_sleep();
    down_ = true;
    if (wire_ != nullptr) {
        lose(sender_, end_wire());
    }
    others_ = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        while (lanes_[lane].first() != nullptr) {
            lose(lane == host_lane ? Side::host : Side::device, lanes_[lane].pop());
        }
    }
    frame_end_ = Ps{-1};
    wake_.disarm();
    tell_machine();
}

/// Loses a frame. The sender hears of it from the agenda, because it must not within a call of its own.
void SataLink::lose(Side sender, SataFrame& frame) {
    lost_.push(Lost{sender, &frame});
    at<&SataLink::end_lost>(now());
}

void SataLink::end_lost() {
    const Lost lost = lost_.pop();
    side(lost.sender).end_frame(*lost.frame, now(), false, true);
    frames_.give_back(*lost.frame);
    tell_machine();
}

void SataLink::ready(Side receiver) {
    pauses_[static_cast<std::size_t>(receiver)].end = now();
    if (wire_ == nullptr) {
        wake_.arm(std::max(now(), up_at_));
    }
}

void SataLink::link_free() {
    run_machine();
    if (wire_ != nullptr) {
        frame_over(now());
    } else {
        start_frame(now(), true);
    }
    tell_machine();
}

/// Delivers a frame and goes on with the frames that wait. Where both ends are called and nothing else is
/// due, the receiver's work on a command or status may end the run: so that work comes after the next frame
/// has begun, and before the sender's work.
void SataLink::frame_over(Ps at) {
    hold();
    SataFrame& frame = *std::exchange(wire_, nullptr);
    leave_wire(frame, at);
    const Side to = sender_ == Side::host ? Side::device : Side::host;
    LinkSide& sender = side(sender_);
    LinkSide& receiver = side(to);
    const bool alone = agenda().settled(at);
    if (leaves_ && !frame.in_phase && alone) {
        sender.end_frame(frame, at, false, false);
        start_frame(at, false);
        receiver.deliver(frame, at, true);
    } else {
        const bool others_waited = !all_sent();
        if (!receiver.deliver(frame, at, alone && frame.in_phase)) {
            pauses_[static_cast<std::size_t>(to)] = {at, at};
            paused_ = true;
        }
        sender.end_frame(frame, at, alone && frame.in_phase, false);
        if (others_waited) {
            start_frame(at, false);
        }
    }
    frames_.give_back(frame);
    go_on(at);
}

/// Other blocks may still send at this very instant, unless it has passed or nothing else is due.
void SataLink::go_on(Ps at) {
    if (--holds_ > 0 || wire_ != nullptr || all_sent()) {
        return;
    }
    if (agenda().settled(at)) {
        start_frame(at, true);
    } else {
        wake_.arm(at);
    }
}

inline bool SataLink::pick(Ps at, bool also_new, Lane& lane) const {
    const bool from_host = !device.holds() && waits(host_lane, at, also_new);
    const bool control = !host.holds() && waits(device_control, at, also_new);
    const bool from_device = control || (!host.holds() && waits(device_data, at, also_new));
    // X_RDY collision on an idle link: the host backs off. After a frame, the sides take turns.
    const bool host_first = frame_end_ == at && sender_ == Side::device;
    if (from_host && (!from_device || host_first)) {
        lane = host_lane;
        return true;
    }
    lane = control ? device_control : device_data;
    return from_device;
}

void SataLink::start_frame(Ps at, bool also_new) {
    Lane lane{};
    if (!pick(at, also_new, lane)) {
        return;
    }
    const SataFrame& frame = *(wire_ = &lanes_[lane].pop());
    others_ -= frame.in_phase ? 0U : 1U;
    sender_ = lane == host_lane ? Side::host : Side::device;
    const std::uint8_t type = frame.header.bytes[0];
    if (paused_) {
        tell_pause();
    }
    const Ps time = frame_time(std::uint64_t{frame.header.length} + frame.bytes);
    frame_begin_ = at;
    frame_end_ = at + time;
    if (frame.ledger != nullptr) {
        frame.ledger->enter(hal::Stage::link_transfer, at);
    }
    count(sender_, type, frame.bytes, time);
    if (probe_ != nullptr) {
        probe_->link_frame(at, frame_end_, sender_ == Side::host, type);
    }
    if (leaves_ && frame.in_phase && others_ == 0 && probe_ == nullptr) {
        wake_.disarm();
    } else if (at == now()) {
        wake_.arm(frame_end_);
    } else {
        arm_end();
    }
}

/// Notes how long the frame that begins now had to wait because its receiver was not ready.
void SataLink::tell_pause() {
    Pause& pause = pauses_[static_cast<std::size_t>(sender_ == Side::host ? Side::device : Side::host)];
    wire_->held = std::max(pause.end - std::max(pause.begin, wire_->queued), Ps{0});
    pause = {};
    paused_ = pauses_[0].end > Ps{0} || pauses_[1].end > Ps{0};
}

void SataLink::count(Side sender, std::uint8_t type, std::uint32_t data_bytes, Ps time) {
    LinkDirectionStatistics& direction = statistics_.of(sender);
    ++direction.frames[fis_index(type)];
    direction.payload_bytes += data_bytes;
    direction.busy += time;
}

}  // namespace solidtlm::hw
