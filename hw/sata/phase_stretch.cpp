// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/phase_stretch.h"

#include "hw/sata/link.h"

namespace solidtlm::hw {

std::uint32_t PhaseStretch::frame_bytes(FisType type, std::uint32_t data_bytes) {
    return fis_header_bytes(static_cast<std::uint8_t>(type)) + data_bytes;
}

PhaseStretch::PhaseStretch(DataPath& path, SataLink& link, StretchDram& dram)
    : path_(path),
      link_(link),
      dram_(dram),
      data_time_(link.frame_time(frame_bytes(FisType::data, kMaxDataFisBytes))) {}

void PhaseStretch::started() {
    path_.stretch_ = this;
    path_.port_.stretch_due(earliest_end());
}

void PhaseStretch::due() {
    catch_up();
    const Ps end = earliest_end();
    if (end == kNever) {
        cut();
    } else {
        path_.port_.stretch_due(end);
    }
}

void PhaseStretch::access(Ps at, bool write, std::uint32_t at_most, std::byte* content) {
    const TransferQueue::Run run = slot_->transfers.claim(at_most);
    const DramTimes times =
        dram_.serve_stretch(at, DramRequest{write, run.address, run.bytes, path_.content_or_none(content)});
    access_ = {at, at + times.wait, at + times.sum()};
    access_bytes_ = run.bytes;
}

void PhaseStretch::dram_asked() {
    catch_up();
    if (access_.ended > now() && next_access() == access_.ended) {
        cut();  // it goes on when its access ends, and so does whoever comes now
    }
}

void PhaseStretch::dram_taken(Ps until) {
    if (next_access() <= until) {
        cut();
    }
}

void PhaseStretch::cut() {
    catch_up();
    path_.stretch_ = nullptr;
    path_.port_.stretch_due(kNever);
    dram_.end_stretch();
    hand_back();
}

void PhaseStretch::hand_back_access(bool write) {
    path_.dma_ = {true, write, slot_, nullptr, access_bytes_, access_.issued};
    path_.port_.dram_ends(access_.ended,
                          DramTimes{access_.started - access_.issued, access_.ended - access_.started});
}

}  // namespace solidtlm::hw
