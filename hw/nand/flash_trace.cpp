// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/flash_trace.h"

#include <algorithm>

namespace solidtlm::hw {

using hal::BusPhase;
using hal::FlashOp;
using hal::FlashOpcode;

namespace {

/// Reports the parts of one bus phase one after the other.
class PhaseTrace {
  public:
    PhaseTrace(hal::Probe& probe, const BusTiming& timing, hal::Channel channel)
        : probe_(probe), timing_(timing), channel_(channel), at_(now()) {}

    void command() { add(BusPhase::command, timing_.cycles(1, 0)); }
    void address(std::uint32_t cycles) { add(BusPhase::address, timing_.cycles(0, cycles)); }
    void wait(Ps time) { add(BusPhase::wait, time); }
    void data_in(std::uint32_t bytes) { add(BusPhase::data_in, timing_.data_in(bytes)); }
    void data_out(std::uint32_t bytes) { add(BusPhase::data_out, timing_.data_out(bytes)); }
    void status(bool enhanced) {
        command();
        if (enhanced) {
            address(BusTiming::kRowCycles);
        }
        wait(timing_.t_whr);
        add(BusPhase::status, timing_.data_out(1));
    }
    /// Checks that the reported parts fill exactly the time for which the bus is held.
    void expect_end(Ps end) const {
        if (at_ != end) {
            SC_REPORT_FATAL("/ssd/flash_controller",
                            "the phases reported to a probe do not fill the bus time");
        }
    }

  private:
    void add(BusPhase phase, Ps time) {
        if (time > Ps{0}) {
            probe_.bus_phase(channel_, at_, at_ + time, phase);
        }
        at_ += time;
    }

    hal::Probe& probe_;
    const BusTiming& timing_;
    hal::Channel channel_;
    Ps at_;
};

/// 80h-5A, the data of one page, and the confirm.
void trace_data_in(PhaseTrace& trace, const FlashRequest& request, const BusTiming& timing, bool copy_back) {
    trace.command();
    trace.address(BusTiming::kAddressCycles);
    bool first = !copy_back;
    for (const Burst& burst : request.pages.of_page(request.slot)) {
        if (first) {
            trace.wait(timing.t_adl);
        } else {
            trace.command();
            trace.address(BusTiming::kColumnCycles);
            trace.wait(timing.t_ccs);
        }
        trace.data_in(burst.bytes);
        first = false;
    }
    trace.command();
    trace.wait(timing.t_wb);
}

}  // namespace

void FlashTrace::tell_command(const FlashRequest& request, NandCommand code, Ps duration) const {
    const FlashOp& op = *request.op;
    const bool data = code == NandCommand::program || code == NandCommand::program_plane ||
                      code == NandCommand::copy_back_program;
    probe_->bus_held(now(), now() + duration, op, data ? BusPhase::data_in : BusPhase::command);
    PhaseTrace trace(*probe_, timing_, channel_);
    if (code == NandCommand::suspend || code == NandCommand::resume) {
        trace.command();
        trace.address(BusTiming::kRowCycles);
    } else if (code == NandCommand::set_features) {
        trace.command();
        trace.address(1);
        trace.wait(timing_.t_adl);
        trace.data_in(BusTiming::kFeatureBytes * timing_.granule);
    } else if (data) {
        if (request.has_prefix(op.slc)) {
            trace.command();
        }
        trace_data_in(trace, request, timing_, op.opcode == FlashOpcode::copy_back);
        return trace.expect_end(now() + duration);
    } else if (code == NandCommand::erase) {
        for (std::uint32_t plane = 0; plane < op.planes; ++plane) {
            trace.command();
            trace.address(BusTiming::kRowCycles);
        }
        trace.command();
    } else {
        if (request.has_prefix(op.senses_slc())) {
            trace.command();
        }
        trace.command();
        trace.address(BusTiming::kAddressCycles);
        trace.command();
    }
    trace.wait(timing_.t_wb);
    trace.expect_end(now() + duration);
}

void FlashTrace::tell_data_out(const FlashRequest& request, Ps duration) const {
    probe_->bus_held(now(), now() + duration, *request.op, BusPhase::data_out);
    if (request.pages.bursts.empty()) {
        return;
    }
    const bool select = selects_ || request.op->planes > 1;
    PhaseTrace trace(*probe_, timing_, channel_);
    trace.wait(timing_.t_rr);
    const Burst* before = nullptr;
    for (const Burst& burst : request.pages.bursts) {
        const bool other_plane = before == nullptr || before->plane_slot != burst.plane_slot;
        if (before != nullptr) {
            trace.wait(timing_.t_rhw);
        }
        if (!other_plane || select) {
            trace.command();
            trace.address(other_plane ? BusTiming::kAddressCycles : BusTiming::kColumnCycles);
            trace.command();
            trace.wait(timing_.t_ccs);
        }
        trace.data_out(burst.bytes);
        before = &burst;
    }
    trace.expect_end(now() + duration);
}

void FlashTrace::tell_status(const FlashOp& op, Ps duration) const {
    probe_->bus_held(now(), now() + duration, op, BusPhase::status);
    PhaseTrace trace(*probe_, timing_, channel_);
    trace.status(shared_enable_);
    if (duration > timing_.status(shared_enable_)) {  // plane by plane after a failure
        for (std::uint32_t plane = 0; plane < op.planes; ++plane) {
            trace.status(true);
        }
    }
    trace.expect_end(now() + duration);
}

void FlashTrace::tell_array(const FlashOp& op, NandCommand code, Ps begin, Ps ready) {
    if (ready > begin) {
        const bool beside = code == NandCommand::read && reads_alone(plane_reads_, op);
        Ps& rises = ready_[op.address[0].die.value];
        rises = beside ? std::max(rises, ready) : ready;
        probe_->die_busy(begin, rises, channel_, op.address[0].die);
        probe_->array_busy(begin, ready, op, code == NandCommand::suspend);
    }
}

}  // namespace solidtlm::hw
