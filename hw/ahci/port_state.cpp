// SPDX-License-Identifier: Apache-2.0
#include "hw/ahci/port_state.h"

#include "hw/sata/ata.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::ahci {

Word PortState::interrupt_status() const {
    return is | ((serr & kSerrUnknownFis) != 0 ? kUfs : 0) | ((serr & kSerrExchanged) != 0 ? kPcs : 0) |
           ((serr & kSerrPhyReady) != 0 ? kPrcs : 0);
}

void PortState::raise(Word cause) {
    is |= cause;
    bus.interrupt_changed();
}

void PortState::halt(Word cause) {
    halted = true;
    queued.slot = kNoSlot;
    pio.active = false;
    raise(cause);
}

void PortState::protocol_error() {
    serr |= kSerrProtocol;
    halt(kIfs);
}

void PortState::set_status(std::uint8_t new_status, std::uint8_t new_error) {
    status = new_status;
    error = new_error;
    if ((status & ata::kErr) != 0) {
        halt(kTfes);
    }
}

void PortState::begin_access(Step what, const DmaAccess& access) {
    step = what;
    bus.access(index, access);
}

void PortState::fetch_header(Step what, std::uint8_t of_slot) {
    begin_access(what, {DmaKind::command_header, false, header_address(of_slot), header});
}

void PortState::forget() {
    if (step != Step::idle) {
        step = Step::forgotten;
    }
}

void PortState::drop_frame() {
    if (frames.drop()) {
        bus.take_frames(index);
    }
}

std::uint64_t PortState::header_address(std::uint8_t of_slot) const {
    return clb + std::uint64_t{of_slot} * kHeaderBytes;
}

Word PortState::header_flags() const {
    return static_cast<Word>(get_little_endian(std::span(header).first<4>()));
}

std::uint64_t PortState::command_table() const {
    return get_little_endian(std::span(header).subspan<8, 8>()) & ~std::uint64_t{0x7F};
}

Transfer PortState::transfer_of(std::uint8_t of_slot, std::uint32_t offset) const {
    Transfer transfer;
    transfer.slot = of_slot;
    transfer.prds.begin(command_table(), header_flags() >> kPrdtlShift, offset);
    return transfer;
}

void PortState::end_command() {
    if (slot != kNoSlot) {
        ci &= ~(Word{1} << slot);
        slot = kNoSlot;
    }
}

void PortState::end_if_released() {
    if (running() && (status & (ata::kBusy | ata::kDrq)) == 0) {
        end_command();
    }
}

}  // namespace solidtlm::hw::ahci
