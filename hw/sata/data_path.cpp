// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/data_path.h"

#include <algorithm>
#include <cstring>

#include "fw/hal/check.h"
#include "hw/sata/read_stretch.h"
#include "hw/sata/write_stretch.h"

namespace solidtlm::hw {

using hal::Stage;

DataPath::DataPath(const SataConfig& config, FrameSender& sender, DataPathPort& port)
    : content_(config.content),
      timing_(config),
      sender_(sender),
      port_(port),
      auto_activate_(config.auto_activate) {
    for (ReadFis& fis : reads_) {
        fis.content.resize(hal::content_bytes(content_, kMaxDataFisBytes));
    }
    for (WriteFis& fis : writes_) {
        fis.content.resize(kMaxDataFisBytes);  // internal data are bytes in every content mode
    }
}

DataPath::~DataPath() = default;

void DataPath::allow_stretches(SataLink& link, StretchDram& dram, StretchHost& host) {
    read_stretch_ = std::make_unique<ReadStretch>(*this, link, dram);
    write_stretch_ = std::make_unique<WriteStretch>(*this, link, dram, host);
}

void DataPath::catch_up() {
    if (stretch_ != nullptr) {
        stretch_->catch_up();
    }
}

void DataPath::cut_stretch() {
    if (stretch_ != nullptr) {
        stretch_->cut();
    }
}

void DataPath::stretch_due() {
    stretch_->due();
}

bool DataPath::begin_stretch() {
    return read_stretch_ && (read_stretch_->begin() || write_stretch_->begin());
}

void DataPath::transfer_asked(Slot& slot) {
    SOLIDTLM_CHECK(!slot.transfers.empty(), "a transfer was asked for and not aborted");
    if (!slot.phase_asked) {
        if (slot.is_read()) {
            cut_stretch();  // its data may be loaded at once
        }
        slot.phase_asked = true;
        phases_.push(&slot);
    }
    advance();
}

void DataPath::begin_internal(Slot& slot) {
    slot.internal = true;
    slot.phase_asked = true;
    phases_.push(&slot);
    advance();
}

bool DataPath::accept_data(const std::byte* content, std::uint32_t bytes) {
    if (!awaiting_data_ || phases_.empty() || bytes > phases_.front()->data_bytes - phases_.front()->moved) {
        return false;
    }
    accepted_bytes_ = bytes;
    const std::size_t size = phases_.front()->internal ? bytes : hal::content_bytes(content_, bytes);
    if (size > 0 && content != nullptr) {
        std::memcpy(write_at(write_count_).content.data(), content, size);
    }
    return true;
}

void DataPath::data_received(Ps gathered) {
    if (!awaiting_data_ || accepted_bytes_ == 0) {
        return;  // aborted in this very instant
    }
    awaiting_data_ = false;
    Slot& slot = *phases_.front();
    WriteFis& fis = write_at(write_count_);
    fis.slot = &slot;
    fis.bytes = accepted_bytes_;
    fis.stored = 0;
    fis.activation = activation_;
    fis.gathered = gathered;
    fis.data = ended_now(fis_header_bytes(static_cast<std::uint8_t>(FisType::data)) + accepted_bytes_);
    accepted_bytes_ = 0;
    slot.moved += fis.bytes;
    if (!slot.internal) {
        ++write_count_;
        advance();
        return;
    }
    slot.internal_data.insert(slot.internal_data.end(), fis.content.data(), fis.content.data() + fis.bytes);
    mark_from(*slot.ledger, Stage::link_wait, slot.ledger->last());
    mark_from(*slot.ledger, Stage::link_transfer, fis.activation.begin);
    mark_from(*slot.ledger, Stage::hba_dma, fis.activation.end);
    mark_from(*slot.ledger, Stage::link_wait, fis.activation.end + gathered);
    mark_from(*slot.ledger, Stage::link_transfer, fis.data.begin);
    mark_from(*slot.ledger, Stage::command_queue, fis.data.end);
    advance();
    if (slot.moved == slot.data_bytes) {
        port_.internal_data_arrived(slot);
    }
}

void DataPath::frame_sent(FisType type, bool device_to_host, Ps held) {
    const Interval interval = ended_now(fis_header_bytes(static_cast<std::uint8_t>(type)));
    switch (type) {
        case FisType::data:
            retire_read(ended_now(fis_header_bytes(static_cast<std::uint8_t>(type)) + read_at(0).bytes),
                        held);
            break;
        case FisType::dma_setup:
            if (device_to_host) {
                if (read_count_ > 0) {
                    read_at(0).setup = interval;
                }
                return;
            }
            setup_pending_ = false;
            activation_ = interval;
            break;
        case FisType::dma_activate:
            activation_ = interval;
            return;
        default:
            return;
    }
    advance();
}

void DataPath::retire_read(const Interval& data, Ps held) {
    ReadFis& fis = read_at(0);
    read_head_ = (read_head_ + 1) % kBuffers;
    --read_count_;
    --read_queued_;
    if (fis.slot == nullptr) {
        return;
    }
    fis.slot->transfers.retire(fis.bytes, [&](hal::Ledger& ledger) {
        for (std::size_t i = 0; i < fis.access_count; ++i) {
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
}

void DataPath::advance() {
    if (stretch_ != nullptr || begin_stretch()) {
        return;
    }
    start_dram();
    while (!phases_.empty()) {
        Slot& slot = *phases_.front();
        if (!(slot.is_read() ? push_read(slot) : push_write(slot))) {
            break;
        }
        phases_.pop();
    }
}

// Hands what is loaded to the link. True: the last byte of the phase is on its way.
bool DataPath::push_read(Slot& slot) {
    while (read_queued_ < read_count_) {
        ReadFis& fis = read_at(read_queued_);
        if (fis.slot != &slot || fis.loaded < fis.bytes) {
            return false;
        }
        if (slot.queued && fis.first) {
            DmaSetup setup;
            setup.device_to_host = true;
            setup.tag = slot.tag;
            setup.transfer_bytes = slot.data_bytes;
            slot.setup_sent = true;
            sender_.send(encode(setup));
        }
        ++read_queued_;
        slot.moved += fis.bytes;
        sender_.send(encode_data(), fis.content.data(), fis.bytes);
        if (slot.moved == slot.data_bytes) {
            return true;
        }
    }
    return false;
}

// Lets the host send the next Data FIS when there is room for it. True: the last byte has arrived.
bool DataPath::push_write(Slot& slot) {
    if (slot.moved == slot.data_bytes) {
        return true;
    }
    const bool wanted = slot.internal || slot.transfers.requested() > slot.moved;
    if (!wanted || awaiting_data_ || setup_pending_ || write_count_ == kBuffers || dma_.to_abort != nullptr) {
        return false;
    }
    if (slot.queued && !slot.setup_sent) {
        DmaSetup setup;
        setup.auto_activate = auto_activate_;
        setup.tag = slot.tag;
        setup.transfer_bytes = slot.data_bytes;
        slot.setup_sent = true;
        setup_pending_ = true;
        awaiting_data_ = auto_activate_;
        sender_.send(encode(setup));
        return false;
    }
    awaiting_data_ = true;
    sender_.send(encode_dma_activate());
    return false;
}

void DataPath::start_dram() {
    if (!dma_.busy && !start_store()) {
        start_load();
    }
}

bool DataPath::start_store() {
    if (write_count_ == 0) {
        return false;
    }
    WriteFis& fis = write_at(0);
    if (fis.slot->transfers.claimable() == 0) {
        return false;  // firmware has not said yet where the rest goes
    }
    issue(true, *fis.slot, fis.bytes - fis.stored, fis.content.data() + content_offset(fis.stored));
    return true;
}

// The read phase that has bytes to load. Only the first unfinished one: the buffers are for it alone until it
// has asked for everything, otherwise a later command could keep it from going on.
Slot* DataPath::next_to_load() {
    for (std::size_t i = 0; i < phases_.size(); ++i) {
        Slot& slot = *phases_[i];
        if (slot.is_read() && slot.transfers.claimed() < slot.data_bytes) {
            return slot.transfers.claimable() > 0 ? &slot : nullptr;
        }
    }
    return nullptr;
}

bool DataPath::start_load() {
    if (read_count_ > read_queued_) {
        ReadFis& last = read_at(read_count_ - 1);
        if (last.loaded < last.bytes) {
            issue(false, *last.slot, last.bytes - last.loaded,
                  last.content.data() + content_offset(last.loaded));
            return true;
        }
    }
    Slot* slot = read_count_ < kBuffers ? next_to_load() : nullptr;
    if (slot == nullptr) {
        return false;
    }
    ReadFis& fis = read_at(read_count_++);
    fis.slot = slot;
    fis.bytes =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(kMaxDataFisBytes, slot->transfers.claimable()));
    fis.loaded = 0;
    fis.first = slot->transfers.claimed() == 0;
    fis.setup = Interval{};
    fis.access_count = 0;
    issue(false, *slot, fis.bytes, fis.content.data());
    return true;
}

void DataPath::issue(bool write, Slot& slot, std::uint32_t at_most, std::byte* content) {
    const TransferQueue::Run run = slot.transfers.claim(at_most);
    dma_ = Dma{true, write, &slot, nullptr, run.bytes, now()};
    port_.access_dram(write, run, content_or_none(content));
}

void DataPath::dram_done(const DramTimes& times) {
    const Dma done = dma_;
    dma_ = Dma{};
    const Access access{done.issued, done.issued + times.wait, done.issued + times.sum()};
    if (done.to_abort != nullptr) {
        done.to_abort->transfers.abort();
    } else if (done.slot != nullptr && done.write) {
        dma_.bytes = done.bytes;
        finish_store(access);
    } else if (done.slot != nullptr) {
        dma_.bytes = done.bytes;
        finish_load(access);
    }
    advance();
}

void DataPath::finish_load(const Access& access) {
    ReadFis& fis = read_at(read_count_ - 1);
    fis.accesses[fis.access_count++] = access;
    fis.loaded += dma_.bytes;
}

void DataPath::finish_store(const Access& access) {
    WriteFis& fis = write_at(0);
    Slot& slot = *fis.slot;
    const Interval activation = fis.activation;
    const Ps gathered = fis.gathered;
    const Interval data = fis.data;
    fis.stored += dma_.bytes;
    if (fis.stored == fis.bytes) {
        write_head_ = (write_head_ + 1) % kBuffers;
        --write_count_;
    }
    slot.transfers.retire(dma_.bytes, [&](hal::Ledger& ledger) {
        mark_from(ledger, Stage::link_transfer, activation.begin);
        mark_from(ledger, Stage::hba_dma, activation.end);
        mark_from(ledger, Stage::link_wait, activation.end + gathered);
        mark_from(ledger, Stage::link_transfer, data.begin);
        mark_from(ledger, Stage::dram_wait, data.end);
        mark_from(ledger, Stage::dram_transfer, access.started);
        mark_from(ledger, Stage::link_wait, access.ended);
    });
}

void DataPath::abort(Slot& slot) {
    cut_stretch();
    slot.aborted = true;
    if (dma_.busy && dma_.slot == &slot) {
        dma_.slot = nullptr;
        dma_.to_abort = &slot;
        return;
    }
    slot.transfers.abort();
}

void DataPath::reset() {
    cut_stretch();
    phases_.clear();
    read_count_ = read_queued_;  // those the link has go out
    for (std::size_t i = 0; i < read_count_; ++i) {
        read_at(i).slot = nullptr;
    }
    write_count_ = 0;
    awaiting_data_ = false;
    setup_pending_ = false;
    accepted_bytes_ = 0;
}

void DataPath::power_cut() {
    cut_stretch();
    reset();
    read_count_ = read_queued_ = 0;
    dma_ = Dma{};
}

DataPath::Interval DataPath::ended_now(std::uint32_t fis_bytes) const {
    return Interval{now() - timing_.frame_time(fis_bytes), now()};
}

std::size_t DataPath::content_offset(std::uint32_t bytes) const {
    return hal::content_bytes(content_, bytes);
}

}  // namespace solidtlm::hw
