// SPDX-License-Identifier: Apache-2.0
//
// A buffer manager: a fixed number of frames, each for one page. The least recently used page that is not
// pinned is evicted first, and is written back if it was changed.
//
// Every fetch makes a page the most recently used one. A page that is created is not read; it is dirty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "testbench/sim/load/btree/page_file.h"

namespace solidtlm::testbench::btree {

struct BufferCounters {
    std::uint64_t hits = 0;
    std::uint64_t reads = 0;   ///< pages read from the file
    std::uint64_t writes = 0;  ///< pages written back: evicted while dirty, or by flush()
};

class BufferManager {
  public:
    /// Keeps a page in its frame as long as the Pin exists.
    class Pin {
      public:
        Pin(BufferManager& buffer, std::uint32_t frame) : buffer_(&buffer), frame_(frame) {
            ++buffer_->frames_[frame_].pins;
        }
        Pin(Pin&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)), frame_(other.frame_) {}
        Pin(const Pin&) = delete;
        Pin& operator=(const Pin&) = delete;
        Pin& operator=(Pin&& other) noexcept {
            std::swap(buffer_, other.buffer_);
            std::swap(frame_, other.frame_);
            return *this;
        }
        ~Pin() {
            if (buffer_ != nullptr) {
                --buffer_->frames_[frame_].pins;
            }
        }

        [[nodiscard]] PageId page() const { return buffer_->frames_[frame_].page; }
        [[nodiscard]] std::span<const std::byte> bytes() const { return buffer_->bytes_of(frame_); }
        /// The page's bytes for changing; the page becomes dirty.
        [[nodiscard]] std::span<std::byte> change() {
            buffer_->frames_[frame_].dirty = true;
            return buffer_->bytes_of(frame_);
        }

      private:
        BufferManager* buffer_;
        std::uint32_t frame_;
    };

    /// `file` must outlive the buffer manager. There must be at least one frame more than pages are ever
    /// pinned; otherwise fetch() and create() throw.
    BufferManager(PageFile& file, std::uint32_t page_bytes, std::uint32_t frames);

    [[nodiscard]] Pin fetch(PageId page);
    /// A new page of zeros. REQUIRES: the page is not in the file.
    [[nodiscard]] Pin create(PageId page);
    /// Writes every dirty page, in ascending order.
    void flush();

    [[nodiscard]] std::uint32_t page_bytes() const { return page_bytes_; }
    [[nodiscard]] const BufferCounters& counters() const { return counters_; }

  private:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
    static constexpr PageId kNoPage{kNone};

    struct Frame {
        PageId page{kNoPage};
        std::uint32_t older = kNone;
        std::uint32_t newer = kNone;
        std::uint32_t pins = 0;
        bool dirty = false;
    };

    [[nodiscard]] std::span<std::byte> bytes_of(std::uint32_t frame) {
        return {bytes_.data() + std::size_t{frame} * page_bytes_, page_bytes_};
    }
    /// Provides a frame for `page`, which becomes the most recently used page; the frame's old page is
    /// evicted.
    std::uint32_t take_frame(PageId page);
    void write_back(std::uint32_t frame);
    void unlink(std::uint32_t frame);
    void link_newest(std::uint32_t frame);

    PageFile& file_;
    std::uint32_t page_bytes_;
    std::vector<Frame> frames_;
    std::vector<std::byte> bytes_;
    std::vector<std::uint32_t> frame_of_;  ///< frame by page; kNone: not in the buffer
    std::uint32_t used_ = 0;
    std::uint32_t oldest_ = kNone;
    std::uint32_t newest_ = kNone;
    BufferCounters counters_;
};

}  // namespace solidtlm::testbench::btree
