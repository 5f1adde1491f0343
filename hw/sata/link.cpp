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

void leave_wire(const SataFrame& frame) {
    if (frame.ledger != nullptr) {
        frame.ledger->enter(hal::Stage::link_wait, now());
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
    LinkStatistics result = statistics_;
    if (power_.any()) {
        result.sleep = power_.slept_until(std::min(idle_since(), now()), now());
    }
    if (state_.wire != nullptr) {
        result.of(state_.sender).busy -= std::max(state_.frame_end - now(), Ps{0});
    }
    return result;
}

std::size_t SataLink::pending() const {
    std::size_t frames = state_.wire != nullptr ? 1 : 0;
    for (const FrameList& lane : state_.lanes) {
        for (const SataFrame* frame = lane.first(); frame != nullptr; frame = frame->next) {
            ++frames;
        }
    }
    return frames;
}

Ps SataLink::idle_since() const {
    const bool idle = state_.wire == nullptr && all_sent() && state_.frame_end >= Ps{0} && at_rest_();
    return idle ? std::max(state_.frame_end, state_.up_at) : WakeUp::kNever;
}

void SataLink::wake() {
    if (const Ps since = idle_since(); since < now()) {
        state_.up_at = now() + power_.wake(since, now());
    }
}

void SataLink::end_sleep() {
    if (const Ps since = idle_since(); power_.any() && since < now()) {
        power_.end(since, now());
    }
    state_.up_at = Ps{0};
}

void SataLink::power_cut() {
    end_all([this](Side /*sender*/, SataFrame& frame) { forget(frame); });
    while (!state_.lost.empty()) {
        forget(*state_.lost.pop().frame);
    }
    host.power_cut();
    device.power_cut();
    drop_work();
    state_ = {.frame_end = Ps{-1}};
}

/// Calls `end(sender, frame)` for the frames on the wire and in the lanes. No frame has ended then: both
/// sides start as on an idle link.
template <class End>
void SataLink::end_all(End end) {
    if (state_.wire != nullptr) {
        end(state_.sender, end_wire());
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        while (state_.lanes[lane].first() != nullptr) {
            end(lane == host_lane ? Side::host : Side::device, state_.lanes[lane].pop());
        }
    }
    state_.frame_end = Ps{-1};
    wake_.disarm();
}

SataFrame& SataLink::end_wire() {
    statistics_ = statistics();  // the frame counts until now
    return *std::exchange(state_.wire, nullptr);
}

void SataLink::forget(SataFrame& frame) {
    LinkSide::forget(frame);
    frames_.give_back(frame);
}

void SataLink::take(Side sender, const SataFrame& frame) {
    SOLIDTLM_CHECK(frame.header.length > 0, "a frame has a header");
    SataFrame& taken = frames_.take(frame);
    if (state_.down) {
        lose(sender, taken);
        return;
    }
    const Lane lane = sender == Side::host                ? host_lane
                      : is_control(frame.header.bytes[0]) ? device_control
                                                          : device_data;
    taken.queued = now();
    if (sender == Side::host && power_.any()) {
        wake();
    }
    state_.lanes[lane].push(taken);
    if (frame.ledger != nullptr && frame.ledger->current() != hal::Stage::link_transfer) {
        frame.ledger->enter(now() < state_.up_at ? hal::Stage::link_wake : hal::Stage::link_wait, now());
    }
    if (state_.wire == nullptr && holds_ == 0) {
        wake_.arm(std::max(now(), state_.up_at));
    }
}

std::uint8_t SataLink::signalled(LinkSignal signal) {
    device.signal(signal);
    if (signal == LinkSignal::comreset) {
        go_down();
        return 0;
    }
    state_.down = false;
    return speed_;
}

void SataLink::go_down() {
    if (host.holds() || device.holds()) {
        SC_REPORT_FATAL(kLinkReport, "a side that holds a frame gives it back before COMRESET, or with it");
    }
    end_sleep();
    state_.down = true;
    end_all([this](Side sender, SataFrame& frame) { lose(sender, frame); });
}

/// Loses a frame. The sender hears of it from the agenda, because it must not within a call of its own.
void SataLink::lose(Side sender, SataFrame& frame) {
    state_.lost.push(Lost{sender, &frame});
    at<&SataLink::end_lost>(now());
}

void SataLink::end_lost() {
    const Lost lost = state_.lost.pop();
    side(lost.sender).end_frame(*lost.frame, false, true);
    frames_.give_back(*lost.frame);
}

void SataLink::ready(Side receiver) {
    state_.pauses[static_cast<std::size_t>(receiver)].end = now();
    if (state_.wire == nullptr) {
        wake_.arm(std::max(now(), state_.up_at));
    }
}

void SataLink::link_free() {
    if (state_.wire != nullptr) {
        frame_over();
    } else {
        start_frame(true);
    }
}

/// Delivers a frame and goes on with the frames that wait. Where both ends are called and nothing else is
/// due, the receiver's work on a command or status may end the run: so that work comes after the next frame
/// has begun, and before the sender's work.
void SataLink::frame_over() {
    hold();
    SataFrame& frame = *std::exchange(state_.wire, nullptr);
    leave_wire(frame);
    const Side to = state_.sender == Side::host ? Side::device : Side::host;
    LinkSide& sender = side(state_.sender);
    LinkSide& receiver = side(to);
    const bool alone = agenda().nothing_else_now();
    if (!frame.in_phase && alone && host.called() && device.called()) {
        sender.end_frame(frame, false, false);
        start_frame(false);
        receiver.deliver(frame, true);
    } else {
        const bool others_waited = !all_sent();
        if (!receiver.deliver(frame, alone && frame.in_phase)) {
            state_.pauses[static_cast<std::size_t>(to)] = {now(), now()};
            state_.paused = true;
        }
        sender.end_frame(frame, alone && frame.in_phase, false);
        if (others_waited) {
            start_frame(false);
        }
    }
    frames_.give_back(frame);
    go_on();
}

/// Other blocks may still send at this very instant, unless nothing else is due.
void SataLink::go_on() {
    if (--holds_ > 0 || state_.wire != nullptr || all_sent()) {
        return;
    }
    if (agenda().nothing_else_now()) {
        start_frame(true);
    } else {
        wake_.arm(now());
    }
}

inline bool SataLink::pick(bool also_new, Lane& lane) const {
    const bool from_host = !device.holds() && waits(host_lane, also_new);
    const bool control = !host.holds() && waits(device_control, also_new);
    const bool from_device = control || (!host.holds() && waits(device_data, also_new));
    // X_RDY collision on an idle link: the host backs off. After a frame, the sides take turns.
    const bool host_first = state_.frame_end == now() && state_.sender == Side::device;
    if (from_host && (!from_device || host_first)) {
        lane = host_lane;
        return true;
    }
    lane = control ? device_control : device_data;
    return from_device;
}

void SataLink::start_frame(bool also_new) {
    Lane lane{};
    if (!pick(also_new, lane)) {
        return;
    }
    const SataFrame& frame = *(state_.wire = &state_.lanes[lane].pop());
    state_.sender = lane == host_lane ? Side::host : Side::device;
    const std::uint8_t type = frame.header.bytes[0];
    if (state_.paused) {
        tell_pause();
    }
    const Ps time = frame_time(std::uint64_t{frame.header.length} + frame.bytes);
    state_.frame_end = now() + time;
    if (frame.ledger != nullptr) {
        frame.ledger->enter(hal::Stage::link_transfer, now());
    }
    count(state_.sender, type, frame.bytes, time);
    if (probe_ != nullptr) {
        probe_->link_frame(now(), state_.frame_end, state_.sender == Side::host, type);
    }
    wake_.arm(state_.frame_end);
}

/// Notes how long the frame that begins now had to wait because its receiver was not ready.
void SataLink::tell_pause() {
    Pause& pause =
        state_.pauses[static_cast<std::size_t>(state_.sender == Side::host ? Side::device : Side::host)];
    state_.wire->held = std::max(pause.end - std::max(pause.begin, state_.wire->queued), Ps{0});
    pause = {};
    state_.paused = state_.pauses[0].end > Ps{0} || state_.pauses[1].end > Ps{0};
}

void SataLink::count(Side sender, std::uint8_t type, std::uint32_t data_bytes, Ps time) {
    LinkDirectionStatistics& direction = statistics_.of(sender);
    ++direction.frames[fis_index(type)];
    direction.payload_bytes += data_bytes;
    direction.busy += time;
}

}  // namespace solidtlm::hw
