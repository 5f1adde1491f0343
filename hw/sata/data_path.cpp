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
    : Machine(device.agenda()),
      content_(config.content),
      timing_(config),
      sender_(sender),
      dram_(dram),
      full_time_(timing_.frame_time(frame_bytes(FisType::data, kMaxDataFisBytes))),
      activate_time_(timing_.frame_time(frame_bytes(FisType::dma_activate, 0))),
      setup_time_(timing_.frame_time(frame_bytes(FisType::dma_setup, 0))),
      auto_activate_(config.auto_activate),
      data_frame_(in_phase(encode_data())),
      activate_frame_(in_phase(encode_dma_activate())),
      dma_end_(device, *this, kCall<&DataPath::dma_due>),
      seen_(device, *this, kCall<&DataPath::seen_due>) {
    for (ReadFis& fis : reads_) {
        fis.content.resize(hal::content_bytes(content_, kMaxDataFisBytes));
    }
    for (WriteFis& fis : writes_) {
        fis.content.resize(kMaxDataFisBytes);  // internal data are bytes in every content mode
    }
}

void DataPath::join(SataLink& link) {
    link_ = &link;
    link.run_first(*this);
}

void DataPath::run_late() {
    SOLIDTLM_CHECK(link_ != nullptr, "the machine runs the wire");
    late_ = full_time_ > Ps{0};
    if (late_) {
        link_->leave_to_machine();
    }
}

void DataPath::transfer_asked(Slot& slot) {
    SOLIDTLM_CHECK(!slot.transfers.empty(), "a transfer was asked for and not aborted");
    catch_up();
    if (!slot.phase_asked) {
        slot.phase_asked = true;
        state_.phases.push(&slot);
        state_.read_phases += slot.is_read() ? 1U : 0U;
    }
    advance_alone(now());
    look_again();
}

void DataPath::begin_internal(Slot& slot) {
    slot.internal = true;
    slot.phase_asked = true;
    state_.phases.push(&slot);
    advance(now());
    look_again();
}

void DataPath::step(Ps at) {
    if (state_.dma_is_next) {
        dram_done(at);
    } else {
        link_->frame_over(at);
    }
    find_due();
}

void DataPath::find_due() {
    if (link_ == nullptr) {
        return;  // every step is an entry
    }
    const Ps wire = link_->late_end();
    const Ps dma = late_dma_end();
    state_.dma_is_next = dma < wire || (dma == wire && state_.dma.known <= link_->frame_begin());
    due_ = state_.dma_is_next ? dma : wire;
    known_ = state_.dma_is_next ? state_.dma.known : link_->frame_begin();
}

Ps DataPath::late_dma_end() const {
    return state_.dma.busy && !dma_end_.armed() ? state_.dma.times.ended : kNever;
}

void DataPath::settle() {
    if (!seen_.armed() || sender_.status_waits()) {
        look_again();
    }
}

void DataPath::look_again() {
    find_due();
    const Ps at = due_ == kNever ? kNever : std::max(seen(), now());
    if (at == kNever) {
        seen_.disarm();
    } else if (seen_.at() != at) {
        seen_.arm_late(at, Ps{-1});
    }
}

/// Runs first at its instant, so that steps that are due now take their places among the other entries.
void DataPath::seen_due() {
    run_until(now());
    while (due_ == now() && agenda_.nothing_else_now()) {
        step(std::exchange(due_, kNever));
    }
    if (late_dma_end() == now()) {
        dma_end_.arm_late(now(), state_.dma.known);
    }
    if (link_->late_end() == now()) {
        link_->arm_end();
    }
    settle();
}

void DataPath::dma_due() {
    catch_up();
    dram_done(now());
    look_again();
}

void DataPath::dram_wanted() {
    if (const Ps end = late_dma_end(); end != kNever) {
        dma_end_.arm_late(end, state_.dma.known);
        find_due();
    }
}

Ps DataPath::seen() const {
    Ps seen = store_seen();
    if (link_->on_wire() != nullptr && link_->late_end() == kNever) {
        return seen;
    }
    const Ps wire_free = link_->on_wire() != nullptr ? link_->frame_end() : now();
    seen = std::min({seen, read_seen(wire_free), write_seen(wire_free)});
    if (sender_.status_waits()) {
        seen = std::min(seen, wire_free + activate_time_);
    }
    return seen;
}

/// Other blocks notice a read at the end of its oldest transfer, which comes with that transfer's last frame.
Ps DataPath::read_seen(Ps wire_free) const {
    if (state_.read_count == 0) {
        return kNever;
    }
    const ReadFis& fis = reads_[state_.read_head];
    if (fis.slot == nullptr) {
        return wire_free + activate_time_;
    }
    if (fis.slot->by_pio()) {
        return kNever;
    }
    const std::uint32_t left = fis.slot->transfers.left_of_front();
    if (on_wire(FisType::data, true)) {
        return wire_free + data_time(left - std::min(left, fis.bytes));
    }
    Ps begin = wire_free;
    if (fis.loaded < fis.bytes && state_.dma.busy && state_.dma.times.ended != kNever) {
        begin = std::max(begin, state_.dma.times.ended);
    }
    const bool setup = fis.first && fis.slot->queued && !fis.slot->setup_sent;
    return begin + (setup ? setup_time_ : Ps{0}) + data_time(left);
}

/// Other blocks notice a write when the last frame of its oldest transfer has arrived, or later.
Ps DataPath::write_seen(Ps wire_free) const {
    if (state_.phases.empty() || state_.phases.front()->is_read()) {
        return kNever;
    }
    const Slot& slot = *state_.phases.front();
    if (slot.by_pio()) {
        return kNever;
    }
    const std::uint64_t end = slot.internal            ? slot.data_bytes
                              : slot.transfers.empty() ? 0
                                                       : slot.transfers.end_of_front();
    if (slot.moved >= end) {
        return kNever;
    }
    std::uint64_t left = end - slot.moved;
    if (on_wire(FisType::data, false)) {
        left -= std::min<std::uint64_t>(left, link_->on_wire()->bytes);
    }
    const auto frames = static_cast<std::int64_t>((left + kMaxDataFisBytes - 1) / kMaxDataFisBytes);
    return wire_free + data_time(left) + std::max(frames - 1, std::int64_t{0}) * activate_time_;
}

/// Other blocks notice a write whose frames have all arrived at the end of its DRAM access. The same holds
/// for an aborted command.
Ps DataPath::store_seen() const {
    if (state_.write_count == 0 && state_.dma.to_abort == nullptr) {
        return kNever;
    }
    const Slot* slot = state_.write_count > 0 ? writes_[state_.write_head].slot : nullptr;
    const bool all_came =
        slot == nullptr || slot->transfers.empty() || slot->transfers.end_of_front() <= slot->moved;
    return all_came ? late_dma_end() : kNever;
}

Ps DataPath::data_time(std::uint64_t bytes) const {
    const auto last = static_cast<std::uint32_t>(bytes % kMaxDataFisBytes);
    return static_cast<std::int64_t>(bytes / kMaxDataFisBytes) * full_time_ +
           (last > 0 ? timing_.frame_time(frame_bytes(FisType::data, last)) : Ps{0});
}

bool DataPath::on_wire(FisType type, bool to_host) const {
    const SataFrame* frame = link_->on_wire();
    return frame != nullptr && frame->header.type() == type &&
           (link_->sender() == LinkSide::Of::device) == to_host;
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

Slot* DataPath::data_received(Ps gathered, Ps at) {
    if (!state_.awaiting_data || state_.accepted_bytes == 0) {
        return nullptr;  // aborted at this very instant
    }
    state_.awaiting_data = false;
    Slot& slot = *state_.phases.front();
    WriteFis& fis = write_at(state_.write_count);
    fis.slot = &slot;
    fis.bytes = state_.accepted_bytes;
    fis.stored = 0;
    fis.arrival = {state_.activation, gathered, frame_until(FisType::data, state_.accepted_bytes, at)};
    state_.accepted_bytes = 0;
    slot.moved += fis.bytes;
    if (!slot.internal) {
        ++state_.write_count;
        advance(at);
        return nullptr;
    }
    slot.internal_data.insert(slot.internal_data.end(), fis.content.data(), fis.content.data() + fis.bytes);
    mark_from(*slot.ledger, Stage::link_wait, slot.ledger->last());
    fis.arrival.mark(*slot.ledger);
    mark_from(*slot.ledger, Stage::command_queue, fis.arrival.data.end);
    advance(at);
    return slot.moved == slot.data_bytes ? &slot : nullptr;
}

void DataPath::Arrival::mark(hal::Ledger& ledger) const {
    mark_from(ledger, Stage::link_transfer, activation.begin);
    mark_from(ledger, Stage::hba_dma, activation.end);
    mark_from(ledger, Stage::link_wait, activation.end + gathered);
    mark_from(ledger, Stage::link_transfer, data.begin);
}

Slot* DataPath::frame_sent(FisType type, bool device_to_host, Ps held, Ps at) {
    Slot* ended = nullptr;
    switch (type) {
        case FisType::data:
            ended = retire_read(at, held);
            break;
        case FisType::dma_setup:
            if (device_to_host) {
                if (state_.read_count > 0) {
                    read_at(0).setup = frame_until(type, 0, at);
                }
                return nullptr;
            }
            state_.setup_pending = false;
            state_.activation = frame_until(type, 0, at);
            break;
        case FisType::dma_activate:
            state_.activation = frame_until(type, 0, at);
            return nullptr;
        case FisType::pio_setup:
            if (!device_to_host) {
                state_.activation = frame_until(type, 0, at);
            }
            return nullptr;
        default:
            return nullptr;
    }
    advance(at);
    return ended;
}

Slot* DataPath::retire_read(Ps at, Ps held) {
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
    const Interval data = frame_until(FisType::data, fis.bytes, at);
    fis.slot->transfers.retire(fis.bytes, at, [&](hal::Ledger& ledger) {
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
    advance_alone(now());
    look_again();
}

/// Advances at the end of an entry, or late: the wire may begin its next frame at once.
void DataPath::advance_alone(Ps at) {
    if (link_ == nullptr) {
        advance(at);
        return;
    }
    link_->hold();
    advance(at);
    link_->go_on(at);
}

void DataPath::advance(Ps at) {
    start_dram(at);
    while (!state_.phases.empty()) {
        Slot& slot = *state_.phases.front();
        if (!(slot.is_read() ? push_read(slot, at) : push_write(slot, at))) {
            break;
        }
        state_.read_phases -= slot.is_read() ? 1U : 0U;
        state_.phases.pop();
    }
}

// Hands loaded FISes to the link. True if the last byte of the phase is on its way.
bool DataPath::push_read(Slot& slot, Ps at) {
    while (state_.read_queued < state_.read_count) {
        ReadFis& fis = read_at(state_.read_queued);
        if (fis.slot != &slot || fis.loaded < fis.bytes) {
            return false;
        }
        if (slot.by_pio()) {
            if (slot.moved + fis.bytes == slot.data_bytes && !slot.released) {
                return false;
            }
            sender_.send(SataFrame{begin_block(slot, fis.bytes)}, at);
        } else if (slot.queued && fis.first) {
            sender_.send(begin_phase(slot, false), at);
        }
        ++state_.read_queued;
        slot.moved += fis.bytes;
        data_frame_.content = fis.content.data();
        data_frame_.bytes = fis.bytes;
        data_frame_.in_phase = !slot.by_pio();
        sender_.send(data_frame_, at);
        if (slot.moved == slot.data_bytes) {
            return true;
        }
    }
    return false;
}

// Lets the host send the next Data FIS if there is room for it. True if the last byte has arrived.
bool DataPath::push_write(Slot& slot, Ps at) {
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
        sender_.send(begin_phase(slot, auto_activate_), at);
        return false;
    }
    state_.awaiting_data = true;
    sender_.send(slot.by_pio() ? SataFrame{begin_block(slot, slot.block_bytes(slot.moved))} : activate_frame_,
                 at);
    return false;
}

void DataPath::start_dram(Ps at) {
    if (!state_.dma.busy && (state_.write_count == 0 || !start_store(at))) {
        start_load(at);
    }
}

bool DataPath::start_store(Ps at) {
    WriteFis& fis = write_at(0);
    if (fis.slot->transfers.claimable() == 0) {
        return false;  // firmware has not given the place of the rest yet
    }
    issue(true, *fis.slot, fis.bytes - fis.stored, fis.content.data() + content_offset(fis.stored), at);
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

bool DataPath::start_load(Ps at) {
    if (state_.read_count > state_.read_queued) {
        ReadFis& last = read_at(state_.read_count - 1);
        if (last.loaded < last.bytes && last.slot->transfers.claimable() > 0) {
            issue(false, *last.slot, last.bytes - last.loaded,
                  last.content.data() + content_offset(last.loaded), at);
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
    issue(false, *slot, fis.bytes, fis.content.data(), at);
    return true;
}

void DataPath::issue(bool write, Slot& slot, std::uint32_t at_most, std::byte* content, Ps at) {
    const TransferQueue::Run run = slot.transfers.claim(at_most);
    state_.dma = Dma{true, write, &slot, nullptr, run.bytes, Access{at, at, kNever}};
    const auto times =
        dram_.access(DramRequest{write, run.address, run.bytes, content_or_none(content), this}, at);
    if (!times) {
        return;
    }
    state_.dma.times = {at, at + times->wait, at + times->sum()};
    state_.dma.known = at + times->queued;
    if (!late_ || watched_ || slot.by_pio()) {
        dma_end_.arm(state_.dma.times.ended);
    }
}

void DataPath::dram_granted(std::uint64_t /*id*/, Ps end, const DramTimes& times) {
    state_.dma.times.started = state_.dma.times.issued + times.wait;
    state_.dma.times.ended = end;
    state_.dma.known = now();
    dma_end_.arm(end);
}

void DataPath::dram_done(Ps at) {
    const Dma done = state_.dma;
    state_.dma = Dma{};
    if (done.to_abort != nullptr) {
        done.to_abort->transfers.abort();
    } else if (done.slot != nullptr && done.write) {
        finish_store(done, at);
    } else if (done.slot != nullptr) {
        finish_load(done, at);
    }
    advance_alone(at);
}

void DataPath::finish_load(const Dma& done, Ps at) {
    ReadFis& fis = read_at(state_.read_count - 1);
    fis.accesses[fis.access_count++] = done.times;
    fis.loaded += done.bytes;
    if (fis.slot->by_pio()) {
        fis.slot->transfers.retire(done.bytes, at, [&done](hal::Ledger& ledger) {
            mark_from(ledger, Stage::dram_wait, done.times.issued);
            mark_from(ledger, Stage::dram_transfer, done.times.started);
            mark_from(ledger, Stage::link_wait, done.times.ended);
        });
    }
}

void DataPath::finish_store(const Dma& done, Ps at) {
    WriteFis& fis = write_at(0);
    Slot& slot = *fis.slot;
    const Arrival arrival = fis.arrival;
    fis.stored += done.bytes;
    if (fis.stored == fis.bytes) {
        state_.write_head = (state_.write_head + 1) % kBuffers;
        --state_.write_count;
    }
    slot.transfers.retire(done.bytes, at, [&](hal::Ledger& ledger) {
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
    look_again();
}

void DataPath::power_cut() {
    state_ = {};
    dma_end_.disarm();
    look_again();
    seen_.disarm();
}

inline DataPath::Interval DataPath::frame_until(FisType type, std::uint32_t data_bytes, Ps end) const {
    const Ps time =
        data_bytes == kMaxDataFisBytes ? full_time_ : timing_.frame_time(frame_bytes(type, data_bytes));
    return Interval{end - time, end};
}

std::size_t DataPath::content_offset(std::uint32_t bytes) const {
    return hal::content_bytes(content_, bytes);
}

}  // namespace solidtlm::hw
