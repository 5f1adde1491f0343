// SPDX-License-Identifier: Apache-2.0
//
// The serial link between host and device (Serial ATA 3.x, clauses 9 and 10). It carries one frame at a time,
// in one direction or the other: the protocol makes frames half duplex (X_RDY/R_RDY), so a frame takes time
// from both directions.
//
// An end calls the link and is called by it (link_end.h), or it speaks the base protocol with pooled payloads
// that carry a FisExtension (take_frame() in fis.h): a Data FIS with payload is a write, data_ptr and
// data_length its payload; any other FIS is TLM_IGNORE_COMMAND.
// Sender: calls nb_transport_fw(BEGIN_REQ), a host with any delay. The link answers TLM_UPDATED/END_REQ. When
// the last dword has gone over the wire, the link calls nb_transport_bw(BEGIN_RESP), which the sender answers
// with TLM_COMPLETED. The bytes at data_ptr must stay valid until then.
// Receiver: the link calls nb_transport_fw(BEGIN_REQ) at that instant, just before the sender's response. The
// receiver answers TLM_COMPLETED with a response status; to keep the payload it acquires it, and copies the
// content. A receiver that answers TLM_ACCEPTED has taken the frame, too, but is not ready for another
// (R_RDY, clause 9.4): frames to it wait until it calls nb_transport_bw(BEGIN_RESP), which the link answers
// with TLM_COMPLETED. Frames in the other direction do not wait for that.
// The link's calls to a host that does not share the agenda carry the delay by which the agenda is ahead of
// the kernel (LinkSide::set_border()); its other calls carry none.
//
// The host sends signals (take_signal() in fis.h) without delay; the link hands a signal on to the device in
// that call, and answers TLM_COMPLETED. COMRESET takes the link down: frames that are queued or on the wire
// are lost, and so are frames that come until PHY ready; their senders get BEGIN_RESP with an error status. A
// host that holds a frame gives it back before COMRESET. The link is up at the start of simulation, without
// any signal.
//
// Arbitration. Frames of one side go in order, except that the device's Register, Set Device Bits and DMA
// Activate FISes overtake its queued DMA Setup, PIO Setup and Data FISes. When both sides want an idle link,
// the host backs off (X_RDY collision, clause 9.6); after a frame, the side that did not send it goes first.
// At the end of a frame, frames that came before that instant go before frames queued at it, no matter in
// which order processes run.
//
// Power states (link_power.h): the host's first frame after a sleep waits until the link is up, and so do
// frames that come meanwhile. Losing power and COMRESET end a sleep without that wait.
//
// Ledger of a frame (may be null): link_wake while the link comes up for it; link_transfer while it is on the
// wire, link_wait before (unless another frame of the same ledger is on the wire) and after; the receiver
// sets the next stage.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "fw/hal/metrics.h"
#include "fw/hal/probe.h"
#include "hw/sata/config.h"
#include "hw/sata/fis.h"
#include "hw/sata/frame_list.h"
#include "hw/sata/frame_timing.h"
#include "hw/sata/link_power.h"
#include "hw/sata/link_side.h"
#include "hw/tlm/ring.h"
#include "hw/tlm/wake_up.h"

namespace solidtlm::hw {

/// Traffic of one direction.
struct LinkDirectionStatistics {
    std::array<std::uint64_t, kFisTypes> frames{};  ///< by fis_index()
    std::uint64_t payload_bytes = 0;                ///< of Data FISes
    Ps busy{0};  ///< including framing and turnaround; a frame that is cut short counts up to the cut

    void tell(hal::Metrics& metrics, const std::string& direction) const;
};

struct LinkStatistics {
    LinkDirectionStatistics to_device;
    LinkDirectionStatistics to_host;
    std::optional<LinkSleep> sleep;  ///< of a link with power states
    [[nodiscard]] Ps busy() const { return to_device.busy + to_host.busy; }
    LinkDirectionStatistics& of(LinkSide::Of sender) {
        return sender == LinkSide::Of::host ? to_device : to_host;
    }
    void tell(hal::Metrics& metrics) const;
};

class SataLink : public AgendaModule {
  public:
    LinkSide host;    ///< sockets host_target and host_init
    LinkSide device;  ///< device_target and device_init

    SataLink(const sc_core::sc_module_name& name, const SataConfig& config);

    /// `busy` includes the part of a frame on the wire that has passed.
    [[nodiscard]] LinkStatistics statistics() const;
    /// The time of a frame with `fis_bytes` of header and payload, from X_RDY to the next X_RDY.
    [[nodiscard]] Ps frame_time(std::uint64_t fis_bytes) const { return timing_.frame_time(fis_bytes); }
    /// Null: no recorder watches.
    void set_probe(hal::Probe* probe) { probe_ = probe; }
    /// The idle link sleeps only while `at_rest`: no command is outstanding. Without this call it always may.
    void sleep_if(std::function<bool()> at_rest) { at_rest_ = std::move(at_rest); }
    /// Frames that are queued or on the wire.
    [[nodiscard]] std::size_t pending() const;
    /// Power is lost or COMRESET comes: the link stops sleeping and is up at once. Call before the device
    /// forgets its commands.
    void end_sleep();
    /// The device lost power: all frames are lost, and their senders hear nothing. The link is up
    /// afterwards.
    void power_cut();
    /// True from COMRESET until PHY ready.
    [[nodiscard]] bool down() const { return state_.down; }

    // From its sides
    using Side = LinkSide::Of;
    /// Takes a frame that `sender` sends. REQUIRES: its header is that of a FIS.
    void take(Side sender, const SataFrame& frame);
    /// `receiver` is ready for another frame.
    void ready(Side receiver);
    /// The host signals. Returns FisExtension::speed.
    std::uint8_t signalled(LinkSignal signal);

    // For an entry of the agenda that may send frames (hw/sata/data_path.h)
    /// Frames that the link takes from now on do not begin before go_on().
    void hold() { ++holds_; }
    /// Ends a hold(). After the last one, the next frame begins if the wire is idle.
    void go_on();

  private:
    enum Lane : std::uint8_t { host_lane, device_control, device_data };
    static constexpr std::size_t kLanes = 3;

    void link_free();
    void frame_over();
    void end_lost();

    void go_down();
    void lose(Side sender, SataFrame& frame);
    template <class End>
    void end_all(End end);
    /// Ends the frame on the wire before its time.
    SataFrame& end_wire();
    void forget(SataFrame& frame);
    [[nodiscard]] LinkSide& side(Side which) { return which == Side::host ? host : device; }
    /// Since when the link may sleep; kNever if it may not.
    [[nodiscard]] Ps idle_since() const;
    /// The host sends a frame: wakes the link.
    void wake();
    [[nodiscard]] bool all_sent() const {
        return state_.lanes[host_lane].first() == nullptr &&
               state_.lanes[device_control].first() == nullptr &&
               state_.lanes[device_data].first() == nullptr;
    }
    /// Puts the next frame on the wire, if there is one; one queued at this very instant only if `also_new`.
    void start_frame(bool also_new);
    [[nodiscard]] bool waits(Lane lane, bool also_new) const {
        const SataFrame* first = state_.lanes[lane].first();
        return first != nullptr && (also_new || first->queued < now());
    }
    [[nodiscard]] bool pick(bool also_new, Lane& lane) const;
    void count(Side sender, std::uint8_t type, std::uint32_t data_bytes, Ps time);
    void tell_pause();

    FrameTiming timing_;
    LinkPower power_;
    std::function<bool()> at_rest_ = [] { return true; };
    std::uint8_t speed_;
    static constexpr std::size_t kMostFrames = 3072;  ///< a few per each of 33 commands, in each lane
    FramePool frames_{kMostFrames};
    WakeUp wake_{*this, kCall<&SataLink::link_free>};  ///< a frame ends, or one may begin
    unsigned holds_ = 0;                               ///< calls of hold() without their go_on()
    struct Pause {
        Ps begin{0};
        Ps end{0};
    };
    struct Lost {
        Side sender = Side::host;
        SataFrame* frame = nullptr;
    };
    struct Volatile {
        Ps up_at{0};  ///< a waking link is up from this time on
        std::array<FrameList, kLanes> lanes{};
        SataFrame* wire = nullptr;  ///< the frame on the wire
        Side sender = Side::host;   ///< of the frame on the wire, or of the last one
        Ps frame_end{0};  ///< end of the frame on the wire, or of the last one that was not cut short
        bool down = false;
        std::array<Pause, 2> pauses{};  ///< by receiver: when it was not ready before its next frame
        bool paused = false;            ///< some pause is not 0
        Ring<Lost> lost{kMostFrames};
    } state_;
    LinkStatistics statistics_;
    hal::Probe* probe_ = nullptr;
};

}  // namespace solidtlm::hw
