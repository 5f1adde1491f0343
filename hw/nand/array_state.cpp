// SPDX-License-Identifier: Apache-2.0
//
// What the cells of a die hold, to and from a saved drive. Apart from the rest of the array, which needs
// nothing of cereal.
#include <cereal/archives/portable_binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/vector.hpp>
#include <memory>

#include "hw/nand/array.h"
#include "hw/tlm/sized.h"

namespace solidtlm::hw {
namespace {

/// Bytes that may not be there.
template <class Archive>
void serialize_bytes(Archive& archive, std::unique_ptr<std::byte[]>& bytes, std::size_t size) {
    bool there = bytes != nullptr;
    serialize_flag(archive, there);
    if (!there) {
        bytes.reset();
        return;
    }
    if constexpr (Archive::is_loading::value) {
        bytes = std::make_unique<std::byte[]>(size);
    }
    archive(cereal::binary_data(bytes.get(), size));
}

}  // namespace

template <class Archive>
void TagPages::serialize(Archive& archive, std::size_t sectors) {
    allocate(sectors);
    serialize_sized(archive, firsts_, firsts_.size());
    bool any = others_ != nullptr;
    serialize_flag(archive, any);
    if (!any) {
        others_.reset();
        return;
    }
    if (!others_) {
        others_ = std::make_unique<Others>();
    }
    serialize_sized(archive, others_->runs, words());
    serialize_at_most(archive, others_->tags, firsts_.size());
    for (std::size_t run = 0; run < firsts_.size(); ++run) {
        if (others_->has(run) && firsts_[run] >= others_->tags.size()) {
            throw cereal::Exception("contents of a page of it are not there");
        }
    }
}

template <class Archive>
void PageContents::serialize(Archive& archive, Block& block) {
    bool bytes = !block.pages.empty();
    bool tags = !block.tags.empty();
    serialize_flag(archive, bytes);
    serialize_flag(archive, tags);
    if ((bytes && mode_ != hal::ContentMode::bytes) || (tags && mode_ != hal::ContentMode::tags)) {
        throw cereal::Exception("it has contents of another kind");
    }
    block.pages.resize(bytes ? pages_ : 0);
    for (std::unique_ptr<std::byte[]>& page : block.pages) {
        serialize_bytes(archive, page, page_content_);
    }
    if (tags) {
        block.tags.serialize(archive, pages_ * page_sectors_);
    } else {
        block.tags = {};
    }
}

template <class Archive>
void NandArray::BlockState::serialize(Archive& archive) {
    archive(erase_count, next_page);
    serialize_flag(archive, bad);
    serialize_flag(archive, torn);
}

template <class Archive>
void FaultModel::serialize(Archive& archive) {
    serialize_sized(archive, blocks_, blocks_.size());
    if constexpr (Archive::is_loading::value) {
        reset_statistics();
    }
    for (const std::unique_ptr<History>& block : blocks_) {
        if (block) {
            block->programmed_at.resize(geometry_.pages, hal::Ps{-1});
            serialize_sized_or_empty(archive, block->inherited, geometry_.pages);
        }
    }
}

template <class Archive>
void NandArray::serialize_block(Archive& archive, BlockState& block) {
    serialize_sized(archive, block.programmed, page_words_);
    serialize_sized_or_empty(archive, block.torn_pages, page_words_);
    serialize_sized_or_empty(archive, block.partial_programs, geometry_.pages);
    serialize_sized_or_empty(archive, block.programmed_sectors, sector_words_ * geometry_.pages);
    if (block.next_page > geometry_.pages) {
        throw cereal::Exception("a block of it has more pages than there are");
    }
    contents_.serialize(archive, block.content);
}

template <class Archive>
void NandArray::serialize(Archive& archive) {
    bool faulty = faults_ != nullptr;
    serialize_flag(archive, faulty);
    if (faulty && !faults_) {
        throw cereal::Exception("it has faults of flash, which are off");
    }
    if (faulty) {
        archive(*faults_);
    }
    serialize_sized(archive, blocks_, blocks_.size());
    serialize_sized(archive, sound_pages_, sound_pages_.size());
    touched_blocks_ = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        if (blocks_[i]) {
            ++touched_blocks_;
            serialize_block(archive, *blocks_[i]);
            serialize_bytes(archive, metadata_[i], std::size_t{metadata_bytes_} * geometry_.pages);
        } else {
            metadata_[i].reset();
            if (sound_pages_[i] != 0) {
                refuse_saved();
            }
        }
    }
}

template void NandArray::serialize(cereal::PortableBinaryOutputArchive& archive);
template void NandArray::serialize(cereal::PortableBinaryInputArchive& archive);

}  // namespace solidtlm::hw
