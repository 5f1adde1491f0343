// SPDX-License-Identifier: Apache-2.0
//
// Registers of the controller: enable, reset, shutdown, doorbells.
#include "fw/hal/check.h"
#include "hw/nvme/controller.h"

namespace solidtlm::hw::nvme {
namespace {

constexpr Word kReadyWithin = 20;  // x 500 ms
constexpr std::uint64_t kPageOffset = kPageBytes - 1;
/// Fields of CC that change only while the controller is disabled.
constexpr Word kFixedWhileEnabled = kCcCss.bits() | kCcMps.bits() | kCcAms.bits();

/// Dword of ASQ and ACQ.
std::size_t half(std::uint32_t offset) {
    return (offset - static_cast<std::uint32_t>(Register::asq)) / sizeof(Word);
}

}  // namespace

Word Controller::read(std::uint32_t offset) const {
    SOLIDTLM_CHECK(offset % sizeof(Word) == 0, "registers are dwords");
    if (offset >= kMsixPending) {
        return interrupts_.pending(offset - kMsixPending);
    }
    if (offset >= kMsixTable) {
        return interrupts_.table(offset - kMsixTable);
    }
    switch (static_cast<Register>(offset)) {
        case Register::cap:
            return (config_.queue_entries - 1) | kCapCqr | kCapWrr | kReadyWithin << kCapToShift;
        case Register::cap_high:
            return kCapHighNvm;
        case Register::vs:
            return kVersion;
        case Register::intms:
        case Register::intmc:
            return interrupts_.mask();
        case Register::cc:
            return cc_;
        case Register::csts:
            return status();
        case Register::aqa:
            return aqa_;
        case Register::asq:
        case Register::asq_high:
        case Register::acq:
        case Register::acq_high:
            return admin_queues_.at(half(offset));
    }
    return 0;
}

void Controller::write(std::uint32_t offset, Word value) {
    SOLIDTLM_CHECK(offset % sizeof(Word) == 0, "registers are dwords");
    if (offset >= kMsixPending) {
        return;
    }
    if (offset >= kMsixTable) {
        interrupts_.write_table(offset - kMsixTable, value);
        return;
    }
    if (offset >= kDoorbells) {
        write_doorbell(static_cast<std::uint32_t>((offset - kDoorbells) / sizeof(Word)), value);
        return;
    }
    switch (static_cast<Register>(offset)) {
        case Register::intms:
            interrupts_.set_mask(value);
            interrupts_.update_pin(state_.queues);
            break;
        case Register::intmc:
            interrupts_.clear_mask(value);
            interrupts_.update_pin(state_.queues);
            break;
        case Register::cc:
            write_control(value);
            break;
        case Register::aqa:
            aqa_ = value & (kAqaAsqs.bits() | kAqaAcqs.bits());
            break;
        case Register::asq:
        case Register::asq_high:
        case Register::acq:
        case Register::acq_high:
            admin_queues_.at(half(offset)) = value;
            break;
        default:
            break;  // read-only or absent
    }
}

Word Controller::status() const {
    const Word shutdown = shutdown_ == Shutdown::none       ? 0
                          : shutdown_ == Shutdown::complete ? kShstComplete
                                                            : kShstGoingOn;
    return (ready_ ? kCstsReady : 0) | (fatal_ ? kCstsFatal : 0) | kCstsShst.put(shutdown);
}

void Controller::write_control(Word value) {
    const Word before = cc_;
    cc_ = (before & kCcEnable) == 0 ? value : (before & kFixedWhileEnabled) | (value & ~kFixedWhileEnabled);
    const bool enabled = (value & kCcEnable) != 0;
    if (!enabled && (before & kCcEnable) != 0) {
        begin_reset();
    } else if (enabled && (before & kCcEnable) == 0 && !resetting_) {
        enable();
    }
    const bool asks = kCcShn.of(value) != 0 && kCcShn.of(before) == 0;
    if (asks && !fatal_ && shutdown_ == Shutdown::none) {
        shutdown_ = Shutdown::going_on;
    }
    go_on();
}

bool Controller::may_enable() const {
    return kCcCss.of(cc_) == 0 && kCcMps.of(cc_) == 0 && kCcAms.of(cc_) <= kCcAmsWrr &&
           kCcIosqes.of(cc_) == kSqeShift && kCcIocqes.of(cc_) == kCqeShift && kAqaAsqs.of(aqa_) > 0 &&
           kAqaAcqs.of(aqa_) > 0 && ((asq() | acq()) & kPageOffset) == 0;
}

void Controller::enable() {
    if (!may_enable()) {
        fatal_ = true;
        return;
    }
    state_.queues.create_cq(0, acq(), kAqaAcqs.of(aqa_) + 1, 0, true);
    state_.queues.create_sq(0, asq(), kAqaAsqs.of(aqa_) + 1, 0, Priority::urgent);
    state_.weighted = kCcAms.of(cc_) == kCcAmsWrr;
    ready_ = true;
    if (shutdown_ == Shutdown::complete) {  // it was asked for while the controller was disabled
        shutdown_ = Shutdown::none;
    }
}

void Controller::begin_reset() {
    resetting_ = true;
    shutdown_ = Shutdown::none;
    release_waiting();
}

void Controller::end_reset() {
    resetting_ = fatal_ = ready_ = false;
    state_.queues.reset();
    state_.events.reset();
    state_.features.reset();
    arbiter_.reset();
    interrupts_.reset();
    interrupts_.update_pin(state_.queues);
    if ((cc_ & kCcEnable) != 0) {
        enable();
    }
}

void Controller::reset_function() {
    cc_ = aqa_ = 0;
    admin_queues_ = {};
    interrupts_.reset_function();
    begin_reset();
    go_on();
}

void Controller::fail() {
    fatal_ = true;
    release_waiting();
}

void Controller::write_doorbell(std::uint32_t doorbell, Word value) {
    if (!ready_ || dead()) {
        return;
    }
    const std::uint32_t queue = doorbell / 2;
    const Rung rung = state_.queues.ring(doorbell, value);
    if (rung != Rung::well) {
        raise(rung == Rung::no_queue ? ErrorEvent::invalid_doorbell_register
                                     : ErrorEvent::invalid_doorbell_value,
              queue);
    } else if (doorbell % 2 != 0) {
        CompletionQueue& completions = state_.queues.completion[queue];
        while (!completions.held.empty() && !completions.full()) {
            post(slots_[completions.held.pop()]);
        }
        interrupts_.update_pin(state_.queues);
    }
    go_on();
}

void Controller::raise(ErrorEvent event, std::uint32_t queue) {
    Word result = 0;
    if (const auto index = state_.events.raise(event, result)) {
        state_.errors.add(static_cast<std::uint16_t>(queue));
        slots_[*index].result = result;
        finish(slots_[*index]);
    }
}

}  // namespace solidtlm::hw::nvme
