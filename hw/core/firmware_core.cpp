// SPDX-License-Identifier: Apache-2.0
#include "hw/core/firmware_core.h"

#include <algorithm>

namespace solidtlm::hw {
namespace {

constexpr const char* kMessageType = "/ssd/core";
/// A program whose slices take no time this often in a row will never end.
constexpr std::uint32_t kMaxEmptySlices = 1U << 20U;
/// For all code that coroutines, hosts and recorders call; memory is used only where it is touched. Without
/// optimisation, the resumption of another coroutine is no tail call, and long loops of them take megabytes.
constexpr std::size_t kStackBytes = std::size_t{16} << 20U;

}  // namespace

void CoreStatistics::tell(hal::Metrics& metrics) const {
    metrics.time("core.busy_us", "time the core worked or stalled", busy);
    metrics.time("core.stall_us", "the part of core.busy_us that waited for memory", stall);
    metrics.counter("core.cycles", "cycles", "cycles executed", cycles);
    metrics.counter("core.slices", "slices", "slices of work that took time", slices);
    metrics.counter("core.wake_ups", "wake-ups", "wake-ups of an idle core", wake_ups);
    metrics.counter("core.flash_operations", "operations", "operations submitted to the flash controllers",
                    flash_ops);
    metrics.longest("core.longest_turn_us",
                    "longest time for which one coroutine executed, perhaps in several slices, while others "
                    "were ready; without stalls",
                    longest_turn);
}

Ps CoreStatistics::total_busy() const {
    Ps sum{0};
    for (const Ps part : busy) {
        sum += part;
    }
    return sum;
}

FirmwareCore::FirmwareCore(const sc_core::sc_module_name& name, const CoreConfig& config,
                           const DramConfig& dram, std::uint32_t channels, std::uint32_t dies_per_channel)
    : AgendaModule(name),
      flash_init("flash_init", channels),
      dram_init("dram_init", 1),
      dram_bytes_(dram.size_bytes),
      content_mode_(dram.content),
      dies_per_channel_(dies_per_channel),
      clock_(config.frequency_mhz),
      state_(std::size_t{channels} * dies_per_channel),
      most_operations_(config.most_operations) {
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
        flash_init[channel].register_nb_transport_bw(this, &FirmwareCore::nb_transport_bw);
    }
    SC_HAS_PROCESS(FirmwareCore);
    SC_THREAD(core_thread);
    set_stack_size(kStackBytes);
    agenda().take_over();
}

void FirmwareCore::core_thread() {
    agenda().begin();
    while (true) {
        run_program();
        while (!runs_) {
            agenda().step();
        }
    }
}

void FirmwareCore::load(hal::Program& program) {
    if (state_.program != nullptr) {
        SC_REPORT_FATAL(kMessageType, "a program is loaded already");
    }
    state_.program = &program;
    program.on_work(hal::Completion{[](void* core) { static_cast<FirmwareCore*>(core)->kick(); }, this});
    if (halted_) {
        halted_ = false;
        wake_.arm(now());
    }
}

void FirmwareCore::power_cut() {
    if (state_.running.active) {
        charge(statistics_, now());
    }
    state_ = Volatile(state_.pending.size());
    clock_.restart();
    ++boot_;
    wake_.disarm();
    alarm_wake_.disarm();
    // A thread that has not run yet, or is inside step(), will start to wait for a program by itself.
    halted_ = !runs_ && !in_step_;
}

void FirmwareCore::kick() {
    state_.kicked = true;
    if (state_.sleeping) {
        state_.sleeping = false;
        ++statistics_.wake_ups;
        wake_.arm(now());
    }
}

/// Runs the firmware until it spends time or has nothing to do.
void FirmwareCore::run_program() {
    runs_ = false;
    // 1. End the slice that was running.
    if (state_.running.active) {
        charge(statistics_, now());
        state_.running.active = false;
    }
    // 2. Let the program run until it spends time or has nothing to do.
    std::uint32_t empty_slices = 0;
    while (state_.program != nullptr) {
        state_.kicked = false;
        const std::uint64_t boot = boot_;
        in_step_ = true;
        const hal::Slice slice = state_.program->step();
        in_step_ = false;
        if (boot != boot_) {
            continue;  // the program cut its own power
        }
        if (slice.idle) {
            if (!state_.kicked) {
                state_.sleeping = true;
                return;
            }
            empty_slices = 0;
        } else if (slice.cycles == 0 && slice.stall == Ps{0}) {
            if (++empty_slices == kMaxEmptySlices) {
                SC_REPORT_FATAL(kMessageType, "the program runs forever without spending time");
            }
        } else {
            empty_slices = 0;
            if (execute(slice)) {
                return;
            }
        }
    }
    // 3. No program is loaded: wait for a boot.
    halted_ = true;
}

/// Begins a slice; false if it takes no time.
bool FirmwareCore::execute(const hal::Slice& slice) {
    statistics_.cycles += slice.cycles;
    ++statistics_.slices;
    state_.running = Running{true, now(), clock_.advance(slice.cycles), slice.stall, slice.cause};
    state_.turn = slice.turn_after(state_.turn, state_.running.execute);
    statistics_.longest_turn = std::max(statistics_.longest_turn, state_.turn);
    const Ps duration = state_.running.execute + state_.running.stall;
    if (probe_ != nullptr) {
        probe_->core_slice(now(), now() + state_.running.execute, now() + duration, slice.cause);
    }
    if (duration > Ps{0}) {
        wake_.arm(now() + duration);
        return true;
    }
    state_.running.active = false;
    return false;
}

/// Adds the elapsed part of the running slice: first its cycles, then its stall.
void FirmwareCore::charge(CoreStatistics& statistics, Ps until) const {
    const auto cause = static_cast<std::size_t>(state_.running.cause);
    const Ps passed = until - state_.running.begin;
    statistics.busy[cause] += passed;
    statistics.stall[cause] += std::max(Ps{0}, passed - state_.running.execute);
}

CoreStatistics FirmwareCore::statistics() const {
    CoreStatistics result = statistics_;
    if (state_.running.active) {
        charge(result, now());
    }
    return result;
}

void FirmwareCore::set_alarm(Ps at, hal::Completion alarm) {
    if (at < now()) {
        SC_REPORT_FATAL(kMessageType, "an alarm cannot be set in the past");
    }
    state_.alarm = alarm;
    alarm_wake_.arm(at);
}

void FirmwareCore::alarm() {
    const hal::Completion alarm = state_.alarm;
    state_.alarm = {};  // the callback may set the next one
    alarm();
}

std::size_t FirmwareCore::die_index(hal::Channel channel, hal::Die die) const {
    if (channel.value >= flash_init.size() || die.value >= dies_per_channel_) {
        SC_REPORT_FATAL(kMessageType, "no such die");
    }
    return std::size_t{channel.value} * dies_per_channel_ + die.value;
}

std::uint32_t FirmwareCore::pending(hal::Channel channel, hal::Die die) const {
    return state_.pending[die_index(channel, die)];
}

void FirmwareCore::submit(hal::FlashOp& op) {
    const hal::FlashAddress& address = op.address[0];
    ++state_.pending[die_index(address.channel, address.die)];
    ++statistics_.flash_ops;
    if (op.opcode != hal::FlashOpcode::erase) {
        ++state_.outstanding;
        SOLIDTLM_CHECK(state_.outstanding <= most_operations_,
                       "no more operations are outstanding than the rooms of the firmware declare");
        most_outstanding_ = std::max(most_outstanding_, state_.outstanding);
    }
    FlashPhase phase = FlashPhase::submit;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (flash_init[address.channel.value]->nb_transport_fw(op, phase, delay) != tlm::TLM_ACCEPTED) {
        SC_REPORT_FATAL(kMessageType, "a flash controller must accept an operation");
    }
}

tlm::tlm_sync_enum FirmwareCore::nb_transport_bw(hal::FlashOp& op, FlashPhase& phase,
                                                 sc_core::sc_time& delay) {
    if (phase != FlashPhase::done || delay != sc_core::SC_ZERO_TIME) {
        SC_REPORT_FATAL(kMessageType,
                        "a flash controller may only report the end of an operation, without delay");
    }
    --state_.pending[die_index(op.address[0].channel, op.address[0].die)];
    state_.outstanding -= op.opcode != hal::FlashOpcode::erase ? 1 : 0;
    op.done();
    return tlm::TLM_COMPLETED;
}

hal::Dram::Access FirmwareCore::core_accesses(hal::DramAddress address, std::uint32_t bytes,
                                              std::uint32_t count, bool write, Ps offset) {
    const auto times =
        dram_init.access(DramRequest{write, address, bytes, nullptr, nullptr, 0, count}, hw::now() + offset);
    SOLIDTLM_CHECK(times.has_value(), "the DRAM completes an access of the core at once");
    return {times->wait, times->transfer};
}

std::byte* FirmwareCore::content(hal::DramAddress address) {
    if (content_mode_ == hal::ContentMode::none) {
        return nullptr;
    }
    if (address.value >= dram_bytes_) {
        SC_REPORT_FATAL(kMessageType, "content beyond the end of the DRAM");
    }
    if (content_base_ == nullptr) {
        tlm::tlm_generic_payload payload;
        tlm::tlm_dmi dmi;
        if (!dram_init->get_direct_mem_ptr(payload, dmi)) {
            SC_REPORT_FATAL(kMessageType, "the DRAM refuses direct access to its content");
        }
        content_base_ = reinterpret_cast<std::byte*>(dmi.get_dmi_ptr());
    }
    return content_base_ + hal::content_bytes(content_mode_, address.value);
}

}  // namespace solidtlm::hw
