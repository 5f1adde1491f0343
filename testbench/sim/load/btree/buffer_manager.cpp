// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/btree/buffer_manager.h"

#include <algorithm>
#include <stdexcept>

#include "fw/hal/check.h"

namespace solidtlm::testbench::btree {

BufferManager::BufferManager(PageFile& file, std::uint32_t page_bytes, std::uint32_t frames)
    : file_(file), page_bytes_(page_bytes), frames_(frames), bytes_(std::size_t{frames} * page_bytes) {}

BufferManager::Pin BufferManager::fetch(PageId page) {
    if (page.value < frame_of_.size() && frame_of_[page.value] != kNone) {
        const std::uint32_t frame = frame_of_[page.value];
        ++counters_.hits;
        unlink(frame);
        link_newest(frame);
        return {*this, frame};
    }
    const std::uint32_t frame = take_frame(page);
    file_.read(page, bytes_of(frame));
    ++counters_.reads;
    return {*this, frame};
}

BufferManager::Pin BufferManager::create(PageId page) {
    SOLIDTLM_CHECK(page.value >= frame_of_.size() || frame_of_[page.value] == kNone, "the page is new");
    const std::uint32_t frame = take_frame(page);
    std::ranges::fill(bytes_of(frame), std::byte{0});
    frames_[frame].dirty = true;
    return {*this, frame};
}

void BufferManager::flush() {
    for (const std::uint32_t frame : frame_of_) {
        if (frame != kNone && frames_[frame].dirty) {
            write_back(frame);
        }
    }
}

std::uint32_t BufferManager::take_frame(PageId page) {
    std::uint32_t frame = used_;
    if (used_ < frames_.size()) {
        ++used_;
    } else {
        frame = oldest_;
        while (frame != kNone && frames_[frame].pins > 0) {
            frame = frames_[frame].newer;
        }
        if (frame == kNone) {
            throw std::logic_error("buffer manager: every page is pinned");
        }
        if (frames_[frame].dirty) {
            write_back(frame);
        }
        frame_of_[frames_[frame].page.value] = kNone;
        unlink(frame);
    }
    frames_[frame] = Frame{page};
    link_newest(frame);
    if (frame_of_.size() <= page.value) {
        frame_of_.resize(page.value + 1, kNone);
    }
    frame_of_[page.value] = frame;
    return frame;
}

void BufferManager::write_back(std::uint32_t frame) {
    file_.write(frames_[frame].page, bytes_of(frame));
    frames_[frame].dirty = false;
    ++counters_.writes;
}

void BufferManager::unlink(std::uint32_t frame) {
    const Frame& gone = frames_[frame];
    (gone.older != kNone ? frames_[gone.older].newer : oldest_) = gone.newer;
    (gone.newer != kNone ? frames_[gone.newer].older : newest_) = gone.older;
}

void BufferManager::link_newest(std::uint32_t frame) {
    frames_[frame].older = newest_;
    frames_[frame].newer = kNone;
    (newest_ != kNone ? frames_[newest_].newer : oldest_) = frame;
    newest_ = frame;
}

}  // namespace solidtlm::testbench::btree
