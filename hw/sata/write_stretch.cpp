// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/write_stretch.h"

#include <algorithm>
#include <cstring>

#include "fw/hal/check.h"
#include "hw/sata/link.h"

namespace solidtlm::hw {

WriteStretch::WriteStretch(DataPath& path, SataLink& link, StretchDram& dram, StretchHost& host)
    : PhaseStretch(path, link, dram),
      host_(host),
      activate_time_(link.frame_time(frame_bytes(FisType::dma_activate, 0))) {}

std::uint64_t WriteStretch::left(const Slot& slot) const {
    const std::uint64_t end = slot.transfers.end_of_front();
    return end > slot.moved ? (end - slot.moved) / kMaxDataFisBytes : 0;
}

/// No phase wants to load for a read meanwhile.
bool WriteStretch::alone() const {
    for (std::size_t i = 0; i < path_.phases_.size(); ++i) {
        if (path_.phases_[i]->is_read()) {
            return false;
        }
    }
    return true;
}

bool WriteStretch::begin() {
    constexpr std::uint64_t kLeast = 4;  // a shorter stretch is not worth its begin and end
    if (path_.write_count_ != 1 || path_.write_at(0).stored > 0 || path_.dma_.busy || path_.awaiting_data_ ||
        path_.setup_pending_ || path_.phases_.empty() || data_time_ == Ps{0}) {
        return false;
    }
    Slot& slot = *path_.phases_.front();
    if (path_.write_at(0).slot != &slot || slot.internal || slot.transfers.empty() || left(slot) < kLeast ||
        !alone() || !dram_.begin_stretch(*this)) {
        return false;
    }
    if (!link_.begin_idle_stretch(*this)) {
        dram_.end_stretch();
        return false;
    }
    slot_ = &slot;
    store(now());  // accesses of this instant are ordered after it
    activate(now());
    started();
    return true;
}

/// When the last but one FIS comes; entries of the agenda take it and the last one.
Ps WriteStretch::earliest_end() const {
    const auto count = static_cast<std::int64_t>(left(*slot_));
    if (count <= 2) {
        return kNever;
    }
    const Ps period = activate_time_ + data_time_;
    switch (wire_) {
        case Wire::idle:
            return access_.ended + (count - 1) * period;
        case Wire::activate:
            return frame_.end + data_time_ + (count - 2) * period;
        case Wire::data:
            break;
    }
    return frame_.end + (count - 2) * period;
}

Ps WriteStretch::next_access() const {
    const DataPath::WriteFis& first = path_.write_at(0);
    if (storing_ && (path_.write_count_ > 1 || first.stored + access_bytes_ < first.bytes)) {
        return access_.ended;
    }
    const Ps comes = wire_ == Wire::idle       ? access_.ended + activate_time_ + data_time_
                     : wire_ == Wire::activate ? frame_.end + data_time_
                                               : frame_.end;
    return storing_ ? std::max(comes, access_.ended) : comes;
}

void WriteStretch::store(Ps at) {
    DataPath::WriteFis& fis = path_.write_at(0);
    access(at, true, fis.bytes - fis.stored, fis.content.data() + path_.content_offset(fis.stored));
    storing_ = true;
}

void WriteStretch::stored() {
    const Ps at = access_.ended;
    storing_ = false;
    path_.dma_.bytes = access_bytes_;
    path_.finish_store(access_);
    if (path_.write_count_ > 0) {
        store(at);
    }
    if (wire_ == Wire::idle && path_.write_count_ < DataPath::kBuffers) {
        activate(at);
    }
}

void WriteStretch::activate(Ps at) {
    SOLIDTLM_CHECK(left(*slot_) > 1, "a stretch ends before the last FIS of a transfer");
    frame_ = {at, at + activate_time_};
    wire_ = Wire::activate;
    link_.count_in_stretch(FisType::dma_activate, 0, frame_.begin, frame_.end);
}

void WriteStretch::activated() {
    activation_ = frame_;
    frame_ = {frame_.end, frame_.end + data_time_};
    wire_ = Wire::data;
    link_.count_in_stretch(FisType::data, kMaxDataFisBytes, frame_.begin, frame_.end);
}

void WriteStretch::received() {
    DataPath::WriteFis& fis = path_.write_at(path_.write_count_++);
    const std::byte* content = host_.next_data(kMaxDataFisBytes);
    if (const std::size_t size = hal::content_bytes(path_.content_, kMaxDataFisBytes);
        size > 0 && content != nullptr) {
        std::memcpy(fis.content.data(), content, size);
    }
    fis.slot = slot_;
    fis.bytes = kMaxDataFisBytes;
    fis.stored = 0;
    fis.activation = activation_;
    fis.gathered = Ps{0};
    fis.data = frame_;
    slot_->moved += kMaxDataFisBytes;
    wire_ = Wire::idle;
    if (!storing_) {
        store(frame_.end);
    }
    if (path_.write_count_ < DataPath::kBuffers) {
        activate(frame_.end);
    }
}

void WriteStretch::catch_up() {
    const Ps until = now();
    while (true) {
        const Ps store_due = storing_ ? access_.ended : kNever;
        const Ps wire_due = wire_ == Wire::idle ? kNever : frame_.end;
        if (std::min(store_due, wire_due) >= until) {
            return;
        }
        if (store_due <= wire_due) {
            stored();
        } else if (wire_ == Wire::activate) {
            activated();
        } else {
            received();
        }
    }
}

void WriteStretch::hand_back() {
    link_.end_idle_stretch(frame_.end);
    path_.awaiting_data_ = wire_ != Wire::idle;
    if (wire_ == Wire::activate) {
        path_.sender_.send(encode_dma_activate());
        link_.began_before(frame_.end);
    } else if (wire_ == Wire::data) {
        path_.activation_ = activation_;
        host_.send_data();
        link_.began_before(frame_.end);
    }
    if (storing_) {
        hand_back_access(true);
    }
}

}  // namespace solidtlm::hw
