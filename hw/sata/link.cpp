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

}  // namespace

void LinkDirectionStatistics::tell(hal::Metrics& metrics, const std::string& direction) const {
    for (std::size_t type = 0; type < kFisTypes; ++type) {
        metrics.counter(direction + ".frames." + std::string(fis_name(type)), "frames",
                        "that have gone over the wire, each with one turnaround", frames[type]);
    }
    metrics.counter(direction + ".payload_bytes", "B", "of Data FISes", payload_bytes);
    metrics.time(direction + ".busy_us", "framing and turnaround included", busy);
}

void LinkStatistics::tell(hal::Metrics& metrics) const {
    to_device.tell(metrics, "link.to_device");
    to_host.tell(metrics, "link.to_host");
}

SataLink::SataLink(const sc_core::sc_module_name& name, const SataConfig& config)
    : AgendaModule(name),
      host(*this, Side::host),
      device(*this, Side::device),
      timing_(config),
      speed_(static_cast<std::uint8_t>(std::min(config.generation, SataGeneration::gen3))) {}

LinkStatistics SataLink::statistics() const {
    if (stretch_ != nullptr) {
        stretch_->catch_up();
    }
    LinkStatistics result = statistics_;
    result.of(counted_sender_).busy -= std::max(counted_until_ - now(), Ps{0});
    return result;
}

std::size_t SataLink::pending() const {
    if (stretch_ != nullptr) {
        stretch_->catch_up();
    }
    std::size_t frames = busy_ ? 1 : 0;
    for (const Ring<Queued>& lane : lanes_) {
        frames += lane.size();
    }
    return frames;
}

void SataLink::power_cut() {
    cut_stretch();
    for (Ring<Queued>& lane : lanes_) {
        while (!lane.empty()) {
            LinkSide::forget(lane.pop().frame);
        }
    }
    if (busy_) {
        LinkSide::forget(on_wire_.frame);
        end_wire();
    }
    while (!lost_.empty()) {
        LinkSide::forget(lost_.pop().frame);
    }
    host.power_cut();
    device.power_cut();
    down_ = false;
    drop_work();
    frame_end_ = Ps{-1};  // no frame has ended: both sides start as on an idle link
    wake_.disarm();
}

/// The frame on the wire does not come to its end.
void SataLink::end_wire() {
    statistics_ = statistics();  // it counts until now
    counted_until_ = now();
    busy_ = false;
}

void SataLink::take(Side sender, const SataFrame& frame) {
    SOLIDTLM_CHECK(frame.header.length > 0, "a frame has a header");
    cut_stretch();
    if (down_) {
        lose(sender, frame);
        return;
    }
    const Lane lane = sender == Side::host                ? host_lane
                      : is_control(frame.header.bytes[0]) ? device_control
                                                          : device_data;
    lanes_[lane].push(Queued{frame, now()});
    if (frame.ledger != nullptr && frame.ledger->current() != hal::Stage::link_transfer) {
        frame.ledger->enter(hal::Stage::link_wait, now());
    }
    if (!busy_) {
        wake_.arm(now());
    }
}

std::uint8_t SataLink::signalled(LinkSignal signal) {
    cut_stretch();
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
        SC_REPORT_FATAL(kLinkReport, "who holds a frame gives it back before COMRESET, or with it");
    }
    down_ = true;
    if (busy_) {
        lose(sender_, on_wire_.frame);
        end_wire();
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        while (!lanes_[lane].empty()) {
            lose(lane == host_lane ? Side::host : Side::device, lanes_[lane].pop().frame);
        }
    }
    frame_end_ = Ps{-1};
    wake_.disarm();
}

/// Its sender is told by the agenda, not in its own call.
void SataLink::lose(Side sender, const SataFrame& frame) {
    lost_.push(Lost{sender, frame});
    at<&SataLink::end_lost>(now());
}

void SataLink::end_lost() {
    const Lost lost = lost_.pop();
    side(lost.sender).end_frame(lost.frame, true);
}

void SataLink::ready(Side receiver) {
    pauses_[static_cast<std::size_t>(receiver)].end = now();
    if (!busy_) {
        wake_.arm(now());
    }
}

void SataLink::link_free() {
    // 1. The end of a frame: deliver it and go on with what was waiting.
    if (busy_) {
        finish_frame();
        if (!start_frame(false) && !all_sent()) {
            wake_.arm(now());
        }
        return;
    }
    // 2. An idle link: somebody wants it.
    start_frame(true);
}

void SataLink::finish_frame() {
    busy_ = false;
    const SataFrame& frame = on_wire_.frame;
    if (frame.ledger != nullptr) {
        frame.ledger->enter(hal::Stage::link_wait, frame_end_);
    }
    const Side receiver = sender_ == Side::host ? Side::device : Side::host;
    if (!side(receiver).deliver(frame)) {
        pauses_[static_cast<std::size_t>(receiver)] = {now(), now()};
        paused_ = true;
    }
    side(sender_).end_frame(frame, false);
}

bool SataLink::alone() const {
    return all_sent() && !host.border() && !down_ && !paused_ && probe_ == nullptr && !host.holds() &&
           !device.holds();
}

Ps SataLink::begin_stretch(Stretch& stretch) {
    const bool data = busy_ && sender_ == Side::device && on_wire_.frame.header.type() == FisType::data;
    if (!data || !alone()) {
        return Ps{-1};
    }
    stretch_ = &stretch;
    wake_.disarm();
    return frame_end_;
}

void SataLink::begin_read_data(std::byte* content, std::uint32_t bytes, Ps begin, Ps end) {
    on_wire_.frame.content = content;
    on_wire_.frame.bytes = bytes;
    count(Side::device, on_wire_.frame.header.bytes[0], bytes, begin, end);
}

void SataLink::end_read_data() {
    if (!host.deliver(on_wire_.frame)) {
        SC_REPORT_FATAL(kLinkReport, "a host whose data come in stretches is ready for more");
    }
}

void SataLink::end_stretch(Ps end) {
    stretch_ = nullptr;
    frame_end_ = end;
    wake_.arm(end);
}

void SataLink::end_stretch_idle(Ps end) {
    stretch_ = nullptr;
    frame_end_ = end;
    LinkSide::forget(on_wire_.frame);
    busy_ = false;
}

bool SataLink::begin_idle_stretch(Stretch& stretch) {
    if (busy_ || wake_.armed() || !alone()) {
        return false;
    }
    stretch_ = &stretch;
    return true;
}

void SataLink::count_in_stretch(FisType type, std::uint32_t data_bytes, Ps begin, Ps end) {
    count(type == FisType::data ? Side::host : Side::device, static_cast<std::uint8_t>(type), data_bytes,
          begin, end);
}

void SataLink::end_idle_stretch(Ps end) {
    stretch_ = nullptr;
    frame_end_ = end;
    sender_ = Side::host;
}

void SataLink::began_before(Ps end) {
    wake_.disarm();
    const bool from_host = !lanes_[host_lane].empty();
    on_wire_ = lanes_[from_host ? host_lane : device_control].pop();
    busy_ = true;
    sender_ = from_host ? Side::host : Side::device;
    frame_end_ = end;
    wake_.arm(end);
}

const SataLink::Queued* SataLink::first_of(Lane lane, bool also_new) const {
    if (lanes_[lane].empty()) {
        return nullptr;
    }
    const Queued& first = lanes_[lane].front();
    return also_new || first.queued < now() ? &first : nullptr;
}

inline bool SataLink::pick(bool also_new, Lane& lane) const {
    const bool from_host = !device.holds() && first_of(host_lane, also_new) != nullptr;
    const bool control = !host.holds() && first_of(device_control, also_new) != nullptr;
    const bool from_device = control || (!host.holds() && first_of(device_data, also_new) != nullptr);
    // X_RDY collision on an idle link: the host backs off. After a frame, turn about.
    const bool host_first = frame_end_ == now() && sender_ == Side::device;
    if (from_host && (!from_device || host_first)) {
        lane = host_lane;
        return true;
    }
    lane = control ? device_control : device_data;
    return from_device;
}

bool SataLink::start_frame(bool also_new) {
    Lane lane{};
    if (!pick(also_new, lane)) {
        return false;
    }
    on_wire_ = lanes_[lane].pop();
    busy_ = true;
    sender_ = lane == host_lane ? Side::host : Side::device;
    const SataFrame& frame = on_wire_.frame;
    const std::uint8_t type = frame.header.bytes[0];
    if (paused_) {
        tell_pause();
    }
    frame_end_ = now() + frame_time(std::uint64_t{frame.header.length} + frame.bytes);
    if (frame.ledger != nullptr) {
        frame.ledger->enter(hal::Stage::link_transfer, now());
    }
    count(sender_, type, frame.bytes, now(), frame_end_);
    if (probe_ != nullptr) {
        probe_->link_frame(now(), frame_end_, sender_ == Side::host, type);
    }
    wake_.arm(frame_end_);
    return true;
}

/// How long the frame that goes now had to wait because its receiver was not ready.
void SataLink::tell_pause() {
    Pause& pause = pauses_[static_cast<std::size_t>(sender_ == Side::host ? Side::device : Side::host)];
    on_wire_.frame.held = std::max(pause.end - std::max(pause.begin, on_wire_.queued), Ps{0});
    pause = {};
    paused_ = pauses_[0].end > Ps{0} || pauses_[1].end > Ps{0};
}

void SataLink::count(Side sender, std::uint8_t type, std::uint32_t data_bytes, Ps begin, Ps end) {
    LinkDirectionStatistics& direction = statistics_.of(sender);
    ++direction.frames[fis_index(type)];
    direction.payload_bytes += data_bytes;
    direction.busy += end - begin;
    counted_sender_ = sender;
    counted_until_ = end;
}

}  // namespace solidtlm::hw
