// SPDX-License-Identifier: Apache-2.0
//
// The storage of the buffer manager: a file of pages of one size, numbered from 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/types.h"

namespace solidtlm::testbench::btree {

using PageId = hal::Index<struct PageIdTag, std::uint32_t>;

class PageFile {
  public:
    virtual ~PageFile() = default;
    /// `bytes`: space for one page. REQUIRES: the page was written before.
    virtual void read(PageId page, std::span<std::byte> bytes) = 0;
    virtual void write(PageId page, std::span<const std::byte> bytes) = 0;
};

/// Pages in memory.
class MemoryPages : public PageFile {
  public:
    explicit MemoryPages(std::uint32_t page_bytes) : page_bytes_(page_bytes) {}

    void read(PageId page, std::span<std::byte> bytes) override {
        SOLIDTLM_CHECK(offset(page) + page_bytes_ <= bytes_.size(), "the page was written before");
        std::memcpy(bytes.data(), bytes_.data() + offset(page), page_bytes_);
    }
    void write(PageId page, std::span<const std::byte> bytes) override {
        if (bytes_.size() < offset(page) + page_bytes_) {
            bytes_.resize(offset(page) + page_bytes_);
        }
        std::memcpy(bytes_.data() + offset(page), bytes.data(), page_bytes_);
    }
    [[nodiscard]] std::span<const std::byte> bytes(PageId page) const {
        return {bytes_.data() + offset(page), page_bytes_};
    }
    [[nodiscard]] std::uint32_t page_bytes() const { return page_bytes_; }

  private:
    [[nodiscard]] std::size_t offset(PageId page) const { return std::size_t{page.value} * page_bytes_; }

    std::uint32_t page_bytes_;
    std::vector<std::byte> bytes_;
};

}  // namespace solidtlm::testbench::btree
