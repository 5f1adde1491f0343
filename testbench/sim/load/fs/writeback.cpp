// SPDX-License-Identifier: Apache-2.0
//
// Write-back of dirty pages: which ones, when, and where to; and FITRIM.
#include <algorithm>
#include <utility>

#include "testbench/sim/load/fs/filesystem.h"

namespace solidtlm::testbench::fs {
namespace {

/// Most pages that are mapped before their requests are waited for; arbitrary: 16 MiB.
constexpr std::uint64_t kBatchPages = 4096;
/// mb_stream_req: a file of up to 16 blocks is small.
constexpr std::uint64_t kSmallFile = 16;
/// mb_group_prealloc: blocks taken for small files at a time.
constexpr std::uint64_t kPreallocation = 512;
/// Extents that are stored in the inode itself.
constexpr std::size_t kInlineExtents = 4;
constexpr int kPiecesPerHandle = 4;
/// Changes the inode, a leaf with its bitmap and descriptor, and a bitmap and descriptor per extent.
constexpr std::uint64_t kMapCredits = 4 + 2 * kPiecesPerHandle;

}  // namespace

Task<void> Filesystem::flusher() {
    while (true) {
        while (dirty_pages_ <= background_pages_ || dirty_files_.empty()) {
            co_await dirtied_.wait();
        }
        co_await write_back(next_batch(scheduler_.now()), 0);
    }
}

Task<void> Filesystem::periodic() {
    while (true) {
        co_await scheduler_.sleep(config_.writeback_interval);
        const Ps old = scheduler_.now() - config_.expire;
        for (std::vector<FileId> batch = next_batch(old); !batch.empty(); batch = next_batch(old)) {
            co_await write_back(std::move(batch), 0);
        }
        co_await journal_.write_back(old);
    }
}

// The files that have been dirty longest, at least since `dirty_before`. They are marked as being written.
std::vector<FileId> Filesystem::next_batch(Ps dirty_before) {
    std::vector<FileId> batch;
    std::uint64_t pages = 0;
    while (!dirty_files_.empty() && pages < kBatchPages &&
           files_[dirty_files_.front()].dirty_since <= dirty_before) {
        File& file = files_[dirty_files_.front()];
        batch.push_back(dirty_files_.front());
        dirty_files_.pop_front();
        file.writing = true;
        pages += file.pages() - file.dirty_first;
    }
    return batch;
}

// Maps unmapped pages and writes them. All writes of pages mapped in a transaction are sent before the first
// wait, so that the transaction can commit.
Task<void> Filesystem::write_back(std::vector<FileId> files, std::uint32_t cpu) {
    fw::Join done(scheduler_.executor(), "groups of pages written back");
    std::vector<Extent> extents;
    const auto submit = [&] {
        if (!extents.empty()) {
            merge_extents(extents);
            done.add();
            scheduler_.spawn(write_group(std::exchange(extents, {}), journal_.order_data(), done));
        }
    };
    const auto collect = [&](FileId id, std::uint64_t first, std::uint64_t end) {
        const std::vector<Extent> more = places(id, first, end);
        extents.insert(extents.end(), more.begin(), more.end());
    };
    for (const FileId id : files) {
        std::uint64_t first = files_[id].dirty_first;
        collect(id, first, files_[id].mapped);
        first = std::max(first, files_[id].mapped);
        while (files_[id].mapped < files_[id].pages()) {
            if (!journal_.has_room(kMapCredits)) {
                submit();
            }
            co_await journal_.reserve(kMapCredits);
            const bool some = map_some(id, cpu);
            collect(id, first, files_[id].mapped);
            first = files_[id].mapped;
            if (!some) {
                submit();
                co_await journal_.commit_all();
            }
        }
    }
    submit();
    co_await done.wait();
    for (const FileId id : files) {
        File& file = files_[id];
        dirty_pages_ -= file.pages() - file.dirty_first;
        file.dirty_first = file.pages();
        file.writing = false;
    }
    shrink_cache();
    written_.notify();
}

Task<void> Filesystem::write_group(std::vector<Extent> extents, std::shared_ptr<void> order, fw::Join& done) {
    fw::Join written(scheduler_.executor(), "writes of a group of pages");
    queue_.transfer(Purpose::data_write, extents, written);
    co_await written.wait();
    order.reset();
    done.done();
}

// Maps as many pages as one handle allows; false: no block is free.
bool Filesystem::map_some(FileId id, std::uint32_t cpu) {
    File& file = files_[id];
    for (int piece = 0; piece < kPiecesPerHandle && file.mapped < file.pages(); ++piece) {
        const auto extent = take_for(file, cpu);
        if (!extent) {
            return false;
        }
        dirty_bitmap(extent->first);
        file.mapped += extent->count;
        unmapped_pages_ -= extent->count;
        if (!file.extents.empty() && file.extents.back().end() == extent->first &&
            layout_.group_of(file.extents.back().first) == layout_.group_of(extent->first)) {
            file.extents.back().count += extent->count;
        } else {
            file.extents.push_back(*extent);
        }
    }
    if (file.extents.size() > kInlineExtents && file.leaf == 0 &&
        allocator_.free_blocks() > unmapped_pages_) {
        if (const auto leaf = allocator_.take(file.extents.front().first, 1)) {
            file.leaf = leaf->first;
            dirty_bitmap(file.leaf);
        }
    }
    if (file.leaf != 0) {
        journal_.dirty(file.leaf);
    }
    journal_.dirty(layout_.inode_table_block(file.entry.inode));
    file.changed = journal_.running();
    return true;
}

void Filesystem::dirty_bitmap(Block block) {
    const std::uint64_t group = layout_.group_of(block);
    journal_.dirty(layout_.block_bitmap(group));
    journal_.dirty(layout_.descriptor_block(group));
}

std::optional<Extent> Filesystem::take_for(const File& file, std::uint32_t cpu) {
    const std::uint64_t want = file.pages() - file.mapped;
    const Block goal = file.extents.empty() ? layout_.data_goal(file.entry.inode) : file.extents.back().end();
    auto extent = file.pages() <= kSmallFile ? take_small(goal, cpu, want) : allocator_.take(goal, want);
    if (!extent) {
        drop_preallocations();
        extent = allocator_.take(goal, want);
    }
    return extent;
}

std::optional<Extent> Filesystem::take_small(Block goal, std::uint32_t cpu, std::uint64_t want) {
    Extent& piece = preallocated_[cpu % preallocated_.size()];
    if (piece.count < want) {
        if (piece.count > 0) {
            allocator_.give_back(std::exchange(piece, {}));
        }
        piece = allocator_.take(goal, std::max(kPreallocation, want)).value_or(Extent{});
    }
    if (piece.count == 0) {
        return std::nullopt;
    }
    const Extent taken{piece.first, std::min(piece.count, want)};
    piece = {taken.end(), piece.count - taken.count};
    return taken;
}

void Filesystem::drop_preallocations() {
    for (Extent& piece : preallocated_) {
        if (piece.count > 0) {
            allocator_.give_back(std::exchange(piece, {}));
        }
    }
}

Task<void> Filesystem::fstrim() {
    while (true) {
        co_await scheduler_.sleep(config_.fstrim_interval);
        for (std::uint64_t group = 0; group < layout_.groups(); ++group) {
            if (allocator_.dirty(group)) {
                allocator_.clear_dirty(group);
                co_await trim_group(group);
            }
        }
    }
}

// Takes the free extents while they are trimmed, so that no thread writes to them (ext4_trim_extent()).
Task<void> Filesystem::trim_group(std::uint64_t group) {
    const std::vector<std::pair<Block, std::uint64_t>> free(allocator_.free_extents(group).begin(),
                                                            allocator_.free_extents(group).end());
    std::vector<Extent> chunk;
    for (std::size_t i = 0; i < free.size(); ++i) {
        const auto& [first, count] = free[i];
        const auto place = allocator_.free_extents(group).find(first);
        if (place != allocator_.free_extents(group).end() && place->second >= count) {
            chunk.push_back(*allocator_.take(first, count));
        }
        if (!chunk.empty() && (chunk.size() == config_.ranges || i + 1 == free.size())) {
            fw::Join done(scheduler_.executor(), "trims of free space");
            queue_.trim(chunk, false, done);
            co_await done.wait();
            for (const Extent& extent : chunk) {
                allocator_.give_back(extent);
            }
            chunk.clear();
        }
    }
}

}  // namespace solidtlm::testbench::fs
