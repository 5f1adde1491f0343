// SPDX-License-Identifier: Apache-2.0
//
// The file system as programs see it: create, append, read, remove, fsync, sync. Files are in the page cache;
// blocks are mapped when dirty pages are written back (delayed allocation), by age, by amount, or by fsync.
//
// Small files (up to 64 KiB) take their blocks from a preallocated extent of 512 blocks, one per processor;
// other files continue after their last block (mballoc: mb_stream_req, mb_group_prealloc). Files grow only at
// the end.
//
// Left out: reads of metadata (it stays in memory), preallocation for single files, more than one page cache.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "testbench/sim/load/fs/directory_tree.h"
#include "testbench/sim/load/fs/journal.h"

namespace solidtlm::testbench::fs {

using FileId = std::uint32_t;
constexpr FileId kNoFile = ~FileId{0};

struct FsCounts {
    std::uint64_t creates = 0;
    std::uint64_t appends = 0;  ///< including those of create
    std::uint64_t reads = 0;
    std::uint64_t reads_missed = 0;  ///< reads that waited for the device
    std::uint64_t removes = 0;
    std::uint64_t fsyncs = 0;
    std::uint64_t no_space = 0;  ///< calls that failed with ENOSPC, after a commit
};

class Filesystem {
  public:
    /// All references must outlive the file system.
    Filesystem(const FsConfig& config, HostScheduler& scheduler, BlockQueue& queue);

    // Calls of a thread. A file belongs to one thread, so there are no concurrent calls on a file.
    /// Creates a file of `bytes`; kNoFile if there is no space.
    Task<FileId> create(DirectoryId directory, std::uint64_t bytes);
    Task<bool> append(FileId file, std::uint64_t bytes);
    /// Reads the whole file.
    Task<void> read(FileId file);
    Task<void> remove(FileId file);
    /// `cpu`: the processor on which the thread runs.
    Task<void> fsync(FileId file, std::uint32_t cpu);
    /// Returns when everything is on disk, including trims.
    Task<void> sync();
    /// Returns kRoot if there is no space.
    Task<DirectoryId> make_directory();
    Task<void> remove_directory(DirectoryId directory);

    [[nodiscard]] std::uint64_t size(FileId file) const { return files_[file].bytes; }
    [[nodiscard]] const FsCounts& counts() const { return counts_; }
    [[nodiscard]] const Layout& layout() const { return layout_; }
    [[nodiscard]] const Allocator& allocator() const { return allocator_; }
    [[nodiscard]] const Journal& journal() const { return journal_; }
    [[nodiscard]] const DirectoryTree& directories() const { return directories_; }

    /// The owner of a block, for external checks.
    struct Owned {
        FileId file = kNoFile;  ///< kNoFile: owned by a directory, or preallocated
        Extent extent;
        bool leaf = false;  ///< a leaf of the file's extent tree
    };
    [[nodiscard]] std::vector<Owned> owned() const;

  private:
    struct File {
        bool cached = false;   ///< all its pages are in the page cache
        bool writing = false;  ///< its dirty pages are being written
        DirectoryTree::Entry entry;
        std::uint64_t bytes = 0;
        std::uint64_t mapped = 0;       ///< number of leading blocks that are mapped
        std::uint64_t dirty_first = 0;  ///< pages from here on are dirty; the number of pages if none is
        std::vector<Extent> extents;    ///< extents of the mapped blocks, in order
        Block leaf = 0;                 ///< leaf of the extent tree, needed from the fifth extent on; 0: none
        TransactionId changed = 0;
        Ps dirty_since{0};
        std::list<FileId>::iterator dirty_place;
        std::list<FileId>::iterator cache_place;

        [[nodiscard]] std::uint64_t pages() const { return (bytes + kBlockBytes - 1) / kBlockBytes; }
        [[nodiscard]] bool dirty() const { return dirty_first < pages(); }
    };

    // Calls (filesystem.cpp)
    Task<void> compute();
    Task<bool> grow(FileId id, std::uint64_t bytes);
    Task<bool> reserve_space(std::uint64_t blocks);
    Task<void> read_pages(FileId id, std::uint64_t first, std::uint64_t end);
    [[nodiscard]] std::vector<Extent> places(FileId id, std::uint64_t first, std::uint64_t end) const;
    Task<void> truncate(FileId id);
    FileId new_file();
    void cache(FileId id);
    void uncache(FileId id);
    void shrink_cache();

    // Writing back (writeback.cpp)
    Task<void> flusher();
    Task<void> periodic();
    Task<void> fstrim();
    Task<void> trim_group(std::uint64_t group);
    Task<void> write_back(std::vector<FileId> files, std::uint32_t cpu);
    Task<void> write_group(std::vector<Extent> extents, std::shared_ptr<void> order, fw::Join& done);
    [[nodiscard]] std::vector<FileId> next_batch(Ps dirty_before);
    [[nodiscard]] bool map_some(FileId id, std::uint32_t cpu);
    std::optional<Extent> take_for(const File& file, std::uint32_t cpu);
    std::optional<Extent> take_small(Block goal, std::uint32_t cpu, std::uint64_t want);
    void dirty_bitmap(Block block);
    void drop_preallocations();

    const FsConfig config_;
    HostScheduler& scheduler_;
    BlockQueue& queue_;
    const Layout layout_;
    Allocator allocator_;
    Journal journal_;
    DirectoryTree directories_;
    fw::Semaphore cpus_;
    fw::Signal dirtied_;  ///< more pages are to be written back
    fw::Signal written_;  ///< a file's pages were written
    std::vector<File> files_;
    std::vector<FileId> free_files_;
    std::list<FileId> dirty_files_;     ///< oldest first, without those being written
    std::list<FileId> cached_files_;    ///< least recently used first
    std::vector<Extent> preallocated_;  ///< one per processor
    std::uint64_t names_ = 0;
    std::uint64_t dirty_pages_ = 0;  ///< including those being written
    std::uint64_t cached_pages_ = 0;
    std::uint64_t unmapped_pages_ = 0;  ///< dirty pages without mapped blocks
    const std::uint64_t memory_pages_;
    const std::uint64_t background_pages_;
    const std::uint64_t dirty_limit_;
    FsCounts counts_;
};

}  // namespace solidtlm::testbench::fs
