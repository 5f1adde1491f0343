// SPDX-License-Identifier: Apache-2.0
//
// How a port's link comes up (AHCI 1.3.1, 3.3.10, 3.3.11, 10.1 and 10.4).
#include "hw/ahci/port.h"

#include <utility>

#include "hw/sata/ata.h"

namespace solidtlm::hw::ahci {

void Port::reset() {
    is_ = ie_ = 0;
    cmd_ = staggered_spin_up_ ? 0 : kSud;
    sig_ = kNoSignature;
    sctl_ = 0;
    serr_ = 0;
    stop();
    forget();
    go_down(kDetNone);
    serr_ = 0;
    if ((cmd_ & kSud) != 0) {
        begin_link();
    }
    bus_.interrupt_changed();
}

/// COMRESET, or the PHY goes off line. Frames that wait are lost; the buffer of one that an access uses stays
/// until that has ended.
void Port::go_down(Word det) {
    if ((ssts_ & kDetMask) == kDetPresent) {
        serr_ |= kSerrPhyReady;
    }
    ssts_ = det;
    status_ = kNoDeviceStatus;
    error_ = 0;
    awaits_signature_ = true;
    taken_ = arrived_ = serving_ ? 1 : 0;
    forget();
    if (bus_.connected(index_)) {
        if (std::exchange(full_, false)) {
            bus_.take_frames(index_);
        }
        bus_.comreset(index_);
    }
}

/// COMRESET is over: a device that is there answers.
void Port::begin_link() {
    if (bus_.connected(index_)) {
        bus_.begin_phy(index_);
    }
}

void Port::phy_ready(std::uint8_t speed) {
    ssts_ = kIpmActive | Word{speed} << kSpdShift | kDetPresent;
    status_ |= ata::kBusy;  // until the signature
    serr_ |= kSerrExchanged | kSerrPhyReady;
    bus_.interrupt_changed();
}

/// PxSCTL. DET may change only while ST = 0, and says something only once the port is spun up.
void Port::write_control(Word value) {
    const Word old = sctl_ & kDetMask;
    Word det = value & kDetMask;
    const bool known = det == kDetNone || det == kDetReset || det == kDetOffline;
    if (!known || (cmd_ & kSt) != 0) {
        det = old;
    }
    sctl_ = (value & kSctlMask & ~kDetMask) | det;
    if (det == old || (cmd_ & kSud) == 0) {
        return;
    }
    if (det == kDetNone) {
        begin_link();
    } else {
        go_down(det == kDetOffline ? kDetOffline : kDetNone);
        bus_.interrupt_changed();
    }
}

}  // namespace solidtlm::hw::ahci
