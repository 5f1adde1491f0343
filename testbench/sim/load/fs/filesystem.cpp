// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/fs/filesystem.h"

#include <algorithm>
#include <utility>

namespace solidtlm::testbench::fs {
namespace {

/// Blocks that write-back may need in addition to the pages: leaves of extent trees, and growing directories.
constexpr std::uint64_t kSpaceReserve = 64;
/// ext4_should_retry_alloc()
constexpr int kSpaceRetries = 3;
constexpr std::uint64_t kExtentsPerHandle = 4;  // freed extents, with two blocks of metadata each
constexpr std::uint64_t kEvictionsTried = 64;

std::uint64_t share_of(std::uint64_t pages, double share) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(pages) * share));
}

/// Position of a name in a directory; any function that spreads names will do.
std::uint64_t hash_of(std::uint64_t name) {
    constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;
    return (name * kGolden) >> 32U;
}

}  // namespace

Filesystem::Filesystem(const FsConfig& config, HostScheduler& scheduler, BlockQueue& queue)
    : config_(config),
      scheduler_(scheduler),
      queue_(queue),
      layout_(config_),
      allocator_(layout_),
      journal_(config_, layout_, scheduler, queue, allocator_),
      directories_(layout_, allocator_, journal_),
      cpus_(scheduler.executor(), "processors", config.cpus),
      dirtied_(scheduler.executor(), "there is more to write back"),
      written_(scheduler.executor(), "pages of some file are written"),
      preallocated_(config.cpus),
      memory_pages_(config.memory_bytes / kBlockBytes),
      background_pages_(share_of(memory_pages_, config.background_ratio)),
      dirty_limit_(share_of(memory_pages_, config.dirty_ratio)) {
    scheduler.spawn(flusher());
    scheduler.spawn(periodic());
    if (config.discard == Discard::fstrim) {
        scheduler.spawn(fstrim());
    }
}

// Takes the processor time of a call.
Task<void> Filesystem::compute() {
    co_await cpus_.acquire(1);
    const fw::Credits hold(cpus_, 1);
    co_await scheduler_.sleep(config_.cpu_time);
}

FileId Filesystem::new_file() {
    if (free_files_.empty()) {
        free_files_.push_back(static_cast<FileId>(files_.size()));
        files_.emplace_back();
    }
    const FileId id = free_files_.back();
    free_files_.pop_back();
    files_[id] = File{};
    return id;
}

Task<FileId> Filesystem::create(DirectoryId directory, std::uint64_t bytes) {
    co_await compute();
    co_await journal_.reserve(DirectoryTree::kCredits);
    const auto entry = directories_.add(directory, hash_of(names_++));
    if (!entry) {
        ++counts_.no_space;
        co_return kNoFile;
    }
    const FileId id = new_file();
    File& file = files_[id];
    file.entry = *entry;
    file.changed = journal_.running();
    ++counts_.creates;
    cache(id);
    const bool grown = co_await grow(id, bytes);
    if (!grown) {
        co_await truncate(id);
        co_return kNoFile;
    }
    co_return id;
}

Task<bool> Filesystem::append(FileId id, std::uint64_t bytes) {
    co_await compute();
    const bool grown = co_await grow(id, bytes);
    co_return grown;
}

Task<bool> Filesystem::grow(FileId id, std::uint64_t bytes) {
    while (files_[id].writing) {
        co_await written_.wait();
    }
    const std::uint64_t tail = files_[id].bytes / kBlockBytes;
    const bool part = files_[id].bytes % kBlockBytes != 0;
    if (part && !files_[id].cached && tail < files_[id].dirty_first) {
        co_await read_pages(id, tail, tail + 1);
    }
    const std::uint64_t pages_before = files_[id].pages();
    const std::uint64_t pages = (files_[id].bytes + bytes + kBlockBytes - 1) / kBlockBytes;
    const bool space = co_await reserve_space(pages - pages_before);
    if (!space) {
        ++counts_.no_space;
        co_return false;
    }
    co_await journal_.reserve(1);
    while (files_[id].writing) {  // started while this call waited
        co_await written_.wait();
        co_await journal_.reserve(1);
    }
    File& file = files_[id];
    journal_.dirty(layout_.inode_table_block(file.entry.inode));  // changes its time and size
    file.changed = journal_.running();
    ++counts_.appends;
    const std::uint64_t first = std::min({file.dirty_first, tail, pages});
    const bool was_dirty = file.dirty_first < pages_before;
    dirty_pages_ += (pages - first) - (was_dirty ? pages_before - file.dirty_first : 0);
    file.dirty_first = first;
    file.bytes += bytes;
    if (!was_dirty && file.dirty()) {
        file.dirty_since = scheduler_.now();
        file.dirty_place = dirty_files_.insert(dirty_files_.end(), id);
    }
    if (file.cached) {
        cached_pages_ += pages - pages_before;
        shrink_cache();
    }
    if (dirty_pages_ > background_pages_) {
        dirtied_.notify();
    }
    while (dirty_pages_ > dirty_limit_) {  // balance_dirty_pages()
        co_await written_.wait();
    }
    co_return true;
}

// Reserves room for pages that will be mapped later. Freed blocks become available with a commit.
Task<bool> Filesystem::reserve_space(std::uint64_t blocks) {
    unmapped_pages_ += blocks;
    for (int attempt = 0;; ++attempt) {
        if (allocator_.free_blocks() >= unmapped_pages_ + kSpaceReserve) {
            co_return true;
        }
        drop_preallocations();
        if (allocator_.free_blocks() >= unmapped_pages_ + kSpaceReserve) {
            co_return true;
        }
        if (attempt == kSpaceRetries || allocator_.freed_blocks() == 0) {
            unmapped_pages_ -= blocks;
            co_return false;
        }
        co_await journal_.commit_all();
    }
}

Task<void> Filesystem::read(FileId id) {
    co_await compute();
    while (files_[id].writing) {
        co_await written_.wait();
    }
    ++counts_.reads;
    const std::uint64_t clean = std::min(files_[id].dirty_first, files_[id].pages());
    if (files_[id].cached || clean == 0) {
        if (files_[id].cached) {  // now the most recently used
            cached_files_.splice(cached_files_.end(), cached_files_, files_[id].cache_place);
        }
        co_return;
    }
    ++counts_.reads_missed;
    co_await read_pages(id, 0, clean);
    cache(id);
}

// The extents of the mapped pages from `first` to `end`.
std::vector<Extent> Filesystem::places(FileId id, std::uint64_t first, std::uint64_t end) const {
    std::vector<Extent> extents;
    std::uint64_t page = 0;
    for (const Extent& extent : files_[id].extents) {
        const std::uint64_t from = std::max(first, page);
        const std::uint64_t to = std::min(end, page + extent.count);
        if (from < to) {
            extents.push_back({extent.first + (from - page), to - from});
        }
        page += extent.count;
    }
    return extents;
}

Task<void> Filesystem::read_pages(FileId id, std::uint64_t first, std::uint64_t end) {
    fw::Join done(scheduler_.executor(), "reads of a file");
    queue_.transfer(Purpose::data_read, places(id, first, end), done);
    co_await done.wait();
}

void Filesystem::cache(FileId id) {
    File& file = files_[id];
    if (!file.cached) {
        file.cached = true;
        file.cache_place = cached_files_.insert(cached_files_.end(), id);
        cached_pages_ += file.pages();
        shrink_cache();
    }
}

void Filesystem::uncache(FileId id) {
    File& file = files_[id];
    if (file.cached) {
        file.cached = false;
        cached_files_.erase(file.cache_place);
        cached_pages_ -= file.pages();
    }
}

// Evicts the least recently used clean files from the page cache.
void Filesystem::shrink_cache() {
    auto place = cached_files_.begin();
    for (std::uint64_t tried = 0;
         cached_pages_ > memory_pages_ && tried < kEvictionsTried && place != cached_files_.end(); ++tried) {
        const FileId id = *place++;
        if (!files_[id].dirty() && !files_[id].writing) {
            uncache(id);
        }
    }
}

Task<void> Filesystem::remove(FileId id) {
    co_await compute();
    ++counts_.removes;
    co_await truncate(id);
}

// Removes the name first and puts the inode on the list of orphans, then removes the blocks, a few per
// handle, then the inode (ext4_unlink(), ext4_evict_inode()).
Task<void> Filesystem::truncate(FileId id) {
    while (files_[id].writing) {
        co_await written_.wait();
    }
    constexpr std::uint64_t kUnlink = 4;
    co_await journal_.reserve(kUnlink);
    while (files_[id].writing) {
        co_await written_.wait();
        co_await journal_.reserve(kUnlink);
    }
    if (files_[id].dirty()) {
        const File& file = files_[id];
        dirty_pages_ -= file.pages() - file.dirty_first;
        unmapped_pages_ -= file.pages() - file.mapped;
        dirty_files_.erase(file.dirty_place);
        written_.notify();
    }
    uncache(id);
    directories_.remove(files_[id].entry);
    journal_.dirty(kSuperblock);
    while (!files_[id].extents.empty()) {
        co_await journal_.reserve(2 * kExtentsPerHandle + 2);
        std::vector<Extent>& extents = files_[id].extents;
        for (std::uint64_t i = 0; i < kExtentsPerHandle && !extents.empty(); ++i) {
            dirty_bitmap(extents.back().first);
            journal_.free(extents.back());
            extents.pop_back();
        }
        journal_.dirty(layout_.inode_table_block(files_[id].entry.inode));
    }
    co_await journal_.reserve(8);
    if (const Block leaf = files_[id].leaf; leaf != 0) {
        dirty_bitmap(leaf);
        journal_.forget(leaf);
        journal_.free({leaf, 1});
        files_[id].leaf = 0;
    }
    directories_.release(files_[id].entry.inode);
    journal_.dirty(kSuperblock);
    free_files_.push_back(id);
}

Task<void> Filesystem::fsync(FileId id, std::uint32_t cpu) {
    co_await compute();
    ++counts_.fsyncs;
    while (files_[id].writing) {
        co_await written_.wait();
    }
    if (files_[id].dirty()) {
        dirty_files_.erase(files_[id].dirty_place);
        files_[id].writing = true;
        co_await write_back(std::vector<FileId>(1, id), cpu);
    }
    if (files_[id].changed > journal_.committed()) {
        co_await journal_.commit(files_[id].changed);
    } else {
        fw::Join done(scheduler_.executor(), "flushes");
        queue_.flush(done);
        co_await done.wait();
    }
}

Task<void> Filesystem::sync() {
    while (dirty_pages_ > 0) {
        std::vector<FileId> batch = next_batch(scheduler_.now());
        if (batch.empty()) {
            co_await written_.wait();
        } else {
            co_await write_back(std::move(batch), 0);
        }
    }
    co_await journal_.commit_all();
}

Task<DirectoryId> Filesystem::make_directory() {
    co_await compute();
    co_await journal_.reserve(DirectoryTree::kCredits);
    const auto directory = directories_.add_directory(hash_of(names_++));
    counts_.no_space += directory ? 0 : 1;
    co_return directory.value_or(kRoot);
}

Task<void> Filesystem::remove_directory(DirectoryId directory) {
    co_await compute();
    co_await journal_.reserve(DirectoryTree::kCredits);
    directories_.remove_directory(directory);
}

std::vector<Filesystem::Owned> Filesystem::owned() const {
    std::vector<Owned> owned;
    for (FileId id = 0; id < files_.size(); ++id) {
        for (const Extent& extent : files_[id].extents) {
            owned.push_back({id, extent, false});
        }
        if (files_[id].leaf != 0) {
            owned.push_back({id, {files_[id].leaf, 1}, true});
        }
    }
    for (const Block block : directories_.blocks()) {
        owned.push_back({kNoFile, {block, 1}, false});
    }
    for (const Extent& extent : preallocated_) {
        if (extent.count > 0) {
            owned.push_back({kNoFile, extent, false});
        }
    }
    return owned;
}

}  // namespace solidtlm::testbench::fs
