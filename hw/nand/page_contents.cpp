// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/page_contents.h"

#include <algorithm>
#include <cstring>

namespace solidtlm::hw {

PageContents::PageContents(const NandConfig& config)
    : mode_(config.content),
      pages_(config.geometry.pages),
      page_content_(hal::content_bytes(config.content, config.geometry.page_bytes)),
      page_sectors_(config.geometry.page_bytes / hal::kSectorBytes) {}

bool PageContents::copy(const Block& block, hal::Page page, std::uint32_t column_bytes,
                        std::span<std::byte> content) const {
    if (!block.tags.empty()) {
        block.tags.copy(page.value * page_sectors_ + column_bytes / hal::kSectorBytes, content);
        return true;
    }
    if (block.pages.empty() || !block.pages[page.value]) {
        std::ranges::fill(content, std::byte{0});
        return false;
    }
    std::memcpy(content.data(), block.pages[page.value].get() + column_bytes, content.size());
    return true;
}

void PageContents::store(Block& block, hal::Page page, std::span<const ProgramSlice> slices, bool first) {
    if (mode_ == hal::ContentMode::bytes) {
        store_bytes(block, page, slices, first);
    } else if (mode_ == hal::ContentMode::tags) {
        store_tags(block, page, slices, first);
    }
}

std::byte* PageContents::for_write(Block& block, hal::Page page) {
    block.pages.resize(pages_);
    auto& buffer = block.pages[page.value];
    if (!buffer && !spare_.empty()) {
        buffer = std::move(spare_.back());
        spare_.pop_back();
        std::memset(buffer.get(), 0, page_content_);
    } else if (!buffer) {
        buffer = std::make_unique<std::byte[]>(page_content_);
    }
    return buffer.get();
}

void PageContents::store_bytes(Block& block, hal::Page page, std::span<const ProgramSlice> slices,
                               bool first) {
    if (first && !block.pages.empty() && block.pages[page.value]) {
        std::memset(block.pages[page.value].get(), 0, page_content_);
    }
    for (const ProgramSlice& slice : slices) {
        if (slice.content != nullptr && slice.length_bytes != 0) {
            std::memcpy(for_write(block, page) + slice.column_bytes, slice.content, slice.length_bytes);
        }
    }
}

void PageContents::store_tags(Block& block, hal::Page page, std::span<const ProgramSlice> slices,
                              bool first) {
    const std::size_t begin = page.value * page_sectors_;
    const bool whole = slices.size() == 1 && slices[0].content != nullptr &&
                       slices[0].length_bytes == page_sectors_ * hal::kSectorBytes;
    if (first && !whole && !block.tags.empty()) {
        block.tags.clear(begin, page_sectors_);
    }
    for (const ProgramSlice& slice : slices) {
        if (slice.content != nullptr && slice.length_bytes != 0) {
            if (block.tags.empty()) {
                block.tags.allocate(pages_ * page_sectors_);
            }
            block.tags.store(begin + slice.column_bytes / hal::kSectorBytes,
                             {slice.content, hal::content_bytes(mode_, slice.length_bytes)});
        }
    }
}

void PageContents::forget(Block& block) {
    for (auto& buffer : block.pages) {
        if (buffer) {
            spare_.push_back(std::move(buffer));
        }
    }
    block.tags.forget();
}

std::size_t PageContents::memory(const Block& block) const {
    const auto pages =
        std::ranges::count_if(block.pages, [](const auto& buffer) { return buffer != nullptr; });
    return static_cast<std::size_t>(pages) * page_content_ + block.tags.memory();
}

}  // namespace solidtlm::hw
