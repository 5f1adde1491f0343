// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fw/hal/probe.h"

namespace solidtlm::testbench {

/// Passes every notification on to its probes, in the order in which they were added. The probes must outlive
/// the chain.
class ProbeChain : public hal::Probe {
  public:
    using Ps = hal::Ps;

    void add(hal::Probe& probe) { probes_.push_back(&probe); }

    void link_frame(Ps begin, Ps end, bool to_device, std::uint8_t type) override {
        tell([&](hal::Probe& probe) { probe.link_frame(begin, end, to_device, type); });
    }
    void command_accepted(Ps at, const hal::HostCommand& command) override {
        tell([&](hal::Probe& probe) { probe.command_accepted(at, command); });
    }
    void outstanding(Ps at, std::uint32_t tags, bool non_queued) override {
        tell([&](hal::Probe& probe) { probe.outstanding(at, tags, non_queued); });
    }
    void under_way(Ps at, std::uint32_t commands) override {
        tell([&](hal::Probe& probe) { probe.under_way(at, commands); });
    }
    void core_slice(Ps begin, Ps stall_begin, Ps end, hal::Cause cause) override {
        tell([&](hal::Probe& probe) { probe.core_slice(begin, stall_begin, end, cause); });
    }
    void dram_served(Ps begin, Ps end, std::uint16_t port) override {
        tell([&](hal::Probe& probe) { probe.dram_served(begin, end, port); });
    }
    void dram_stretched(Ps end) override {
        tell([&](hal::Probe& probe) { probe.dram_stretched(end); });
    }
    void dram_core_access(Ps begin, Ps end) override {
        tell([&](hal::Probe& probe) { probe.dram_core_access(begin, end); });
    }
    void bus_held(Ps begin, Ps end, const hal::FlashOp& op, hal::BusPhase kind) override {
        tell([&](hal::Probe& probe) { probe.bus_held(begin, end, op, kind); });
    }
    void bus_phase(hal::Channel channel, Ps begin, Ps end, hal::BusPhase phase) override {
        tell([&](hal::Probe& probe) { probe.bus_phase(channel, begin, end, phase); });
    }
    void die_taken(Ps at, const hal::FlashOp& op, hal::PlaneSet planes) override {
        tell([&](hal::Probe& probe) { probe.die_taken(at, op, planes); });
    }
    void die_released(Ps at, hal::Channel channel, hal::Die die, hal::PlaneSet planes) override {
        tell([&](hal::Probe& probe) { probe.die_released(at, channel, die, planes); });
    }
    void die_busy(Ps begin, Ps ready, hal::Channel channel, hal::Die die) override {
        tell([&](hal::Probe& probe) { probe.die_busy(begin, ready, channel, die); });
    }
    void array_busy(Ps begin, Ps end, const hal::FlashOp& op, bool suspended) override {
        tell([&](hal::Probe& probe) { probe.array_busy(begin, end, op, suspended); });
    }
    void free_superblocks(std::uint32_t parallel_unit, std::uint32_t count) override {
        tell([&](hal::Probe& probe) { probe.free_superblocks(parallel_unit, count); });
    }
    void write_buffer(std::uint32_t slots) override {
        tell([&](hal::Probe& probe) { probe.write_buffer(slots); });
    }
    void boot_step(Ps begin, std::string_view name) override {
        tell([&](hal::Probe& probe) { probe.boot_step(begin, name); });
    }
    void boot_step_ended(Ps at) override {
        tell([&](hal::Probe& probe) { probe.boot_step_ended(at); });
    }
    void decided(const hal::Decision& decision) override {
        tell([&](hal::Probe& probe) { probe.decided(decision); });
    }

  private:
    template <class Message>
    void tell(const Message& message) {
        for (hal::Probe* probe : probes_) {
            message(*probe);
        }
    }

    std::vector<hal::Probe*> probes_;
};

}  // namespace solidtlm::testbench
