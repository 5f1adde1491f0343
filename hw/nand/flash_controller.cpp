// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/flash_controller.h"

#include <algorithm>

namespace solidtlm::hw {

using hal::FlashOp;
using hal::FlashOpcode;
using hal::FlashStatus;
using hal::Stage;

FlashController::FlashController(const sc_core::sc_module_name& name, const NandConfig& config,
                                 hal::Channel channel)
    : AgendaModule(name),
      die_init("die_init", config.geometry.dies),
      config_(config),
      timing_(make_bus_timing(config.bus)),
      planner_(config, channel),
      trace_(timing_, channel, config.geometry.dies_per_way > 1),
      bus_(config, timing_, die_init, agenda_, trace_),
      data_(config, planner_, dram_init, requests_, agenda_),
      dies_(config, bus_, data_, agenda_, trace_) {
    core_target.register_nb_transport_fw(this, &FlashController::nb_transport_fw);
}

tlm::tlm_sync_enum FlashController::nb_transport_fw(FlashOp& op, FlashPhase& phase, sc_core::sc_time& delay) {
    if (phase != FlashPhase::submit || delay != sc_core::SC_ZERO_TIME) {
        SC_REPORT_FATAL("/ssd/flash_controller", "the core only submits, and without delay");
    }
    agenda_.push(now(), WakeKind::arrival, requests_.take(op));
    return tlm::TLM_ACCEPTED;
}

void FlashController::wake(std::uint64_t word) {
    const Wake wake = FlashAgenda::unpack(word);
    bus_.settle();
    if (wake.kind == WakeKind::die_free) {
        dies_.look_at(wake.index);
    } else if (wake.kind != WakeKind::bus_free) {
        FlashRequest& request = requests_[wake.index];
        if (request.token != wake.token) {
            return;  // void
        }
        handle(wake.kind, request);
    }
    if (deciding_) {
        return;
    }
    if (agenda().quiet()) {
        decide();
    } else {
        deciding_ = true;
        at<&FlashController::decide>(now());
    }
}

/// When everything of this instant is known.
void FlashController::decide() {
    deciding_ = false;
    ++statistics_.activations;
    dies_.schedule();
    while (FlashRequest* request = bus_.next()) {
        begin_phase(*request);
        bus_.settle();
    }
    bus_.wake_when_free();
}

void FlashController::handle(WakeKind kind, FlashRequest& request) {
    bool over = false;
    switch (kind) {
        case WakeKind::arrival:
            return arrive(request);
        case WakeKind::ready:
            if (request.retried && request.level == 0) {  // what was read again is done with its die
                statistics_.retrying += now() - request.retry_since;
                dies_.leave(request);
                over = !data_.store(request);
            } else {
                over = dies_.ready(request);
            }
            break;
        case WakeKind::pausing:
            return dies_.pausing(request);
        case WakeKind::encoded:
            return bus_.ask(request, Step::command);
        case WakeKind::decoded:
            if (has_retries() && retry(request)) {
                return;
            }
            over = !data_.store(request);
            break;
        case WakeKind::dram:
            over = data_.accesses_done(request);
            break;
        case WakeKind::finished:
            over = true;
            break;
        case WakeKind::die_free:
        case WakeKind::bus_free:
            return;  // of no request
    }
    if (over) {
        finish(request);
    }
}

/// A read has left ECC. False: it is done. True: its die is set to a level of the read-retry table, to be
/// read again or because that is over.
bool FlashController::retry(FlashRequest& request) {
    FlashOp& op = *request.op;
    const bool failed = op.status == FlashStatus::uncorrectable;
    if (request.retried) {
        request.level = failed && request.level < config_.ecc.retries ? request.level + 1 : 0;
        bus_.ask(request, Step::feature);
    } else {
        dies_.decoded(request);
        if (!failed) {
            return false;
        }
        request.retried = true;
        request.level = 1;
        request.retry_since = now();
        ++statistics_.retried_reads;
        dies_.again(request);
    }
    op.retries = std::max(op.retries, request.level);
    statistics_.read_retries += request.level > 0 ? 1 : 0;
    statistics_.recovered_reads += failed ? 0 : 1;
    return true;
}

/// The bus is the request's.
void FlashController::begin_phase(FlashRequest& request) {
    switch (request.step) {
        case Step::command:
            bus_.command(request);
            return dies_.consider(request);
        case Step::suspending:
            if (dies_.suspends(request)) {
                bus_.suspend(request);
            }
            return;
        case Step::resume:
            bus_.resume(request);
            return dies_.consider(request);
        case Step::feature:
            return bus_.set_features(request);
        case Step::data_out: {
            const ReadPath::Ends ends = bus_.data_out(request);
            if (!request.retried) {
                dies_.empties(request, ends.left);  // before the request can finish
                if (has_retries()) {
                    dies_.decodes(request);
                }
            }
            agenda_.push(ends.decoded, WakeKind::decoded, request);
            return dies_.consider(request);
        }
        case Step::status:
            return bus_.status(request);
        default:
            SC_REPORT_FATAL("/ssd/flash_controller", "the bus was given to a request that cannot use it");
    }
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
    dies_.add(request);
    if (op.opcode == FlashOpcode::program) {
        data_.load(request);
    }
}

void FlashController::finish(FlashRequest& request) {
    FlashOp& op = *request.op;
    ++statistics_.operations;
    statistics_.failures += op.status != FlashStatus::ok ? 1U : 0U;
    if (op.status != FlashStatus::rule_violation) {
        const auto cause = static_cast<std::size_t>(op.cause);
        const bool copy = op.opcode == FlashOpcode::copy_back;
        statistics_.reads[cause] += op.opcode == FlashOpcode::read || copy ? op.planes : 0U;
        statistics_.programs[cause] += op.opcode == FlashOpcode::program || copy ? op.planes : 0U;
        statistics_.erases[cause] += op.opcode == FlashOpcode::erase ? op.planes : 0U;
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

FlashControllerStatistics FlashController::statistics() const {
    FlashControllerStatistics result = statistics_;
    bus_.report(result);
    dies_.report(result);
    result.encoder_busy = data_.encoder_busy();
    return result;
}

void FlashController::power_cut() {
    drop_work();
    deciding_ = false;
    bus_.power_cut();
    data_.power_cut();
    dies_.power_cut();
    requests_.give_back_all();
}

}  // namespace solidtlm::hw
