// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/data_path.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "fw/hal/check.h"
#include "hw/sata/link.h"

namespace solidtlm::hw {

using hal::Stage;

namespace {

std::uint32_t frame_bytes(FisType type, std::uint32_t data_bytes) {
    return fis_header_bytes(static_cast<std::uint8_t>(type)) + data_bytes;
}

SataFrame in_phase(const FisHeader& header) {
    SataFrame frame{header};
    frame.in_phase = true;
    return frame;
}

/// The DMA Setup that begins the data phase of a queued command.
SataFrame begin_phase(Slot& slot, bool auto_activate) {
    slot.setup_sent = true;
    DmaSetup setup;
    setup.auto_activate = auto_activate;
    setup.device_to_host = slot.is_read();
    setup.tag = slot.tag();
    setup.transfer_bytes = slot.data_bytes;
    return in_phase(encode(setup));
}

/// The PIO Setup of the next block: the status with it, and the one after a block to the host.
FisHeader begin_block(const Slot& slot, std::uint32_t bytes) {
    const bool last = slot.is_read() && slot.moved + bytes == slot.data_bytes;
    PioSetup setup;
    setup.interrupt = slot.is_read() || slot.moved > 0;  // not for the first block to the device
    setup.device_to_host = slot.is_read();
    setup.status = ata::kStatusOk | ata::kDrq;
    setup.device = ata::kDeviceLba;
    setup.end_status = last ? ata::kStatusOk : std::uint8_t{ata::kStatusOk | ata::kBusy};
    setup.transfer_bytes = static_cast<std::uint16_t>(bytes);
    return encode(setup);
}

}  // namespace

DataPath::DataPath(AgendaModule& device, const SataConfig& config, FrameSender& sender, DramSocket& dram)
    : content_(config.content),
      timing_(config),
      sender_(sender),
      dram_(dram),
      full_time_(timing_.frame_time(frame_bytes(FisType::data, kMaxDataFisBytes))),
      auto_activate_(config.auto_activate),
      data_frame_(in_phase(encode_data())),
      activate_frame_(in_phase(encode_dma_activate())),
      dma_end_(device, *this, kCall<&DataPath::dram_done>) {
    for (ReadFis& fis : reads_) {
        fis.content.resize(hal::content_bytes(content_, kMaxDataFisBytes));
    }
    for (WriteFis& fis : writes_) {
        fis.content.resize(kMaxDataFisBytes);  // internal data are bytes in every content mode
    }
}

void DataPath::transfer_asked(Slot& slot) {
    SOLIDTLM_CHECK(!slot.transfers.empty(), "a transfer was asked for and not aborted");
    if (!slot.phase_asked) {
        slot.phase_asked = true;
        state_.phases.push(&slot);
        state_.read_phases += slot.is_read() ? 1U : 0U;
    }
    advance_alone();
}

void DataPath::begin_internal(Slot& slot) {
    slot.internal = true;
    slot.phase_asked = true;
    state_.phases.push(&slot);
    advance();
}

bool DataPath::accept_data(const std::byte* content, std::uint32_t bytes) {
    if (!state_.awaiting_data || state_.phases.empty() ||
        bytes > state_.phases.front()->data_bytes - state_.phases.front()->moved) {
        return false;
    }
    state_.accepted_bytes = bytes;
    const std::size_t size = state_.phases.front()->internal ? bytes : hal::content_bytes(content_, bytes);
    if (size > 0 && content != nullptr) {
        std::memcpy(write_at(state_.write_count).content.data(), content, size);
    }
    return true;
}

Slot* DataPath::data_received(Ps gathered) {
    if (!state_.awaiting_data || state_.accepted_bytes == 0) {
        return nullptr;  // aborted at this very instant
    }
    state_.awaiting_data = false;
    Slot& slot = *state_.phases.front();
    WriteFis& fis = write_at(state_.write_count);
    fis.slot = &slot;
    fis.bytes = state_.accepted_bytes;
    fis.stored = 0;
    fis.arrival = {state_.activation, gathered, frame_until_now(FisType::data, state_.accepted_bytes)};
    state_.accepted_bytes = 0;
    slot.moved += fis.bytes;
    if (!slot.internal) {
        ++state_.write_count;
        advance();
        return nullptr;
    }
    slot.internal_data.insert(slot.internal_data.end(), fis.content.data(), fis.content.data() + fis.bytes);
    mark_from(*slot.ledger, Stage::link_wait, slot.ledger->last());
    fis.arrival.mark(*slot.ledger);
    mark_from(*slot.ledger, Stage::command_queue, fis.arrival.data.end);
    advance();
    return slot.moved == slot.data_bytes ? &slot : nullptr;
}

void DataPath::Arrival::mark(hal::Ledger& ledger) const {
    mark_from(ledger, Stage::link_transfer, activation.begin);
    mark_from(ledger, Stage::hba_dma, activation.end);
    mark_from(ledger, Stage::link_wait, activation.end + gathered);
    mark_from(ledger, Stage::link_transfer, data.begin);
}

Slot* DataPath::frame_sent(FisType type, bool device_to_host, Ps held) {
    Slot* ended = nullptr;
    switch (type) {
        case FisType::data:
            ended = retire_read(held);
            break;
        case FisType::dma_setup:
            if (device_to_host) {
                if (state_.read_count > 0) {
                    read_at(0).setup = frame_until_now(type, 0);
                }
                return nullptr;
            }
            state_.setup_pending = false;
            state_.activation = frame_until_now(type, 0);
            break;
        case FisType::dma_activate:
            state_.activation = frame_until_now(type, 0);
            return nullptr;
        case FisType::pio_setup:
            if (!device_to_host) {
                state_.activation = frame_until_now(type, 0);
            }
            return nullptr;
        default:
            return nullptr;
    }
    advance();
    return ended;
}

Slot* DataPath::retire_read(Ps held) {
    ReadFis& fis = read_at(0);
    state_.read_head = (state_.read_head + 1) % kBuffers;
    --state_.read_count;
    --state_.read_queued;
    if (fis.slot == nullptr) {
        return nullptr;
    }
    if (fis.slot->by_pio()) {
        const bool last = fis.slot->moved == fis.slot->data_bytes && state_.read_count == 0;
        return last ? fis.slot : nullptr;
    }
    const Interval data = frame_until_now(FisType::data, fis.bytes);
    fis.slot->transfers.retire(fis.bytes, now(), [&](hal::Ledger& ledger) {
        for (std::size_t i = 0; i < fis.access_count; ++i) {
            if (fis.accesses[i].ended <= ledger.last() && ledger.current() == Stage::link_wait) {
                continue;  // it ended while the previous FIS was on the link
            }
            mark_from(ledger, Stage::dram_wait, fis.accesses[i].issued);
            mark_from(ledger, Stage::dram_transfer, fis.accesses[i].started);
            mark_from(ledger, Stage::link_wait, fis.accesses[i].ended);
        }
        if (fis.first && fis.setup.end > Ps{0}) {
            mark_from(ledger, Stage::link_transfer, fis.setup.begin);
            mark_from(ledger, Stage::link_wait, fis.setup.end);
        }
        mark_from(ledger, Stage::hba_dma, data.begin - held);
        mark_from(ledger, Stage::link_transfer, data.begin);
        mark_from(ledger, Stage::link_wait, data.end);
    });
    return nullptr;
}

void DataPath::release(Slot& slot) {
    slot.released = true;
    advance_alone();
}

/// Advances at the end of an entry: the wire may begin its next frame at once.
void DataPath::advance_alone() {
    if (link_ == nullptr) {
        advance();
        return;
    }
    link_->hold();
    advance();
    link_->go_on();
}

void DataPath::advance() {
    start_dram();
    while (!state_.phases.empty()) {
        Slot& slot = *state_.phases.front();
        if (!(slot.is_read() ? push_read(slot) : push_write(slot))) {
            break;
        }
        state_.read_phases -= slot.is_read() ? 1U : 0U;
        state_.phases.pop();
    }
}

// Hands loaded FISes to the link. True if the last byte of the phase is on its way.
bool DataPath::push_read(Slot& slot) {
    while (state_.read_queued < state_.read_count) {
        ReadFis& fis = read_at(state_.read_queued);
        if (fis.slot != &slot || fis.loaded < fis.bytes) {
            return false;
        }
        if (slot.by_pio()) {
            if (slot.moved + fis.bytes == slot.data_bytes && !slot.released) {
                return false;
            }
            sender_.send(SataFrame{begin_block(slot, fis.bytes)});
        } else if (slot.queued && fis.first) {
            sender_.send(begin_phase(slot, false));
        }
        ++state_.read_queued;
        slot.moved += fis.bytes;
        data_frame_.content = fis.content.data();
        data_frame_.bytes = fis.bytes;
        data_frame_.in_phase = !slot.by_pio();
        sender_.send(data_frame_);
        if (slot.moved == slot.data_bytes) {
            return true;
        }
    }
    return false;
}

// Lets the host send the next Data FIS if there is room for it. True if the last byte has arrived.
bool DataPath::push_write(Slot& slot) {
    if (slot.moved == slot.data_bytes) {
        return true;
    }
    const bool wanted = slot.internal || slot.transfers.requested() > slot.moved;
    if (!wanted || state_.awaiting_data || state_.setup_pending || state_.write_count == kBuffers ||
        state_.dma.to_abort != nullptr) {
        return false;
    }
    if (slot.queued && !slot.setup_sent) {
        state_.setup_pending = true;
        state_.awaiting_data = auto_activate_;
        sender_.send(begin_phase(slot, auto_activate_));
        return false;
    }
    state_.awaiting_data = true;
    sender_.send(slot.by_pio() ? SataFrame{begin_block(slot, slot.block_bytes(slot.moved))}
                               : activate_frame_);
    return false;
}

void DataPath::start_dram() {
    if (!state_.dma.busy && (state_.write_count == 0 || !start_store())) {
        start_load();
    }
}

bool DataPath::start_store() {
    WriteFis& fis = write_at(0);
    if (fis.slot->transfers.claimable() == 0) {
        return false;  // firmware has not given the place of the rest yet
    }
    issue(true, *fis.slot, fis.bytes - fis.stored, fis.content.data() + content_offset(fis.stored));
    return true;
}

// The read phase whose bytes are loaded next: the first one that has not claimed all of its bytes; null until
// firmware requests more of them. The buffers serve this phase alone until it has claimed all; otherwise a
// later command could block it.
Slot* DataPath::next_to_load() {
    for (std::size_t i = 0; state_.read_phases > 0 && i < state_.phases.size(); ++i) {
        Slot& slot = *state_.phases[i];
        if (slot.is_read() && slot.transfers.claimed() < slot.data_bytes) {
            return slot.transfers.claimable() > 0 ? &slot : nullptr;
        }
    }
    return nullptr;
}

bool DataPath::start_load() {
    if (state_.read_count > state_.read_queued) {
        ReadFis& last = read_at(state_.read_count - 1);
        if (last.loaded < last.bytes && last.slot->transfers.claimable() > 0) {
            issue(false, *last.slot, last.bytes - last.loaded,
                  last.content.data() + content_offset(last.loaded));
            return true;
        }
        if (last.loaded < last.bytes) {
            return false;  // a block of PIO, whose rest firmware has not asked for
        }
    }
    Slot* slot = state_.read_count < kBuffers ? next_to_load() : nullptr;
    if (slot == nullptr) {
        return false;
    }
    ReadFis& fis = read_at(state_.read_count++);
    fis.slot = slot;
    fis.bytes = slot->by_pio() ? slot->block_bytes(slot->transfers.claimed())
                               : static_cast<std::uint32_t>(
                                     std::min<std::uint64_t>(kMaxDataFisBytes, slot->transfers.claimable()));
    fis.loaded = 0;
    fis.first = slot->transfers.claimed() == 0;
    fis.setup = Interval{};
    fis.access_count = 0;
    issue(false, *slot, fis.bytes, fis.content.data());
    return true;
}

void DataPath::issue(bool write, Slot& slot, std::uint32_t at_most, std::byte* content) {
    const Ps at = now();
    const TransferQueue::Run run = slot.transfers.claim(at_most);
    state_.dma = Dma{true, write, &slot, nullptr, run.bytes, Access{at, at, Ps{0}}};
    const auto times =
        dram_.access(DramRequest{write, run.address, run.bytes, content_or_none(content), this}, at);
    if (!times) {
        return;
    }
    state_.dma.times = {at, at + times->wait, at + times->sum()};
    dma_end_.arm(state_.dma.times.ended);
}

void DataPath::dram_granted(std::uint64_t /*id*/, Ps end, const DramTimes& times) {
    state_.dma.times.started = state_.dma.times.issued + times.wait;
    state_.dma.times.ended = end;
    dma_end_.arm(end);
}

void DataPath::dram_done() {
    const Dma done = state_.dma;
    state_.dma = Dma{};
    if (done.to_abort != nullptr) {
        done.to_abort->transfers.abort();
    } else if (done.slot != nullptr && done.write) {
        finish_store(done);
    } else if (done.slot != nullptr) {
        finish_load(done);
    }
    advance_alone();
}

void DataPath::finish_load(const Dma& done) {
    ReadFis& fis = read_at(state_.read_count - 1);
    fis.accesses[fis.access_count++] = done.times;
    fis.loaded += done.bytes;
    if (fis.slot->by_pio()) {
        fis.slot->transfers.retire(done.bytes, now(), [&done](hal::Ledger& ledger) {
            mark_from(ledger, Stage::dram_wait, done.times.issued);
            mark_from(ledger, Stage::dram_transfer, done.times.started);
            mark_from(ledger, Stage::link_wait, done.times.ended);
        });
    }
}

void DataPath::finish_store(const Dma& done) {
    WriteFis& fis = write_at(0);
    Slot& slot = *fis.slot;
    const Arrival arrival = fis.arrival;
    fis.stored += done.bytes;
    if (fis.stored == fis.bytes) {
        state_.write_head = (state_.write_head + 1) % kBuffers;
        --state_.write_count;
    }
    slot.transfers.retire(done.bytes, now(), [&](hal::Ledger& ledger) {
        arrival.mark(ledger);
        mark_from(ledger, Stage::dram_wait, arrival.data.end);
        mark_from(ledger, Stage::dram_transfer, done.times.started);
        mark_from(ledger, Stage::link_wait, done.times.ended);
    });
}

void DataPath::abort(Slot& slot) {
    slot.aborted = true;
    if (state_.dma.busy && state_.dma.slot == &slot) {
        state_.dma.slot = nullptr;
        state_.dma.to_abort = &slot;
        return;
    }
    slot.transfers.abort();
}

void DataPath::reset() {
    const Volatile before = std::exchange(state_, {});
    state_.dma = before.dma;
    state_.read_head = before.read_head;
    state_.read_count = state_.read_queued = before.read_queued;  // FISes that the link has are still sent
    for (std::size_t i = 0; i < state_.read_count; ++i) {
        read_at(i).slot = nullptr;
    }
}

void DataPath::power_cut() {
    state_ = {};
    dma_end_.disarm();
}

inline DataPath::Interval DataPath::frame_until_now(FisType type, std::uint32_t data_bytes) const {
    const Ps time =
        data_bytes == kMaxDataFisBytes ? full_time_ : timing_.frame_time(frame_bytes(type, data_bytes));
    return Interval{now() - time, now()};
}

std::size_t DataPath::content_offset(std::uint32_t bytes) const {
    return hal::content_bytes(content_, bytes);
}

}  // namespace solidtlm::hw
