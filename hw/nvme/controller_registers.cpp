// SPDX-License-Identifier: Apache-2.0
//
// Registers of the controller: enable, reset, shutdown, doorbells.
#include "fw/hal/check.h"
#include "hw/nvme/controller.h"

namespace solidtlm::hw::nvme {
namespace {

constexpr Word kReadyWithin = 20;  // x 500 ms
constexpr Word kAqaMask = 0x0FFF0FFF;
constexpr Word kQueueSizeMask = 0xFFF;
constexpr unsigned kAcqsShift = 16;
constexpr std::uint64_t kLowHalf = 0xFFFFFFFF;
constexpr std::uint64_t kPageOffset = kPageBytes - 1;
/// Fields of CC that change only while the controller is disabled.
constexpr Word kFixedWhileEnabled =
    kCcCssMask << kCcCssShift | kCcMpsMask << kCcMpsShift | kCcAmsMask << kCcAmsShift;

void set_low(std::uint64_t& target, Word value) {
    target = (target & ~kLowHalf) | value;
}
void set_high(std::uint64_t& target, Word value) {
    target = (target & kLowHalf) | std::uint64_t{value} << 32U;
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
            return static_cast<Word>(asq_);
        case Register::asq_high:
            return static_cast<Word>(asq_ >> 32U);
        case Register::acq:
            return static_cast<Word>(acq_);
        case Register::acq_high:
            return static_cast<Word>(acq_ >> 32U);
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
            aqa_ = value & kAqaMask;
            break;
        case Register::asq:
            set_low(asq_, value);
            break;
        case Register::asq_high:
            set_high(asq_, value);
            break;
        case Register::acq:
            set_low(acq_, value);
            break;
        case Register::acq_high:
            set_high(acq_, value);
            break;
        default:
            break;  // read-only or absent
    }
}

Word Controller::status() const {
    const Word shutdown = shutdown_ == Shutdown::none       ? 0
                          : shutdown_ == Shutdown::complete ? kShstComplete
                                                            : kShstGoingOn;
    return (ready_ ? kCstsReady : 0) | (fatal_ ? kCstsFatal : 0) | shutdown << kCstsShstShift;
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
    const bool asks = (value >> kCcShnShift & kCcShnMask) != 0 && (before >> kCcShnShift & kCcShnMask) == 0;
    if (asks && !fatal_ && shutdown_ == Shutdown::none) {
        shutdown_ = Shutdown::going_on;
    }
    go_on();
}

bool Controller::may_enable() const {
    const Word scheme = cc_ >> kCcAmsShift & kCcAmsMask;
    return (cc_ >> kCcCssShift & kCcCssMask) == 0 && (cc_ >> kCcMpsShift & kCcMpsMask) == 0 &&
           scheme <= kCcAmsWrr && (cc_ >> kCcIosqesShift & kCcEntrySizeMask) == kSqeShift &&
           (cc_ >> kCcIocqesShift & kCcEntrySizeMask) == kCqeShift && (aqa_ & kQueueSizeMask) > 0 &&
           (aqa_ >> kAcqsShift & kQueueSizeMask) > 0 && ((asq_ | acq_) & kPageOffset) == 0;
}

void Controller::enable() {
    if (!may_enable()) {
        fatal_ = true;
        return;
    }
    state_.queues.create_cq(0, acq_, (aqa_ >> kAcqsShift & kQueueSizeMask) + 1, 0, true);
    state_.queues.create_sq(0, asq_, (aqa_ & kQueueSizeMask) + 1, 0, Priority::urgent);
    state_.weighted = (cc_ >> kCcAmsShift & kCcAmsMask) == kCcAmsWrr;
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
    asq_ = acq_ = 0;
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
