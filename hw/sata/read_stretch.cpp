// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/read_stretch.h"

#include <algorithm>

#include "fw/hal/check.h"
#include "hw/sata/link.h"

namespace solidtlm::hw {

std::uint64_t ReadStretch::left(const Slot& slot) const {
    return slot.transfers.claimable_of_front() / kMaxDataFisBytes;
}

bool ReadStretch::begin() {
    constexpr std::uint64_t kLeast = 3;  // a shorter stretch is not worth its begin and end
    if (path_.read_count_ != 1 || path_.read_queued_ != 1 || path_.dma_.busy || path_.write_count_ > 0 ||
        path_.phases_.empty() || data_time_ == Ps{0}) {
        return false;
    }
    Slot& slot = *path_.phases_.front();
    if (path_.read_at(0).slot != &slot || path_.read_at(0).bytes != kMaxDataFisBytes || left(slot) < kLeast ||
        !dram_.begin_stretch(*this)) {
        return false;
    }
    const Ps end = link_.begin_stretch(*this);
    if (end < Ps{0}) {
        dram_.end_stretch();
        return false;
    }
    slot_ = &slot;
    frame_ = {end - data_time_, end};
    on_wire_ = true;
    begin_load(now());
    load();  // accesses of this instant are ordered after it
    started();
    return true;
}

/// When the last but one FIS is to be loaded; entries of the agenda load it and the last one.
Ps ReadStretch::earliest_end() const {
    const auto loads = static_cast<std::int64_t>(left(*slot_));
    const Ps first = on_wire_ ? frame_.end : std::max(frame_.end, next_access()) + data_time_;
    return loads > 1 ? first + (loads - 1) * data_time_ : kNever;
}

Ps ReadStretch::next_access() const {
    return load_at_ != kNever ? load_at_ : std::max(frame_.end, loaded_at_);
}

void ReadStretch::begin_load(Ps at) {
    DataPath::ReadFis& fis = path_.read_at(path_.read_count_++);
    fis.slot = slot_;
    fis.bytes = kMaxDataFisBytes;
    fis.loaded = 0;
    fis.first = false;
    fis.setup = {};
    fis.access_count = 0;
    load_at_ = at;
    loaded_at_ = kNever;
}

/// The DRAM access that is due.
void ReadStretch::load() {
    DataPath::ReadFis& fis = path_.read_at(path_.read_count_ - 1);
    access(load_at_, false, fis.bytes - fis.loaded, fis.content.data() + path_.content_offset(fis.loaded));
    fis.accesses[fis.access_count++] = access_;
    fis.loaded += access_bytes_;
    const bool whole = fis.loaded == fis.bytes;
    load_at_ = whole ? kNever : access_.ended;
    loaded_at_ = whole ? access_.ended : kNever;
}

void ReadStretch::begin_frame() {
    frame_.begin = std::max(frame_.end, loaded_at_);
    frame_.end = frame_.begin + data_time_;
    on_wire_ = true;
    ++path_.read_queued_;
    slot_->moved += kMaxDataFisBytes;
    link_.begin_read_data(path_.read_at(0).content.data(), kMaxDataFisBytes, frame_.begin, frame_.end);
    SOLIDTLM_CHECK(left(*slot_) > 0, "a stretch ends before it has nothing more to load");
    begin_load(frame_.begin);
}

/// The host has the FIS that was on the wire, and its buffer is free.
void ReadStretch::end_frame() {
    link_.end_read_data();
    path_.retire_read(frame_, Ps{0});
    on_wire_ = false;
}

void ReadStretch::catch_up() {
    const Ps until = now();
    while (true) {
        Ps wire_due = frame_.end;
        if (!on_wire_) {
            wire_due = loaded_at_ == kNever ? kNever : std::max(frame_.end, loaded_at_);
        }
        if (std::min(load_at_, wire_due) >= until) {
            return;
        }
        if (load_at_ <= wire_due) {
            load();
        } else if (on_wire_) {
            end_frame();
        } else {
            begin_frame();
        }
    }
}

void ReadStretch::hand_back() {
    if (on_wire_) {
        link_.end_stretch(frame_.end);
    } else {
        link_.end_stretch_idle(frame_.end);
        path_.sender_.sent();
    }
    if (access_.ended >= now()) {
        DataPath::ReadFis& fis = path_.read_at(path_.read_count_ - 1);
        fis.loaded -= access_bytes_;
        --fis.access_count;
        hand_back_access(false);
    } else {
        SOLIDTLM_CHECK(loaded_at_ != kNever, "a FIS is loaded, or a DRAM access for it is under way");
        path_.push_read(*slot_);
    }
}

}  // namespace solidtlm::hw
