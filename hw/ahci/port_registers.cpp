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

Word Port::interrupt_status() const {
    return is_ | ((serr_ & kSerrUnknownFis) != 0 ? kUfs : 0) | ((serr_ & kSerrExchanged) != 0 ? kPcs : 0) |
           ((serr_ & kSerrPhyReady) != 0 ? kPrcs : 0);
}

Word Port::read(PortRegister which) const {
    switch (which) {
        case PortRegister::clb:
            return lower(clb_);
        case PortRegister::clbu:
            return upper(clb_);
        case PortRegister::fb:
            return lower(fb_);
        case PortRegister::fbu:
            return upper(fb_);
        case PortRegister::is:
            return interrupt_status();
        case PortRegister::ie:
            return ie_;
        case PortRegister::cmd: {
            const bool posts = step_ == Step::post;
            const bool lists = (cmd_ & kSt) != 0 || (step_ != Step::idle && !posts);
            return cmd_ | kPod | (lists ? kCr : 0) | ((cmd_ & kFre) != 0 || posts ? kFr : 0);
        }
        case PortRegister::tfd:
            return Word{error_} << 8U | status_;
        case PortRegister::sig:
            return sig_;
        case PortRegister::ssts:
            return ssts_;
        case PortRegister::sctl:
            return sctl_;
        case PortRegister::serr:
            return serr_;
        case PortRegister::sact:
            return sact_;
        case PortRegister::ci:
            return ci_;
    }
    return 0;  // reserved, or of what this adapter has not got
}

void Port::write(PortRegister which, Word value, Word mask) {
    const Word merged = (read(which) & ~mask) | (value & mask);
    const Word ones = value & mask;
    const bool started = (cmd_ & kSt) != 0;
    switch (which) {
        case PortRegister::clb:
            clb_ = join(upper(clb_), merged & kClbMask);
            break;
        case PortRegister::clbu:
            clb_ = join(merged, lower(clb_));
            break;
        case PortRegister::fb:
            fb_ = join(upper(fb_), merged & kFbMask);
            break;
        case PortRegister::fbu:
            fb_ = join(merged, lower(fb_));
            break;
        case PortRegister::is:
            is_ &= ~ones;
            bus_.interrupt_changed();
            break;
        case PortRegister::ie:
            ie_ = merged & kIeMask;
            bus_.interrupt_changed();
            break;
        case PortRegister::cmd:
            write_command(merged);
            break;
        case PortRegister::sctl:
            write_control(merged);
            break;
        case PortRegister::serr:
            serr_ &= ~ones;
            bus_.interrupt_changed();
            break;
        case PortRegister::sact:
            sact_ |= started ? ones : 0;
            break;
        case PortRegister::ci:
            ci_ |= started ? ones : 0;
            break;
        default:
            return;
    }
    go_on();
}

void Port::write_command(Word value) {
    const bool was_started = (cmd_ & kSt) != 0;
    if ((value & kClo) != 0 && !was_started) {
        status_ &= static_cast<std::uint8_t>(~(ata::kBusy | ata::kDrq));
    }
    if (was_started && (value & kSt) == 0) {
        stop();
    }
    // Drivers shall clear FRE only when CR is clear (10.3.2). GRUB clears it first, and waits for FR.
    cmd_ = (cmd_ & ~(kAtapi | kFre)) | (value & (kAtapi | kFre));
    if (staggered_spin_up_ && !was_started && ((value ^ cmd_) & kSud) != 0) {
        cmd_ ^= kSud;
        go_down(kDetNone);
        bus_.interrupt_changed();
        if ((cmd_ & kSud) != 0 && (sctl_ & kDetMask) == kDetNone) {
            begin_link();
        }
    }
    if (!was_started && (value & kSt) != 0) {
        start();
    }
}

}  // namespace solidtlm::hw::ahci
