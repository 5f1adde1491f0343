// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/flash_controller.h"

#include <algorithm>
#include <array>

#include "hw/nand/plane_reads.h"

namespace solidtlm::hw {

using hal::FlashOp;
using hal::FlashOpcode;
using hal::FlashStatus;
using hal::Stage;

namespace {

// The name of a DRAM access consists of request, token and number, so that an answer that comes after a power
// cut is recognised.
constexpr unsigned kRequestShift = 40;
constexpr unsigned kTokenShift = 16;
constexpr std::uint64_t kTokenMask = 0xffffff;
constexpr std::uint64_t kAccessMask = 0xffff;

}  // namespace

FlashController::FlashController(const sc_core::sc_module_name& name, const NandConfig& config,
                                 hal::Channel channel)
    : AgendaModule(name),
      die_init("die_init", config.geometry.dies),
      dram_init("dram_init", config.most_accesses),
      ecc_(config.ecc),
      timing_(make_bus_timing(config.bus)),
      shared_enable_(config.geometry.dies_per_way > 1),
      planner_(config, channel),
      requests_(config.most_requests()),
      trace_(timing_, config, channel),
      bus_(config.controller.arbitration),
      dies_(config, trace_, timing_.suspend_command()),
      read_path_(config, timing_),
      encoder_(config.ecc.codeword_bytes, config.ecc.encode_mb_per_s, config.ecc.encode_latency),
      plane_reads_(plane_reads_of(config)),
      arrays_per_die_(array_count(config)),
      arrays_(std::size_t{config.geometry.dies} * arrays_per_die_) {
    core_target.register_nb_transport_fw(this, &FlashController::nb_transport_fw);
}

tlm::tlm_sync_enum FlashController::nb_transport_fw(FlashOp& op, FlashPhase& phase, sc_core::sc_time& delay) {
    if (phase != FlashPhase::submit || delay != sc_core::SC_ZERO_TIME) {
        SC_REPORT_FATAL("/ssd/flash_controller", "the core only submits, and without delay");
    }
    later<&FlashController::arrive>(now(), requests_.take(op));
    return tlm::TLM_ACCEPTED;
}

void FlashController::arrive(FlashRequest& request) {
    FlashOp& op = *request.op;
    op.status = FlashStatus::ok;
    op.plane_status.fill(FlashStatus::ok);
    op.corrected_bits = 0;
    op.retries = 0;
    if (const char* fault = planner_.plan(op, request.pages)) {
        violations_.report(Violation::bad_request, op.address[0], fault);
        op.status = FlashStatus::rule_violation;
        op.plane_status.fill(FlashStatus::rule_violation);
        finish(request);
        return;
    }
    request.content.resize(request.pages.content_bytes);
    request.accepted = true;
    constexpr std::array<Phase, hal::kFlashOpcodeNames.size()> kBegin{
        &FlashController::begin_read, &FlashController::begin_program, &FlashController::begin_erase,
        &FlashController::begin_read};  // of the source of a copy-back
    request.begin = kBegin[static_cast<std::size_t>(op.opcode)];
    dies_.add(request);
    if (op.opcode == FlashOpcode::program) {
        fetch(request);
    }
}

void FlashController::finish(FlashRequest& request) {
    FlashOp& op = *request.op;
    ++statistics_.operations;
    statistics_.failures += op.status != FlashStatus::ok ? 1U : 0U;
    if (op.status != FlashStatus::rule_violation) {
        const auto cause = static_cast<std::size_t>(op.cause);
        const bool copy = op.opcode == FlashOpcode::copy_back;
        const bool programs = op.opcode == FlashOpcode::program || copy;
        statistics_.reads[cause] += op.opcode == FlashOpcode::read || copy ? op.planes : 0U;
        statistics_.programs[cause] += programs ? op.slots() : 0U;
        statistics_.erases[cause] += op.opcode == FlashOpcode::erase ? op.planes : 0U;
        if (op.senses_slc()) {
            statistics_.slc_reads += op.opcode == FlashOpcode::read || copy ? op.planes : 0U;
        }
        if (op.slc) {
            statistics_.slc_programs += programs ? op.slots() : 0U;
        }
    }
    if (request.accepted) {
        dies_.remove(request);
    }
    request.enter(Stage::firmware_wait, now());
    requests_.give_back(request);
    FlashPhase phase = FlashPhase::done;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (core_target->nb_transport_bw(op, phase, delay) != tlm::TLM_COMPLETED) {
        SC_REPORT_FATAL("/ssd/flash_controller", "the core takes its operation back at once");
    }
}

void FlashController::die_may_be_free(std::uint64_t die) {
    bus_.settle(now());
    dies_.look_at(die);
    decide_soon();
}

void FlashController::bus_may_be_free() {
    bus_.settle(now());
    decide_soon();
}

void FlashController::decide_soon() {
    if (state_.deciding) {
        return;
    }
    if (agenda().nothing_else_now()) {
        decide();
    } else {
        state_.deciding = true;
        at<&FlashController::decide>(now());
    }
}

/// Runs after all other changes of this instant.
void FlashController::decide() {
    state_.deciding = false;
    ++statistics_.activations;
    while (DieScheduler::DieState* die = dies_.next_changed()) {
        schedule(*die);
        DieScheduler::note_waits(*die);
    }
    while (FlashRequest* request = bus_.grant()) {
        (this->*request->granted)(*request);
        bus_.settle(now());
    }
    if (bus_.wanted()) {
        bus_.note_waits(now());
        if (state_.bus_wake_at != bus_.busy_until()) {
            state_.bus_wake_at = bus_.busy_until();
            at<&FlashController::bus_may_be_free>(state_.bus_wake_at);
        }
    }
}

// Granting a die never frees another die, but may ask for the bus.
void FlashController::schedule(DieScheduler::DieState& die) {
    const DieScheduler::Turn turn = dies_.schedule(die);
    if (turn.holder != nullptr) {
        (this->*turn.holder->begin)(*turn.holder);
    } else if (turn.preempting_read != nullptr) {  // its ledger still shows the wait for the die
        turn.preempting_read->granted = &FlashController::suspend;
        bus_.ask(*turn.preempting_read, false);
    } else if (turn.look_at > Ps{0}) {
        at<&FlashController::die_may_be_free>(turn.look_at, std::uint64_t{die.index.value});
    }
}

void FlashController::occupy_bus(FlashRequest& request, Ps duration) {
    if (request.waits_for_bus) {
        request.end_wait(Stage::channel_wait, request.bus_asked, request.bus_before, bus_.clock(),
                         Stage::channel_transfer, now());
        request.waits_for_bus = false;
    }
    bus_.take(*request.op, now(), duration);
}

Ps FlashController::call_die(NandTransaction& transaction, Ps duration) {
    auto& die = die_init[transaction.op->address[0].die.value];
    sc_core::sc_time delay = to_sc_time(duration);
    if (!border_) {
        die->b_transport(transaction, delay);
        return now() + to_ps(delay);
    }
    const Agenda::Outside outside(agenda());
    delay += outside.delay;
    die->b_transport(transaction, delay);
    return kernel_now() + to_ps(delay);
}

void FlashController::send(FlashRequest& request, NandCommand code, Ps duration) {
    NandTransaction transaction{code, request.op, request.content.empty() ? nullptr : request.content.data()};
    transaction.level = request.level;
    request.ready_at = call_die(transaction, duration);
    const Ps sent = now() + duration;
    const std::uint32_t plane = code == NandCommand::read ? array_of(plane_reads_, *request.op) : 0;
    ArrayClock& array = arrays_[request.op->address[0].die.value * arrays_per_die_ + plane];
    trace_.command(request, code, duration);
    trace_.array(*request.op, code, sent, request.ready_at);
    if (code == NandCommand::suspend) {
        array.end(sent, statistics_.array_busy);
    }
    array.add(sent, request.ready_at, request.op->cause, statistics_.array_busy);
}

void FlashController::access_dram(FlashRequest& request, bool write, std::vector<std::byte>& content,
                                  Phase moved) {
    const std::vector<DramAccess>& accesses = request.pages.accesses;
    request.moved = moved;
    request.accesses_begin = now();
    request.accesses_open = static_cast<std::uint32_t>(accesses.size());
    const std::uint64_t name = std::uint64_t{request.index} << kRequestShift | (request.token & kTokenMask)
                                                                                   << kTokenShift;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
        std::byte* data = content.empty() ? nullptr : content.data() + accesses[i].offset;
        const DramRequest asked{write,   hal::DramAddress{accesses[i].address}, accesses[i].bytes, data, this,
                                name | i};
        if (const auto times = dram_init.access(asked, now())) {
            access_granted(request, i, now() + times->sum(), times->transfer);
        }
    }
}

void FlashController::dram_granted(std::uint64_t id, Ps end, const DramTimes& times) {
    FlashRequest& request = requests_[id >> kRequestShift];
    if ((id >> kTokenShift & kTokenMask) == (request.token & kTokenMask)) {
        access_granted(request, id & kAccessMask, end, times.transfer);
    }
}

void FlashController::access_granted(FlashRequest& request, std::size_t access, Ps end, Ps transfer) {
    std::vector<DramAccess>& accesses = request.pages.accesses;
    accesses[access].end = end;
    accesses[access].transfer = transfer;
    if (--request.accesses_open == 0) {
        const auto later_end = [](const DramAccess& a, const DramAccess& b) { return a.end < b.end; };
        later<&FlashController::accesses_ended>(
            std::max_element(accesses.begin(), accesses.end(), later_end)->end, request);
    }
}

void FlashController::enter_transfer(const FlashRequest& request) const {
    Ps covered_to = request.accesses_begin;
    Ps sum{0};
    for (const DramAccess& access : request.pages.accesses) {  // served in order of issue
        const Ps begin = std::max(access.end - access.transfer, covered_to);
        const Ps end = std::min(access.end, now());
        if (end > begin) {
            sum += end - begin;
            covered_to = end;
        }
    }
    request.enter(Stage::dram_transfer, now() - sum);
}

FlashControllerStatistics FlashController::statistics() const {
    FlashControllerStatistics result = statistics_;
    result.bus_busy = bus_.busy();
    result.max_bus_waiters = bus_.max_waiters();
    result.decoder_busy = read_path_.decoder_busy();
    result.encoder_busy = encoder_.busy();
    dies_.report(result);
    return result;
}

void FlashController::power_cut() {
    drop_work();
    state_ = {};
    bus_.power_cut(now());
    read_path_.power_cut(now());
    for (ArrayClock& array : arrays_) {
        array.end(now(), statistics_.array_busy);
    }
    encoder_.stop(now());
    encoder_.restart();
    dies_.power_cut();
    requests_.give_back_all();
}

}  // namespace solidtlm::hw
