// SPDX-License-Identifier: Apache-2.0
//
// The engine of a port, which does one step at a time, and its commands.
#include "hw/ahci/port.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "fw/hal/check.h"
#include "hw/sata/ata.h"

namespace solidtlm::hw::ahci {

Port::Port(PortBus& bus, std::uint8_t index, bool staggered_spin_up)
    : state_(bus, index), data_(state_), receiver_(state_, data_), staggered_spin_up_(staggered_spin_up) {}

/// Called after every change: begins the next step if the port is idle.
void Port::go_on() {
    while (state_.step == Step::idle && state_.frames.waiting() && receiver_.serve()) {
    }
    if (state_.step == Step::idle && may_issue()) {
        begin_command();
    }
}

void Port::access_done(DmaResult result) {
    const Step step = std::exchange(state_.step, Step::idle);
    if (step == Step::forgotten) {
        if (state_.frames.in_use()) {
            state_.drop_frame();
        }
    } else if (result != DmaResult::ok) {
        bus_error(result);
    } else {
        switch (step) {
            case Step::header:
                header_fetched();
                break;
            case Step::command_fis:
                command_fetched();
                break;
            case Step::post:
                receiver_.posted();
                break;
            case Step::setup_header:
                receiver_.setup_fetched();
                break;
            case Step::prd:
                data_.entry_fetched();
                break;
            case Step::data:
                data_.data_moved();
                break;
            case Step::byte_count:
                data_.byte_count_written();
                break;
            case Step::idle:
            case Step::send:
            case Step::send_data:
            case Step::forgotten:
                SOLIDTLM_CHECK(false, "an access was under way");
        }
    }
    go_on();
}

void Port::frame_sent(bool arrived) {
    const Step step = std::exchange(state_.step, Step::idle);
    if (step == Step::send && arrived) {
        command_sent();
    } else if (step == Step::send_data && arrived) {
        data_.data_sent();
    }
    go_on();
}

void Port::bus_error(DmaResult result) {
    if (state_.frames.in_use()) {
        state_.drop_frame();
    }
    state_.halt(result == DmaResult::refused ? kHbfs : kHbds);
}

bool Port::may_issue() const {
    return state_.running() && state_.device_present() && state_.slot == kNoSlot && state_.ci != 0 &&
           (state_.status & (ata::kBusy | ata::kDrq)) == 0;
}

/// Begins the next command in turn (5.5.1: slots are checked one after the other, beginning after the last
/// one).
void Port::begin_command() {
    const auto from = static_cast<std::uint8_t>((last_slot_ + 1U) % kSlots);
    const Word turned = std::rotr(state_.ci, from);
    last_slot_ = static_cast<std::uint8_t>((from + static_cast<unsigned>(std::countr_zero(turned))) % kSlots);
    state_.cmd = (state_.cmd & ~(Word{kCflMask} << kCcsShift)) | Word{last_slot_} << kCcsShift;
    state_.fetch_header(Step::header, last_slot_);
}

void Port::header_fetched() {
    if ((state_.header_flags() & kCflMask) * sizeof(Word) != kCommandFisBytes) {
        state_.protocol_error();
        return;
    }
    state_.begin_access(Step::command_fis,
                        {DmaKind::command_fis, false, state_.command_table(), command_fis_});
}

void Port::command_fetched() {
    FisHeader fis;
    fis.length = kCommandFisBytes;
    std::ranges::transform(command_fis_, fis.bytes.begin(),
                           [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
    if (fis.type() != FisType::register_h2d) {
        state_.protocol_error();
        return;
    }
    state_.slot = last_slot_;
    state_.plain = state_.transfer_of(state_.slot, 0);
    if (const RegisterH2d sent = decode<RegisterH2d>(fis.bytes.data()); !sent.is_command) {
        state_.awaits_signature =
            (sent.control & ata::kSoftReset) == 0;  // the end of a software reset, if anything
    }
    state_.status |= ata::kBusy;
    state_.step = Step::send;
    state_.bus.send(state_.index, {.header = fis, .ledger = state_.bus.ledger(state_.index, state_.slot)});
}

void Port::command_sent() {
    if ((state_.header_flags() & kHeaderClear) != 0) {
        state_.status &= static_cast<std::uint8_t>(~ata::kBusy);
        state_.end_command();
    }
}

bool Port::take_frame(std::span<const std::uint8_t> header, std::span<const std::byte> content) {
    return state_.frames.take(header, content);
}

void Port::frame_arrived() {
    if (state_.frames.arrive(now())) {
        go_on();
    }
}

void Port::start() {
    state_.cmd |= kSt;
    state_.halted = false;
}

/// ST = 0 (5.3.2.3 and 10.3): clears the command lists; PxCMD.CR falls when the present step has ended.
void Port::stop() {
    state_.cmd &= ~(kSt | Word{kCflMask} << kCcsShift);
    state_.given_up = state_.given_up || (state_.ci | state_.sact) != 0;
    state_.ci = state_.sact = 0;
    state_.halted = false;
    state_.slot = state_.queued.slot = kNoSlot;
    last_slot_ = kSlots - 1;
    state_.pio.active = false;
    if (state_.step != Step::post) {
        state_.forget();
    }
}

}  // namespace solidtlm::hw::ahci
