// SPDX-License-Identifier: Apache-2.0
//
// Process, queues and dies of the flash controller.
#include "hw/nand/flash_controller.h"

#include <algorithm>

namespace solidtlm::hw {

using hal::FlashOp;
using hal::FlashOpcode;
using hal::FlashPiece;
using hal::FlashStatus;
using hal::Stage;

FlashController::FlashController(const sc_core::sc_module_name& name, const NandConfig& config,
                                 hal::Channel channel)
    : sc_module(name),
      die_init("die_init", config.geometry.dies),
      config_(config),
      channel_(channel),
      timing_(make_bus_timing(config.bus)),
      ecc_on_(config.ecc.codeword_bytes != 0),
      shared_enable_(config.geometry.dies_per_way > 1),
      planner_(config),
      encoder_(config.ecc.codeword_bytes, config.ecc.encode_mb_per_s, config.ecc.encode_latency),
      decoder_(config.ecc.codeword_bytes, config.ecc.decode_mb_per_s, config.ecc.decode_latency),
      data_out_{nullptr, Ps{0}, Ps{0}, decoder_},
      bus_(config.controller.arbitration),
      dies_(config.geometry.dies, DieState(config.controller.reads_overtake)) {
    core_target.register_nb_transport_fw(this, &FlashController::nb_transport_fw);
    dram_init.register_nb_transport_bw(this, &FlashController::dram_nb_transport_bw);
    SC_METHOD(work_method);
    sensitive << agenda_.due_event();
    dont_initialize();
}

tlm::tlm_sync_enum FlashController::nb_transport_fw(FlashOp& op, FlashPhase& phase, sc_core::sc_time& delay) {
    if (phase != FlashPhase::submit || delay != sc_core::SC_ZERO_TIME) {
        SC_REPORT_FATAL("/ssd/flash_controller", "the core only submits, and without delay");
    }
    FlashRequest& request = take_request();
    request.op = &op;
    push(now(), WakeKind::arrival, request);
    return tlm::TLM_ACCEPTED;
}

FlashRequest& FlashController::take_request() {
    if (free_.empty()) {
        requests_.push_back(std::make_unique<FlashRequest>());
        requests_.back()->index = static_cast<std::uint32_t>(requests_.size() - 1);
        free_.push_back(requests_.back().get());
    }
    FlashRequest& request = *free_.back();
    free_.pop_back();
    request.sequence = next_sequence_++;
    request.step = Step::queued;
    request.slot = 0;
    request.accepted = request.confirmed = request.copy_source_read = request.cached_command = false;
    request.sensed = request.waits_for_bus = request.loaded = false;
    request.suspends = 0;
    request.ahead = nullptr;
    request.accesses.clear();
    request.accesses_open = 0;
    return request;
}

void FlashController::recycle(FlashRequest& request) {
    ++request.token;
    request.op = nullptr;
    free_.push_back(&request);
}

// 1. Everything that is due changes state. 2. Dies are given away. 3. The bus is given away.
void FlashController::work_method() {
    ++statistics_.activations;
    bus_.settle(now());
    Wake wake;
    while (agenda_.pop_due(wake)) {
        if (wake.request == nullptr || wake.request->token == wake.token) {
            handle(wake);
        }
    }
    decide();
}

void FlashController::handle(const Wake& wake) {
    switch (wake.kind) {
        case WakeKind::arrival:
            return arrive(*wake.request);
        case WakeKind::ready:
            return on_ready(*wake.request);
        case WakeKind::array_done:
            return on_array_done(*wake.request);
        case WakeKind::pausing:
            return on_pausing(*wake.request);
        case WakeKind::encoded:
            return ask_bus(*wake.request, Step::command);
        case WakeKind::decoded:
            return on_decoded(*wake.request);
        case WakeKind::dram:
            return on_dram(*wake.request);
        case WakeKind::finished:
            return finish(*wake.request);
        case WakeKind::drained:
            return on_drained(die_of(*wake.request));
        case WakeKind::look:
            if (wake.token < dies_.size()) {
                mark_dirty(dies_[wake.token]);
            }
            return;
    }
    SC_REPORT_FATAL("/ssd/flash_controller", "unknown wake-up");
}

void FlashController::decide() {
    // Granting a die never makes another die free, but may ask for the bus.
    for (std::size_t i = 0; i < dirty_.size(); ++i) {
        DieState& die = dies_[dirty_[i]];
        die.dirty = false;
        schedule(die);
    }
    dirty_.clear();
    while (FlashRequest* request = bus_.grant()) {
        grant_bus(*request);
        bus_.settle(now());
    }
    if (bus_.wanted() && bus_wake_at_ != bus_.busy_until()) {
        bus_wake_at_ = bus_.busy_until();
        agenda_.push(bus_wake_at_, Wake{WakeKind::look, static_cast<std::uint32_t>(dies_.size()), nullptr});
    }
}

/// Why `op` cannot be sent to a die, or null.
const char* FlashController::fault_of(const FlashOp& op) const {
    const NandGeometry& geometry = config_.geometry;
    if (op.planes == 0 || op.planes > std::min<std::size_t>(geometry.planes, hal::kMaxPlanesPerOp)) {
        return "number of planes";
    }
    const hal::FlashAddress& first = op.address[0];
    const auto elsewhere = [&first](const hal::FlashAddress& at) {
        return at.channel != first.channel || at.die != first.die;
    };
    if (first.channel != channel_ || first.die.value >= geometry.dies ||
        std::any_of(op.address.begin(), op.address.begin() + op.planes, elsewhere)) {
        return "die";
    }
    if (!op.spare.empty() && op.spare.size() != std::size_t{op.planes} * config_.metadata_bytes) {
        return "length of the spare area";
    }
    if (!op.pieces.empty() && !is_read(op) && !is_program(op)) {
        return "pieces in an operation without data";
    }
    const auto wrong = [&](const FlashPiece& piece) {
        return piece.plane_slot >= op.planes || piece.length_bytes == 0 ||
               piece.column_bytes % hal::kSectorBytes != 0 || piece.length_bytes % hal::kSectorBytes != 0 ||
               std::uint64_t{piece.column_bytes} + piece.length_bytes > geometry.page_bytes;
    };
    return std::any_of(op.pieces.begin(), op.pieces.end(), wrong) ? "pieces" : nullptr;
}

void FlashController::arrive(FlashRequest& request) {
    FlashOp& op = *request.op;
    op.status = FlashStatus::ok;
    op.plane_status.fill(FlashStatus::ok);
    if (const char* fault = fault_of(op)) {
        violations_.report(Violation::bad_request, op.address[0], fault);
        op.status = FlashStatus::rule_violation;
        op.plane_status.fill(FlashStatus::rule_violation);
        finish(request);
        return;
    }
    DieState& die = die_of(request);
    settle(die);
    planner_.plan(op, request.bursts);
    std::uint64_t piece_bytes = 0;
    for (const FlashPiece& piece : op.pieces) {
        piece_bytes += piece.length_bytes;
    }
    request.content.resize(hal::content_bytes(config_.content, piece_bytes));
    enter(request, Stage::die_wait, now());
    if (op.ledger != nullptr) {
        request.die_before = die.clock.snapshot(now());
    }
    request.accepted = true;
    ++die.pending;
    die.queue.push(request);
    statistics_.max_queued = std::max(statistics_.max_queued, die.queue.size());
    if (is_program(op)) {
        start_load(request);
    }
    mark_dirty(die);
}

void FlashController::count(const FlashOp& op) {
    const auto cause = static_cast<std::size_t>(op.cause);
    const bool copy = op.opcode == FlashOpcode::copy_back;
    statistics_.reads[cause] += is_read(op) || copy ? op.planes : 0U;
    statistics_.programs[cause] += is_program(op) || copy ? op.planes : 0U;
    statistics_.erases[cause] += op.opcode == FlashOpcode::erase ? op.planes : 0U;
}

void FlashController::finish(FlashRequest& request) {
    FlashOp& op = *request.op;
    ++statistics_.operations;
    statistics_.failures += op.status != FlashStatus::ok ? 1U : 0U;
    if (op.status != FlashStatus::rule_violation) {
        count(op);
    }
    if (request.accepted) {
        DieState& die = die_of(request);
        if (die.active == &request) {
            die.active = nullptr;
            const FlashRequest* former = die.draining != nullptr ? die.draining : die.background;
            if (former != nullptr) {
                hold(die, *former);  // refused in the middle of a cache sequence
            } else {
                release(die, now());
            }
            mark_dirty(die);
        }
        --die.pending;
    }
    enter(request, Stage::firmware_wait, now());
    recycle(request);
    FlashPhase phase = FlashPhase::done;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (core_target->nb_transport_bw(op, phase, delay) != tlm::TLM_COMPLETED) {
        SC_REPORT_FATAL("/ssd/flash_controller", "the core takes its operation back at once");
    }
}

void FlashController::mark_dirty(DieState& die) {
    if (!die.dirty) {
        die.dirty = true;
        dirty_.push_back(static_cast<std::uint16_t>(&die - dies_.data()));
    }
}

/// A die whose last data left at free_at has been free since then.
void FlashController::settle(DieState& die) {
    if (die.leaving && die.free_at <= now()) {
        die.leaving = false;
        release(die, die.free_at);
    }
}

void FlashController::hold(DieState& die, const FlashRequest& request) {
    if (die.clock.held()) {
        release(die, now());
    }
    die.clock.take(holder_of(*request.op), now());
    die.cause = request.op->cause;
    die.held_since = now();
    if (probe_ != nullptr) {
        probe_->die_taken(now(), *request.op);
    }
}

void FlashController::release(DieState& die, Ps at) {
    die.clock.release(at);
    statistics_.die_held[static_cast<std::size_t>(die.cause)] += at - die.held_since;
    if (at >= now()) {  // else leave_at() has told it ahead of time
        tell_released(die, at);
    }
}

void FlashController::tell_released(const DieState& die, Ps at) {
    if (probe_ != nullptr) {
        probe_->die_released(at, channel_, hal::Die{static_cast<std::uint16_t>(&die - dies_.data())});
    }
}

/// The holder's last data leaves at `at`; nothing more is to be done for it then.
void FlashController::leave_at(DieState& die, Ps at) {
    die.active = nullptr;
    die.leaving = true;
    die.free_at = at;
    tell_released(die, at);
}

void FlashController::schedule(DieState& die) {
    settle(die);
    const bool wanted = !die.queue.empty() || die.suspended != nullptr;
    if (die.leaving) {
        if (wanted && die.wake_at != die.free_at) {
            die.wake_at = die.free_at;
            agenda_.push(die.free_at,
                         Wake{WakeKind::look, static_cast<std::uint32_t>(&die - dies_.data()), nullptr});
        }
        return;
    }
    if (!wanted) {
        return;
    }
    if (die.active != nullptr) {
        try_interrupt(die);
    } else if (die.background != nullptr) {
        FlashRequest* next = die.queue.next();
        if (next != nullptr && is_program(*next->op)) {
            grant_die(die, *next);
        }
    } else if (die.draining == nullptr && die.suspended != nullptr) {
        FlashRequest& paused = *die.suspended;
        FlashRequest* read = paused.suspends < config_.controller.max_suspends
                                 ? die.queue.interrupting_read(*paused.op)
                                 : nullptr;
        if (read != nullptr) {
            ++paused.suspends;
            grant_die(die, *read);
            return;
        }
        die.suspended = nullptr;
        die.active = &paused;
        hold(die, paused);
        if (paused.op->ledger != nullptr) {
            paused.op->ledger->close_wait(Stage::die_wait, paused.die_before, die.clock.snapshot(now()),
                                          Stage::channel_wait, now());
        }
        ask_bus(paused, Step::resume);
    } else if (die.draining == nullptr) {
        grant_die(die, *die.queue.next());
    }
}

void FlashController::grant_die(DieState& die, FlashRequest& request) {
    die.queue.remove(request);
    die.active = &request;
    hold(die, request);
    if (request.op->ledger != nullptr) {
        request.op->ledger->close_wait(Stage::die_wait, request.die_before, die.clock.snapshot(now()),
                                       Stage::channel_wait, now());
    }
    if (!is_program(*request.op) || (request.loaded && request.encoded_at <= now())) {
        ask_bus(request, Step::command);
        return;
    }
    request.step = Step::load;
    request.accesses_begin = std::max(request.accesses_begin, now());
    enter(request, request.loaded ? Stage::ecc : Stage::dram_wait, now());
    if (request.loaded) {
        push(request.encoded_at, WakeKind::encoded, request);
    }
}

/// Lets a waiting host read pause the program or erase that holds its die.
void FlashController::try_interrupt(DieState& die) {
    const FlashRequest& running = *die.active;
    const FlashControllerConfig& config = config_.controller;
    const bool allowed = (config.suspend_program && running.op->opcode == FlashOpcode::program) ||
                         (config.suspend_erase && running.op->opcode == FlashOpcode::erase);
    if (!allowed || die.interrupter != nullptr || die.suspended != nullptr || die.background != nullptr ||
        running.step != Step::array || !running.confirmed || running.ready_at <= now() ||
        running.suspends >= config.max_suspends) {
        return;
    }
    if (FlashRequest* read = die.queue.interrupting_read(*running.op)) {
        die.interrupter = read;
        read->step = Step::suspending;
        bus_.ask(*read, false);
    }
}

std::vector<PendingOperation> FlashController::pending_operations(hal::Die die) const {
    const DieState& state = dies_[die.value];
    std::vector<PendingOperation> operations;
    for (const FlashRequest* request : {state.active, state.draining, state.background}) {
        if (request != nullptr) {
            operations.push_back(PendingOperation{request->op, true, state.held_since, request->step});
        }
    }
    if (state.suspended != nullptr) {
        operations.push_back(PendingOperation{state.suspended->op, false, Ps{0}, Step::suspended});
    }
    for (const FlashRequest* request : state.queue.waiting()) {
        operations.push_back(PendingOperation{request->op, false, Ps{0}, request->step});
    }
    return operations;
}

FlashControllerStatistics FlashController::statistics() const {
    FlashControllerStatistics result = statistics_;
    result.bus_busy = bus_.busy();
    result.max_bus_waiters = bus_.max_waiters();
    result.decoder_busy = decoder_.busy();
    result.encoder_busy = encoder_.busy();
    for (const DieState& die : dies_) {
        if (die.clock.held()) {
            result.die_held[static_cast<std::size_t>(die.cause)] += die.held_until(now()) - die.held_since;
        }
    }
    return result;
}

void FlashController::power_cut() {
    bus_.clear(now());
    encoder_.stop(now());
    encoder_.restart();
    end_decoding(now());
    for (DieState& die : dies_) {
        if (die.clock.held()) {
            release(die, die.held_until(now()));
        }
        end_array(die, now());
        die.queue.clear();
        die.active = die.draining = die.background = die.suspended = die.interrupter = nullptr;
        die.leaving = false;
        die.pending = 0;
    }
    for (const auto& request : requests_) {
        if (request->op != nullptr) {
            recycle(*request);
        }
    }
}

}  // namespace solidtlm::hw
