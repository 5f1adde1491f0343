// SPDX-License-Identifier: Apache-2.0
//
// A PCI Express link as two servers, one for each direction: each takes one piece of DMA after another, in
// the order asked for, and knows at once when it will have ended. There is no event for a TLP.
//
//   device -- up ------> root: writes, interrupts (which are writes), read requests
//   device <----- down -- root: data of reads, writes of the processor to registers
//
// What is asked for later never overtakes, so a write is visible before the writes that follow it. A read is
// two steps, because its data wait for the down direction only from data_at() on: what the root sends until
// then goes first.
#pragma once

#include <algorithm>

#include "fw/hal/check.h"
#include "fw/hal/metrics.h"
#include "fw/hal/probe.h"
#include "hw/pcie/tlp_timing.h"

namespace solidtlm::hw {

class PcieLink {
  public:
    using Ps = hal::Ps;
    explicit PcieLink(const PcieConfig& config) : timing_(config) {}

    // `at` is when it is asked for. REQUIRES of all: for one direction, `at` never goes back.

    /// Writes to host memory. Returns when the last byte is there.
    Ps write(Ps at, std::uint64_t address, std::uint64_t bytes) {
        return serve(up_, at, timing_.time(timing_.write(address, bytes)), kWrite);
    }
    /// Sends the requests of a read. Returns when the first data are at the root's end of the link.
    Ps request(Ps at, std::uint64_t address, std::uint64_t bytes) {
        const TlpTiming::Wire wire = timing_.read_requests(address, bytes);
        const Ps end = serve(up_, at, timing_.time(wire), kRead);
        const Ps others = timing_.time({wire.tlps - 1, wire.bytes / wire.tlps * (wire.tlps - 1)});
        return end - others + timing_.config().root_latency;
    }
    /// The data of that read, at the instant that request() returned. Returns when the last byte has come.
    Ps data(Ps at, std::uint64_t address, std::uint64_t bytes) {
        return serve(down_, at, timing_.time(timing_.completions(address, bytes)), kCompletion);
    }
    /// The processor writes to a register at `address`. Returns when the device has it.
    Ps register_write(Ps at, std::uint64_t address, std::uint64_t bytes) {
        return serve(down_, at, timing_.time(timing_.write(address, bytes)), kWrite);
    }

    /// What is on its way is forgotten.
    void power_cut() {
        up_ = {.busy = up_.busy};
        down_ = {.busy = down_.busy};
    }
    /// Null: no recorder watches.
    void set_probe(hal::Probe* probe) { probe_ = probe; }

    [[nodiscard]] const TlpTiming& timing() const { return timing_; }
    /// How long each direction has carried TLPs.
    [[nodiscard]] Ps up_busy() const { return up_.busy; }
    [[nodiscard]] Ps down_busy() const { return down_.busy; }
    void tell(hal::Metrics& metrics) const {
        metrics.time("pcie.up_busy_us", "time of TLPs from device to root, with their share of DLLPs",
                     up_.busy);
        metrics.time("pcie.down_busy_us", "time of TLPs from root to device, with their share of DLLPs",
                     down_.busy);
    }

    // First bytes of TLPs (format and type), as a probe gets them.
    static constexpr std::uint8_t kRead = 0x20;
    static constexpr std::uint8_t kWrite = 0x60;
    static constexpr std::uint8_t kCompletion = 0x4A;

  private:
    struct Direction {
        Ps busy{0};  ///< so far; a power cut does not change it
        Ps free{0};
        Ps asked{0};
    };
    Ps serve(Direction& direction, Ps at, Ps duration, std::uint8_t type) {
        SOLIDTLM_CHECK(at >= direction.asked, "a direction is asked in the order of time");
        direction.asked = at;
        direction.free = std::max(direction.free, at) + duration;
        direction.busy += duration;
        if (probe_ != nullptr) {
            probe_->link_frame(direction.free - duration, direction.free, &direction == &down_, type);
        }
        return direction.free;
    }

    TlpTiming timing_;
    Direction up_;
    Direction down_;
    hal::Probe* probe_ = nullptr;
};

}  // namespace solidtlm::hw
