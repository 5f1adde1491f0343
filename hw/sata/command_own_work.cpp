// SPDX-License-Identifier: Apache-2.0
//
// What the device does of itself: power modes with the Standby timer (ACS-3 4.18), self-tests. For what needs
// the flash it asks firmware, with slots that belong to no command of the host.
#include "hw/sata/command_protocol.h"
#include "hw/sata/status_fis.h"

namespace solidtlm::hw {

bool CommandProtocol::needs_flash(hal::HostOpcode opcode) {
    switch (opcode) {
        case hal::HostOpcode::read:
        case hal::HostOpcode::write:
        case hal::HostOpcode::trim:
        case hal::HostOpcode::write_uncorrectable:
        case hal::HostOpcode::verify:
            return true;
        case hal::HostOpcode::flush:  // the cache was written on the way to Standby
        case hal::HostOpcode::set_write_cache:
        case hal::HostOpcode::report_health:
            return false;
    }
    return false;
}

/// STANDBY and SLEEP write the cache first.
bool CommandProtocol::for_firmware(const DecodedCommand& command) {
    return command.action == Action::firmware || command.action == Action::trim ||
           command.action == Action::health ||
           (command.action == Action::power && command.power.mode != PowerModeName::idle);
}

void CommandProtocol::change_power(const PowerAsked& asked) {
    if (asked.timer) {
        power_.set_timer(*asked.timer);
    }
    const PowerModeName before = power_.mode();
    // IDLE in Standby makes the flash ready, as a drive with a motor spins up.
    if (asked.mode == PowerModeName::idle && before == PowerModeName::standby) {
        wake();
    }
    const bool deeper =
        asked.mode == PowerModeName::idle ? before != PowerModeName::idle : before != PowerModeName::standby;
    const Ps entry = asked.mode == PowerModeName::idle ? config_.idle.entry : config_.standby.entry;
    power_.enter(asked.mode, now(), deeper ? entry : Ps{0});
    power_.used(now());
    arm_standby();
}

/// Makes the flash ready: a command needs it, or a hardware reset has made the device active.
void CommandProtocol::wake() {
    const PowerModeName before = power_.mode();
    if (before == PowerModeName::active) {
        return;
    }
    power_.enter(PowerModeName::active, now(),
                 before == PowerModeName::idle ? config_.idle.exit : config_.standby.exit);
    arm_standby();
    if (power_.reached() > now()) {
        awake_.arm(power_.reached());
    }
}

void CommandProtocol::arm_standby() {
    if (const auto at = power_.expires()) {
        standby_due_.arm(std::max(*at, now()));
    } else {
        standby_due_.disarm();
    }
}

/// A command came or ended. An alarm that is set stays where it is, and looks again.
void CommandProtocol::restart_standby() {
    power_.used(now());
    if (!standby_due_.armed()) {
        arm_standby();
    }
}

bool CommandProtocol::busy() const {
    return table_.outstanding() > 0 || pages_.active() || smart_.test.running();
}

/// The period since the command that was the last one when the alarm was set has passed.
void CommandProtocol::standby_due() {
    if (busy()) {
        return;  // the period begins when the last command ends
    }
    const auto at = power_.expires();
    if (at && *at > now()) {
        standby_due_.arm(*at);
    } else if (at) {
        Slot& slot = take_own(OwnWork::flush);
        slot.opcode = hal::HostOpcode::flush;
        hand_on(slot);
    }
}

Slot& CommandProtocol::take_own(OwnWork work) {
    Slot& slot = table_.take();
    slot.own = work;
    slot.slot = ata::kNoTag;
    slot.id = next_id_++;
    slot.own_ledger.start(hal::Stage::command_queue, now());
    return slot;
}

void CommandProtocol::own_completed(Slot& slot, hal::HostStatus status) {
    const OwnWork work = slot.own;
    const std::uint32_t id = slot.id;
    const hal::Lba end{slot.lba.value + slot.verified};
    table_.free(slot);
    if (work == OwnWork::flush) {
        if (status != hal::HostStatus::ok) {
            return;  // data would be lost; after the next command the timer tries again
        }
        if (const auto at = power_.expires(); at && *at <= now() && !busy()) {
            power_.enter(PowerModeName::standby, now(), config_.standby.entry);
        }
        arm_standby();
        return;
    }
    state_.piece_at_firmware = false;
    if (!smart_.test.running()) {
        return;
    }
    if (id != state_.test_piece) {  // its test has ended meanwhile, and another waits
        test_next_piece();
        return;
    }
    switch (status) {
        case hal::HostStatus::ok:
            test_next_piece();
            break;
        case hal::HostStatus::uncorrectable:
            end_self_test(SelfTest::Result::read_failed, end);
            break;
        case hal::HostStatus::aborted:
        case hal::HostStatus::write_fault:
            end_self_test(SelfTest::Result::failed);
            break;
    }
}

/// One piece is at firmware at a time, also of tests that end each other.
void CommandProtocol::test_next_piece() {
    if (state_.piece_at_firmware) {
        return;
    }
    const auto piece = smart_.test.next();
    if (!piece) {
        end_self_test(SelfTest::Result::passed);
        return;
    }
    Slot& slot = take_own(OwnWork::self_test);
    slot.opcode = hal::HostOpcode::verify;
    slot.lba = piece->lba;
    slot.sectors = piece->sectors;
    state_.test_piece = slot.id;
    state_.piece_at_firmware = true;
    wake();
    hand_on(slot);
}

/// A captive test answers its command (ACS-3 7.48.6.5): LBA 23:8 as for SMART RETURN STATUS.
void CommandProtocol::end_self_test(SelfTest::Result result, std::optional<hal::Lba> unreadable) {
    const bool captive = smart_.test.captive();
    smart_.test.end(result, now(), unreadable);
    restart_standby();
    if (!captive) {
        return;
    }
    Slot& slot = *table_.at(ata::kNoTag);
    slot.ledger->enter(hal::Stage::completion, now());
    return_ledger(slot);
    table_.free(slot);
    if (result == SelfTest::Result::passed) {
        ++statistics_.completed;
        sender_.send(status_fis(ata::kStatusOk, 0, hal::Lba{std::uint64_t{ata::kSmartSignature} << 8U}, 0));
    } else {
        ++statistics_.failed;
        sender_.send(status_fis(ata::kStatusError, ata::kAbort,
                                hal::Lba{std::uint64_t{ata::kSmartThresholdExceeded} << 8U}, 0));
    }
}

/// The host ends a test that runs in the background.
void CommandProtocol::stop_self_test() {
    if (smart_.test.running()) {
        end_self_test(SelfTest::Result::aborted);
    }
}

/// A reset, or a loss of power, ends the test without an answer.
void CommandProtocol::interrupt_self_test() {
    if (smart_.test.running()) {
        smart_.test.end(SelfTest::Result::interrupted, now());
    }
}

}  // namespace solidtlm::hw
