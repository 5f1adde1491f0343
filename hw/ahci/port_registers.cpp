// SPDX-License-Identifier: Apache-2.0
//
// The registers of a port (AHCI 1.3.1, 3.3).
#include "hw/ahci/port.h"
#include "hw/sata/ata.h"

namespace solidtlm::hw::ahci {
namespace {

constexpr Word kClbMask = ~Word{0x3FF};
constexpr Word kFbMask = ~Word{0xFF};

Word upper(std::uint64_t value) {
    return static_cast<Word>(value >> 32U);
}

Word lower(std::uint64_t value) {
    return static_cast<Word>(value);
}

std::uint64_t join(Word high, Word low) {
    return std::uint64_t{high} << 32U | low;
}

}  // namespace

Word Port::read(PortRegister which) const {
    switch (which) {
        case PortRegister::clb:
            return lower(state_.clb);
        case PortRegister::clbu:
            return upper(state_.clb);
        case PortRegister::fb:
            return lower(state_.fb);
        case PortRegister::fbu:
            return upper(state_.fb);
        case PortRegister::is:
            return state_.interrupt_status();
        case PortRegister::ie:
            return state_.ie;
        case PortRegister::cmd: {
            const bool posts = state_.step == Step::post;
            const bool lists = (state_.cmd & kSt) != 0 || (state_.step != Step::idle && !posts);
            return state_.cmd | kPod | (lists ? kCr : 0) | ((state_.cmd & kFre) != 0 || posts ? kFr : 0);
        }
        case PortRegister::tfd:
            return Word{state_.error} << 8U | state_.status;
        case PortRegister::sig:
            return state_.sig;
        case PortRegister::ssts:
            return state_.ssts;
        case PortRegister::sctl:
            return state_.sctl;
        case PortRegister::serr:
            return state_.serr;
        case PortRegister::sact:
            return state_.sact;
        case PortRegister::ci:
            return state_.ci;
    }
    return 0;  // reserved, or of a feature that this adapter lacks
}

void Port::write(PortRegister which, Word value, Word mask) {
    const Word merged = (read(which) & ~mask) | (value & mask);
    const Word ones = value & mask;
    const bool started = (state_.cmd & kSt) != 0;
    switch (which) {
        case PortRegister::clb:
            state_.clb = join(upper(state_.clb), merged & kClbMask);
            break;
        case PortRegister::clbu:
            state_.clb = join(merged, lower(state_.clb));
            break;
        case PortRegister::fb:
            state_.fb = join(upper(state_.fb), merged & kFbMask);
            break;
        case PortRegister::fbu:
            state_.fb = join(merged, lower(state_.fb));
            break;
        case PortRegister::is:
            state_.is &= ~ones;
            state_.bus.interrupt_changed();
            break;
        case PortRegister::ie:
            state_.ie = merged & kIeMask;
            state_.bus.interrupt_changed();
            break;
        case PortRegister::cmd:
            write_command(merged);
            break;
        case PortRegister::sctl:
            write_control(merged);
            break;
        case PortRegister::serr:
            state_.serr &= ~ones;
            state_.bus.interrupt_changed();
            break;
        case PortRegister::sact:
            state_.sact |= started ? ones : 0;
            break;
        case PortRegister::ci:
            state_.ci |= started ? ones : 0;
            break;
        default:
            return;
    }
    go_on();
}

void Port::write_command(Word value) {
    const bool was_started = (state_.cmd & kSt) != 0;
    if ((value & kClo) != 0 && !was_started) {
        state_.status &= static_cast<std::uint8_t>(~(ata::kBusy | ata::kDrq));
    }
    if (was_started && (value & kSt) == 0) {
        stop();
    }
    // Drivers shall clear FRE only when CR is clear (10.3.2). GRUB clears it first, and waits for FR.
    state_.cmd = (state_.cmd & ~(kAtapi | kFre)) | (value & (kAtapi | kFre));
    if (staggered_spin_up_ && !was_started && ((value ^ state_.cmd) & kSud) != 0) {
        state_.cmd ^= kSud;
        go_down(kDetNone);
        state_.bus.interrupt_changed();
        if ((state_.cmd & kSud) != 0 && (state_.sctl & kDetMask) == kDetNone) {
            begin_link();
        }
    }
    if (!was_started && (value & kSt) != 0) {
        start();
    }
}

}  // namespace solidtlm::hw::ahci
