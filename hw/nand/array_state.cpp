// SPDX-License-Identifier: Apache-2.0
//
// Saves and loads the contents of a die's cells. Separate from the rest of the array, which does not need
// cereal.
#include <cereal/archives/portable_binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/vector.hpp>
#include <memory>

#include "hw/nand/array.h"
#include "hw/tlm/sized.h"

namespace solidtlm::hw {
namespace {

/// A byte array that may be absent.
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
void TagPages::serialize(Archive& archive, std::size_t block) {
    bool any = stored_[block];
    serialize_flag(archive, any);
    if (Archive::is_loading::value) {
        others_[block].reset();
        stored_[block] = any;
    }
    if (!any) {
        return;
    }
    archive(cereal::binary_data(&first(block, 0), block_runs_ * sizeof(std::uint64_t)));
    bool with_others = others_[block] != nullptr;
    serialize_flag(archive, with_others);
    if (!with_others) {
        return;
    }
    if (!others_[block]) {
        others_[block] = std::make_unique<Others>();
    }
    Others& others = *others_[block];
    serialize_sized(archive, others.runs, words());
    serialize_at_most(archive, others.tags, block_runs_);
    for (std::size_t run = 0; run < block_runs_; ++run) {
        if (others.has(run) && first(block, run) >= others.tags.size()) {
            refuse_saved();
        }
    }
}

template <class Archive>
void PageContents::serialize(Archive& archive, std::size_t block) {
    if (mode_ == hal::ContentMode::tags) {
        tags_.serialize(archive, block);
    } else if (mode_ == hal::ContentMode::bytes) {
        std::vector<Buffer>& pages = bytes_[block];
        bool any = !pages.empty();
        serialize_flag(archive, any);
        pages.resize(any ? block_pages_ : 0);
        for (Buffer& page : pages) {
            serialize_bytes(archive, page, page_content_);
        }
    }
}

template <class Archive>
void NandArray::BlockState::serialize(Archive& archive) {
    archive(erase_count, slc_erases, next_page);
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
void NandArray::serialize_block(Archive& archive, std::size_t index) {
    BlockState& block = *blocks_[index];
    serialize_sized(archive, block.programmed, page_words_);
    serialize_sized_or_empty(archive, block.torn_pages, page_words_);
    bool slc = slc_[index];
    serialize_flag(archive, slc);
    slc_[index] = slc;
    any_slc_ = any_slc_ || slc;
    if (block.next_page > (slc ? slc_pages_ : geometry_.pages)) {
        throw cereal::Exception("a block of it has more pages than there are");
    }
    contents_.serialize(archive, index);
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
            serialize_block(archive, i);
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
