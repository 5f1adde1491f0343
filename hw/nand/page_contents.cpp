// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/page_contents.h"

#include <cstring>

namespace solidtlm::hw {

PageContents::PageContents(const NandConfig& config)
    : mode_(config.content),
      page_content_(hal::content_bytes(config.content, config.geometry.page_bytes)),
      group_pages_(config.content == hal::ContentMode::bytes ? 1 : config.geometry.pages),
      groups_(group_pages_ == 1 ? config.geometry.pages : 1) {}

const std::byte* PageContents::find(const Block& block, hal::Page page) const {
    if (block.empty()) {
        return nullptr;
    }
    const auto& group = block[page.value / group_pages_];
    return group ? group.get() + std::size_t{page.value % group_pages_} * page_content_ : nullptr;
}

std::byte* PageContents::for_write(Block& block, hal::Page page) {
    if (block.empty()) {
        block.resize(groups_);
    }
    auto& group = block[page.value / group_pages_];
    if (!group) {
        const std::size_t bytes = group_bytes();
        if (!spare_.empty()) {
            group = std::move(spare_.back());
            spare_.pop_back();
            std::memset(group.get(), 0, bytes);
        } else {
            group = std::make_unique<std::byte[]>(bytes);
            memory_ += bytes;
        }
    }
    return group.get() + std::size_t{page.value % group_pages_} * page_content_;
}

void PageContents::store(Block& block, hal::Page page, std::span<const ProgramSlice> slices, bool first) {
    if (first && find(block, page) != nullptr) {
        std::memset(for_write(block, page), 0, page_content_);
    }
    for (const ProgramSlice& slice : slices) {
        const std::size_t bytes = hal::content_bytes(mode_, slice.length_bytes);
        if (slice.content != nullptr && bytes != 0) {
            std::memcpy(for_write(block, page) + hal::content_bytes(mode_, slice.column_bytes), slice.content,
                        bytes);
        }
    }
}

void PageContents::forget(Block& block) {
    if (group_pages_ != 1) {
        return;  // small enough to stay with their block
    }
    for (auto& buffer : block) {
        if (buffer) {
            spare_.push_back(std::move(buffer));
        }
    }
}

}  // namespace solidtlm::hw
