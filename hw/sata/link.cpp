// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/link.h"

#include <algorithm>

namespace solidtlm::hw {
namespace {

constexpr const char* kLinkReport = "/ssd/link";
constexpr int kHostSide = 0;
constexpr int kDeviceSide = 1;

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
      host_target("host_target"),
      host_init("host_init"),
      device_target("device_target"),
      device_init("device_init"),
      timing_(config),
      speed_(static_cast<std::uint8_t>(std::min(config.generation, SataGeneration::gen3))) {
    host_target.register_nb_transport_fw(this, &SataLink::nb_transport_fw, kHostSide);
    host_target.register_b_transport(this, &SataLink::b_transport, kHostSide);
    device_target.register_nb_transport_fw(this, &SataLink::nb_transport_fw, kDeviceSide);
    device_target.register_b_transport(this, &SataLink::b_transport, kDeviceSide);
    host_init.register_nb_transport_bw(this, &SataLink::nb_transport_bw, kHostSide);
    device_init.register_nb_transport_bw(this, &SataLink::nb_transport_bw, kDeviceSide);
}

std::size_t SataLink::pending() const {
    if (stretch_ != nullptr) {
        stretch_->catch_up();
    }
    std::size_t frames = on_wire_.payload != nullptr ? 1 : 0;
    for (const Ring<Frame>& lane : lanes_) {
        frames += lane.size();
    }
    return frames;
}

void SataLink::power_cut() {
    cut_stretch();
    for (Ring<Frame>& lane : lanes_) {
        while (!lane.empty()) {
            lane.pop().payload->release();
        }
    }
    if (on_wire_.payload != nullptr) {
        on_wire_.payload->release();
        end_wire();
    }
    for (tlm::tlm_generic_payload* payload : announced_) {
        payload->release();
    }
    announced_.clear();
    while (!lost_.empty()) {
        lost_.pop().payload->release();
    }
    for (tlm::tlm_generic_payload*& payload : held_) {
        if (payload != nullptr) {
            payload->release();
            payload = nullptr;
        }
    }
    down_ = false;
    drop_work();
    frame_end_ = Ps{-1};  // no frame has ended: both sides start as on an idle link
    wake_.disarm();
}

/// The frame on the wire does not come to its end.
void SataLink::end_wire() {
    LinkDirectionStatistics& direction = sender_ == Side::host ? statistics_.to_device : statistics_.to_host;
    direction.busy -= frame_end_ - now();
    on_wire_ = Frame{};
}

tlm::tlm_sync_enum SataLink::nb_transport_fw(int side, tlm::tlm_generic_payload& payload,
                                             tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ || (side == kDeviceSide && delay != sc_core::SC_ZERO_TIME)) {
        SC_REPORT_FATAL(kLinkReport, "a frame begins with BEGIN_REQ, a device's without delay");
        return tlm::TLM_COMPLETED;
    }
    cut_stretch();
    auto* fis = payload.get_extension<FisExtension>();
    if (fis != nullptr && fis->signal != LinkSignal::none) {
        return signalled(side, payload, *fis, delay);
    }
    const bool valid = fis != nullptr && fis->header_bytes != 0 &&
                       fis->header_bytes == fis_header_bytes(fis->header[0]) &&
                       payload.get_data_length() <= kMaxDataFisBytes && payload.get_data_length() % 4 == 0;
    if (!valid) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        SC_REPORT_FATAL(kLinkReport, "not a FIS");
        return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    if (delay == sc_core::SC_ZERO_TIME) {
        queue(side, payload, *fis);
    } else {
        announced_.push_back(&payload);
        at<&SataLink::frame_comes>(now() + to_ps(delay), &payload);
    }
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

/// A frame that the host has announced.
void SataLink::frame_comes(tlm::tlm_generic_payload* payload) {
    cut_stretch();
    std::erase(announced_, payload);
    queue(kHostSide, *payload, *payload->get_extension<FisExtension>());
}

tlm::tlm_sync_enum SataLink::signalled(int side, tlm::tlm_generic_payload& payload, FisExtension& signal,
                                       const sc_core::sc_time& delay) {
    if (side != kHostSide || delay != sc_core::SC_ZERO_TIME) {
        SC_REPORT_FATAL(kLinkReport, "signals come from the host, without delay");
        return tlm::TLM_COMPLETED;
    }
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time none = sc_core::SC_ZERO_TIME;
    if (device_init->nb_transport_fw(payload, phase, none) != tlm::TLM_COMPLETED) {
        SC_REPORT_FATAL(kLinkReport, "a device answers a signal with TLM_COMPLETED");
    }
    if (signal.signal == LinkSignal::comreset) {
        go_down();
    } else {
        down_ = false;
        signal.speed = speed_;
    }
    return tlm::TLM_COMPLETED;
}

void SataLink::go_down() {
    if (held_[kHostSide] != nullptr || held_[kDeviceSide] != nullptr) {
        SC_REPORT_FATAL(kLinkReport, "who holds a frame gives it back before COMRESET, or with it");
    }
    down_ = true;
    if (on_wire_.payload != nullptr) {
        lose(sender_ == Side::host ? kHostSide : kDeviceSide, *on_wire_.payload);
        end_wire();
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        while (!lanes_[lane].empty()) {
            lose(lane == host_lane ? kHostSide : kDeviceSide, *lanes_[lane].pop().payload);
        }
    }
    frame_end_ = Ps{-1};
    wake_.disarm();
}

/// Its sender is told by the agenda, not in its own call.
void SataLink::lose(int side, tlm::tlm_generic_payload& payload) {
    lost_.push(Lost{side, &payload});
    at<&SataLink::end_lost>(now());
}

void SataLink::end_lost() {
    const Lost lost = lost_.pop();
    lost.payload->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    if (!respond(lost.side == kHostSide ? Side::host : Side::device, *lost.payload)) {
        SC_REPORT_FATAL(kLinkReport, "the sender of a frame that is lost answers TLM_COMPLETED");
    }
    lost.payload->release();
}

void SataLink::queue(int side, tlm::tlm_generic_payload& payload, FisExtension& fis) {
    if (down_) {
        lose(side, payload);
        return;
    }
    const Lane lane = side == kHostSide           ? host_lane
                      : is_control(fis.header[0]) ? device_control
                                                  : device_data;
    lanes_[lane].push(Frame{&payload, &fis, now()});
    if (fis.ledger != nullptr && fis.ledger->current() != hal::Stage::link_transfer) {
        fis.ledger->enter(hal::Stage::link_wait, now());
    }
    if (on_wire_.payload == nullptr) {
        wake_.arm(now());
    }
}

void SataLink::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    SC_REPORT_FATAL(kLinkReport, "frames are not moved by b_transport");
}

/// A receiver is ready again.
tlm::tlm_sync_enum SataLink::nb_transport_bw(int side, tlm::tlm_generic_payload& payload,
                                             tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    auto& held = held_[static_cast<std::size_t>(side)];
    if (held != &payload || phase != tlm::BEGIN_RESP || delay != sc_core::SC_ZERO_TIME) {
        SC_REPORT_FATAL(kLinkReport,
                        "a receiver answers the frame that it has accepted with BEGIN_RESP, without delay");
        return tlm::TLM_COMPLETED;
    }
    held = nullptr;
    pauses_[static_cast<std::size_t>(side)].end = now();
    payload.release();
    if (on_wire_.payload == nullptr) {
        wake_.arm(now());
    }
    return tlm::TLM_COMPLETED;
}

void SataLink::link_free() {
    // 1. The end of a frame: deliver it and go on with what was waiting.
    if (on_wire_.payload != nullptr) {
        finish_frame();
        if (!start_frame(false) &&
            !(lanes_[host_lane].empty() && lanes_[device_control].empty() && lanes_[device_data].empty())) {
            wake_.arm(now());
        }
        return;
    }
    // 2. An idle link: somebody wants it.
    start_frame(true);
}

template <class Transport>
tlm::tlm_sync_enum SataLink::call(Side side, tlm::tlm_phase phase, Transport transport) {
    if (side == Side::host && border_) {
        Agenda::Outside outside(agenda());
        return transport(phase, outside.delay);
    }
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    return transport(phase, delay);
}

/// The frame of this side is over.
bool SataLink::respond(Side side, tlm::tlm_generic_payload& payload) {
    auto& origin = side == Side::host ? host_target : device_target;
    return call(side, tlm::BEGIN_RESP, [&](auto& phase, auto& delay) {
               return origin->nb_transport_bw(payload, phase, delay);
           }) == tlm::TLM_COMPLETED;
}

void SataLink::finish_frame() {
    tlm::tlm_generic_payload& payload = *on_wire_.payload;
    hal::Ledger* ledger = on_wire_.fis->ledger;
    on_wire_ = Frame{};
    if (ledger != nullptr) {
        ledger->enter(hal::Stage::link_wait, frame_end_);
    }
    const bool from_host = sender_ == Side::host;
    auto& receiver = from_host ? device_init : host_init;
    const tlm::tlm_sync_enum taken =
        call(from_host ? Side::device : Side::host, tlm::BEGIN_REQ,
             [&](auto& phase, auto& delay) { return receiver->nb_transport_fw(payload, phase, delay); });
    if (taken == tlm::TLM_ACCEPTED) {
        payload.acquire();
        const auto side = static_cast<std::size_t>(from_host ? kDeviceSide : kHostSide);
        held_[side] = &payload;
        pauses_[side] = {now(), now()};
        paused_ = true;
    }
    const bool answered = respond(from_host ? Side::host : Side::device, payload);
    if (taken == tlm::TLM_UPDATED || !answered) {
        SC_REPORT_FATAL(kLinkReport, "a receiver answers TLM_COMPLETED or TLM_ACCEPTED, a sender the former");
    }
    payload.release();
}

bool SataLink::alone() const {
    const bool waiting =
        !(lanes_[host_lane].empty() && lanes_[device_control].empty() && lanes_[device_data].empty());
    return !waiting && !border_ && !down_ && !paused_ && probe_ == nullptr && held_[kHostSide] == nullptr &&
           held_[kDeviceSide] == nullptr;
}

Ps SataLink::begin_stretch(Stretch& stretch) {
    const bool data = on_wire_.payload != nullptr && sender_ == Side::device &&
                      on_wire_.fis->header[0] == static_cast<std::uint8_t>(FisType::data);
    if (!data || !alone()) {
        return Ps{-1};
    }
    stretch_ = &stretch;
    wake_.disarm();
    return frame_end_;
}

void SataLink::begin_read_data(std::byte* content, std::uint32_t bytes, Ps time) {
    on_wire_.payload->set_data_ptr(reinterpret_cast<unsigned char*>(content));
    on_wire_.payload->set_data_length(bytes);
    on_wire_.payload->set_streaming_width(bytes);
    count(Side::device, on_wire_.fis->header[0], bytes, time);
}

void SataLink::end_read_data() {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (host_init->nb_transport_fw(*on_wire_.payload, phase, delay) != tlm::TLM_COMPLETED) {
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
    on_wire_.payload->release();
    on_wire_ = Frame{};
}

bool SataLink::begin_idle_stretch(Stretch& stretch) {
    if (on_wire_.payload != nullptr || wake_.armed() || !alone()) {
        return false;
    }
    stretch_ = &stretch;
    return true;
}

void SataLink::count_in_stretch(FisType type, std::uint32_t data_bytes, Ps time) {
    count(type == FisType::data ? Side::host : Side::device, static_cast<std::uint8_t>(type), data_bytes,
          time);
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
    sender_ = from_host ? Side::host : Side::device;
    frame_end_ = end;
    wake_.arm(end);
}

const SataLink::Frame* SataLink::ready(Lane lane, bool also_new) const {
    if (lanes_[lane].empty()) {
        return nullptr;
    }
    const Frame& frame = lanes_[lane].front();
    return also_new || frame.queued < now() ? &frame : nullptr;
}

inline bool SataLink::pick(bool also_new, Lane& lane) const {
    const bool host = held_[kDeviceSide] == nullptr && ready(host_lane, also_new) != nullptr;
    const bool host_ready = held_[kHostSide] == nullptr;
    const bool control = host_ready && ready(device_control, also_new) != nullptr;
    const bool device = control || (host_ready && ready(device_data, also_new) != nullptr);
    // X_RDY collision on an idle link: the host backs off. After a frame, turn about.
    const bool host_first = frame_end_ == now() && sender_ == Side::device;
    if (host && (!device || host_first)) {
        lane = host_lane;
        return true;
    }
    lane = control ? device_control : device_data;
    return device;
}

bool SataLink::start_frame(bool also_new) {
    Lane lane{};
    if (!pick(also_new, lane)) {
        return false;
    }
    on_wire_ = lanes_[lane].pop();
    sender_ = lane == host_lane ? Side::host : Side::device;
    const FisExtension* fis = on_wire_.fis;
    if (paused_) {
        tell_pause();
    }
    const Ps time = frame_time(std::uint64_t{fis->header_bytes} + on_wire_.payload->get_data_length());
    frame_end_ = now() + time;
    if (fis->ledger != nullptr) {
        fis->ledger->enter(hal::Stage::link_transfer, now());
    }
    count(sender_, fis->header[0], on_wire_.payload->get_data_length(), time);
    if (probe_ != nullptr) {
        probe_->link_frame(now(), frame_end_, sender_ == Side::host, fis->header[0]);
    }
    wake_.arm(frame_end_);
    return true;
}

/// How long the frame that goes now had to wait because its receiver was not ready.
void SataLink::tell_pause() {
    Pause& pause = pauses_[static_cast<std::size_t>(sender_ == Side::host ? kDeviceSide : kHostSide)];
    on_wire_.fis->held = std::max(pause.end - std::max(pause.begin, on_wire_.queued), Ps{0});
    pause = {};
    paused_ = pauses_[kHostSide].end > Ps{0} || pauses_[kDeviceSide].end > Ps{0};
}

void SataLink::count(Side sender, std::uint8_t type, std::uint32_t data_bytes, Ps time) {
    LinkDirectionStatistics& direction = sender == Side::host ? statistics_.to_device : statistics_.to_host;
    ++direction.frames[fis_index(type)];
    direction.payload_bytes += data_bytes;
    direction.busy += time;
}

}  // namespace solidtlm::hw
