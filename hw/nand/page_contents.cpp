// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/page_contents.h"

#include <algorithm>
#include <cstring>

namespace solidtlm::hw {
namespace {

std::size_t blocks_in(const NandConfig& config, hal::ContentMode mode) {
    return config.content == mode ? std::size_t{config.geometry.planes} * config.geometry.blocks : 0;
}

}  // namespace

PageContents::PageContents(const NandConfig& config)
    : mode_(config.content),
      block_pages_(config.geometry.pages),
      page_content_(hal::content_bytes(config.content, config.geometry.page_bytes)),
      page_sectors_(config.geometry.page_bytes / hal::kSectorBytes),
      tags_(blocks_in(config, hal::ContentMode::tags), block_pages_ * page_sectors_),
      bytes_(blocks_in(config, hal::ContentMode::bytes)) {}

bool PageContents::copy(std::size_t block, hal::Page page, std::uint32_t column_bytes,
                        std::span<std::byte> content) const {
    if (mode_ == hal::ContentMode::tags) {
        tags_.copy(block, page.value * page_sectors_ + column_bytes / hal::kSectorBytes, content);
        return true;
    }
    if (mode_ == hal::ContentMode::none || bytes_[block].empty() || !bytes_[block][page.value]) {
        std::ranges::fill(content, std::byte{0});
        return false;
    }
    std::memcpy(content.data(), bytes_[block][page.value].get() + column_bytes, content.size());
    return true;
}

void PageContents::store(std::size_t block, hal::Page page, std::span<const ProgramSlice> slices) {
    if (mode_ == hal::ContentMode::bytes) {
        store_bytes(block, page, slices);
    } else if (mode_ == hal::ContentMode::tags) {
        store_tags(block, page, slices);
    }
}

std::byte* PageContents::for_write(std::size_t block, hal::Page page) {
    bytes_[block].resize(block_pages_);
    Buffer& buffer = bytes_[block][page.value];
    if (!buffer && !spare_.empty()) {
        buffer = std::move(spare_.back());
        spare_.pop_back();
        std::memset(buffer.get(), 0, page_content_);
    } else if (!buffer) {
        buffer = std::make_unique<std::byte[]>(page_content_);
    }
    return buffer.get();
}

void PageContents::store_bytes(std::size_t block, hal::Page page, std::span<const ProgramSlice> slices) {
    if (!bytes_[block].empty() && bytes_[block][page.value]) {
        std::memset(bytes_[block][page.value].get(), 0, page_content_);
    }
    for (const ProgramSlice& slice : slices) {
        if (slice.content != nullptr && slice.length_bytes != 0) {
            std::memcpy(for_write(block, page) + slice.column_bytes, slice.content, slice.length_bytes);
        }
    }
}

void PageContents::store_tags(std::size_t block, hal::Page page, std::span<const ProgramSlice> slices) {
    const std::size_t begin = page.value * page_sectors_;
    const bool whole = slices.size() == 1 && slices[0].content != nullptr &&
                       slices[0].length_bytes == page_sectors_ * hal::kSectorBytes;
    if (!whole) {
        tags_.clear(block, begin, page_sectors_);
    }
    for (const ProgramSlice& slice : slices) {
        if (slice.content != nullptr && slice.length_bytes != 0) {
            tags_.store(block, begin + slice.column_bytes / hal::kSectorBytes,
                        {slice.content, hal::content_bytes(mode_, slice.length_bytes)});
        }
    }
}

void PageContents::forget(std::size_t block) {
    if (mode_ == hal::ContentMode::tags) {
        tags_.forget(block);
    } else if (mode_ == hal::ContentMode::bytes) {
        for (Buffer& buffer : bytes_[block]) {
            if (buffer) {
                spare_.push_back(std::move(buffer));
            }
        }
    }
}

std::size_t PageContents::memory() const {
    std::size_t buffers = spare_.size();
    for (const std::vector<Buffer>& pages : bytes_) {
        buffers += static_cast<std::size_t>(
            std::ranges::count_if(pages, [](const Buffer& buffer) { return buffer != nullptr; }));
    }
    return buffers * page_content_ + tags_.memory();
}

}  // namespace solidtlm::hw
