// SPDX-License-Identifier: Apache-2.0
//
// The engine of a port: one step at a time, and commands.
#include "hw/ahci/port.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "fw/hal/check.h"
#include "hw/ahci/little_endian.h"
#include "hw/sata/ata.h"

namespace solidtlm::hw::ahci {
namespace {

constexpr Word bit_of(std::uint8_t slot) {
    return Word{1} << slot;
}

}  // namespace

Port::Port(PortBus& bus, std::uint8_t index, bool staggered_spin_up)
    : bus_(bus), index_(index), staggered_spin_up_(staggered_spin_up), outgoing_(kMaxDataFisBytes) {
    for (Frame& frame : frames_) {
        frame.header.reserve(FisExtension::kMaxHeaderBytes);
        frame.content.reserve(kMaxDataFisBytes);
    }
}

/// Something has changed: begins what can be begun.
void Port::go_on() {
    while (step_ == Step::idle && arrived_ > 0 && serve_frame()) {
    }
    if (step_ == Step::idle && may_issue()) {
        begin_command();
    }
}

void Port::begin_access(Step step, const DmaAccess& access) {
    step_ = step;
    bus_.access(index_, access);
}

void Port::access_done(DmaResult result) {
    const Step step = std::exchange(step_, Step::idle);
    if (step == Step::forgotten) {
        if (serving_) {
            drop_frame();
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
                posted();
                break;
            case Step::setup_header:
                setup_fetched();
                break;
            case Step::prd:
                open_transfer()->prds.take_entry(prd_);
                walk();
                break;
            case Step::data:
                data_moved();
                break;
            case Step::byte_count:
                end_data();
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
    const Step step = std::exchange(step_, Step::idle);
    if (step == Step::send && arrived) {
        command_sent();
    } else if (step == Step::send_data && arrived) {
        data_sent();
    }
    go_on();
}

void Port::bus_error(DmaResult result) {
    if (serving_) {
        drop_frame();
    }
    halt(result == DmaResult::refused ? kHbfs : kHbds);
}

/// A fatal error (6.1): no command begins until ST = 0.
void Port::halt(Word cause) {
    halted_ = true;
    queued_.slot = kNoSlot;
    pio_.active = false;
    raise(cause);
}

void Port::protocol_error() {
    serr_ |= kSerrProtocol;
    halt(kIfs);
}

void Port::raise(Word cause) {
    is_ |= cause;
    bus_.interrupt_changed();
}

bool Port::may_issue() const {
    return running() && (ssts_ & kDetMask) == kDetPresent && slot_ == kNoSlot && ci_ != 0 &&
           (status_ & (ata::kBusy | ata::kDrq)) == 0;
}

std::uint64_t Port::header_address(std::uint8_t slot) const {
    return clb_ + std::uint64_t{slot} * kHeaderBytes;
}

/// The next one in turn (5.5.1: slots are looked at one after another, from the last one on).
void Port::begin_command() {
    const auto from = static_cast<std::uint8_t>((last_slot_ + 1U) % kSlots);
    const Word turned = std::rotr(ci_, from);
    last_slot_ = static_cast<std::uint8_t>((from + static_cast<unsigned>(std::countr_zero(turned))) % kSlots);
    cmd_ = (cmd_ & ~(Word{kCflMask} << kCcsShift)) | Word{last_slot_} << kCcsShift;
    begin_access(Step::header, {DmaKind::command_header, false, header_address(last_slot_), header_});
}

void Port::header_fetched() {
    const auto flags = static_cast<Word>(get_little_endian(std::span(header_).first<4>()));
    if ((flags & kCflMask) * sizeof(Word) != kCommandFisBytes) {
        protocol_error();
        return;
    }
    const std::uint64_t table = get_little_endian(std::span(header_).subspan<8, 8>()) & ~std::uint64_t{0x7F};
    begin_access(Step::command_fis, {DmaKind::command_fis, false, table, command_fis_});
}

void Port::begin_transfer(Transfer& transfer, std::uint8_t slot, std::uint32_t offset) const {
    const auto flags = static_cast<Word>(get_little_endian(std::span(header_).first<4>()));
    transfer = Transfer{};
    transfer.slot = slot;
    transfer.prds.begin(get_little_endian(std::span(header_).subspan<8, 8>()) & ~std::uint64_t{0x7F},
                        flags >> kPrdtlShift, offset);
}

void Port::command_fetched() {
    FisHeader fis;
    fis.length = kCommandFisBytes;
    std::ranges::transform(command_fis_, fis.bytes.begin(),
                           [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
    if (fis.type() != FisType::register_h2d) {
        protocol_error();
        return;
    }
    slot_ = last_slot_;
    begin_transfer(plain_, slot_, 0);
    if (const RegisterH2d sent = decode_register_h2d(fis.bytes.data()); !sent.is_command) {
        awaits_signature_ =
            (sent.control & ata::kSoftReset) == 0;  // the end of a software reset, if anything
    }
    status_ |= ata::kBusy;
    step_ = Step::send;
    bus_.send(index_, {.header = fis, .ledger = bus_.ledger(index_, slot_)});
}

void Port::command_sent() {
    if ((get_little_endian(std::span(header_).first<4>()) & kHeaderClear) != 0) {
        status_ &= static_cast<std::uint8_t>(~ata::kBusy);
        end_command();
    }
}

/// The device has taken the command, or has ended it.
void Port::end_command() {
    if (slot_ != kNoSlot) {
        ci_ &= ~bit_of(slot_);
        slot_ = kNoSlot;
    }
}

void Port::start() {
    cmd_ |= kSt;
    halted_ = false;
}

/// ST = 0 (5.3.2.3 and 10.3): the lists are empty, and PxCMD.CR falls when the step under way has ended.
void Port::stop() {
    cmd_ &= ~(kSt | Word{kCflMask} << kCcsShift);
    given_up_ = given_up_ || (ci_ | sact_) != 0;
    ci_ = sact_ = 0;
    halted_ = false;
    slot_ = queued_.slot = kNoSlot;
    last_slot_ = kSlots - 1;
    pio_.active = false;
    if (step_ != Step::post) {
        forget();
    }
}

void Port::forget() {
    if (step_ != Step::idle) {
        step_ = Step::forgotten;
    }
}

}  // namespace solidtlm::hw::ahci
