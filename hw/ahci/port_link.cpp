// SPDX-License-Identifier: Apache-2.0
//
// How a port's link comes up (AHCI 1.3.1, 3.3.10, 3.3.11, 10.1 and 10.4).
#include "hw/ahci/port.h"

#include "hw/sata/ata.h"

namespace solidtlm::hw::ahci {

void Port::reset() {
    state_.is = state_.ie = 0;
    state_.cmd = staggered_spin_up_ ? 0 : kSud;
    state_.sig = kNoSignature;
    state_.sctl = 0;
    state_.serr = 0;
    stop();
    state_.forget();
    go_down(kDetNone);
    state_.serr = 0;
    if ((state_.cmd & kSud) != 0) {
        begin_link();
    }
    state_.bus.interrupt_changed();
}

/// COMRESET begins, or the PHY goes offline. Waiting frames are lost.
void Port::go_down(Word det) {
    if (state_.device_present()) {
        state_.serr |= kSerrPhyReady;
    }
    state_.ssts = det;
    state_.status = kNoDeviceStatus;
    state_.error = 0;
    state_.awaits_signature = true;
    const bool room = state_.frames.clear();
    state_.forget();
    if (state_.bus.connected(state_.index)) {
        if (room) {
            state_.bus.take_frames(state_.index);
        }
        state_.bus.comreset(state_.index);
    }
}

/// COMRESET has ended: a device answers if there is one.
void Port::begin_link() {
    if (state_.bus.connected(state_.index)) {
        state_.bus.begin_phy(state_.index);
    }
}

void Port::phy_ready(std::uint8_t speed) {
    state_.ssts = kIpmActive | Word{speed} << kSpdShift | kDetPresent;
    state_.status |= ata::kBusy;  // until the signature
    state_.serr |= kSerrExchanged | kSerrPhyReady;
    state_.bus.interrupt_changed();
}

/// Writes PxSCTL. DET may change only while ST = 0, and has an effect only when the port is spun up.
void Port::write_control(Word value) {
    const Word old = state_.sctl & kDetMask;
    Word det = value & kDetMask;
    const bool known = det == kDetNone || det == kDetReset || det == kDetOffline;
    if (!known || (state_.cmd & kSt) != 0) {
        det = old;
    }
    state_.sctl = (value & kSctlMask & ~kDetMask) | det;
    if (det == old || (state_.cmd & kSud) == 0) {
        return;
    }
    if (det == kDetNone) {
        begin_link();
    } else {
        go_down(det == kDetOffline ? kDetOffline : kDetNone);
        state_.bus.interrupt_changed();
    }
}

}  // namespace solidtlm::hw::ahci
