// SPDX-License-Identifier: Apache-2.0
//
// Inodes and directories: which metadata blocks it changes to make or remove a name. Directory entries of a
// directory with several blocks are spread by a hash, as an htree does.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "testbench/workload/fs/allocator.h"
#include "testbench/workload/fs/journal.h"

namespace solidtlm::testbench::fs {

using DirectoryId = std::uint32_t;
constexpr DirectoryId kRoot = 0;

class DirectoryTree {
  public:
    /// Blocks a handle may change with add() or remove() alone.
    static constexpr std::uint64_t kCredits = 12;

    /// A name in a directory and its inode.
    struct Entry {
        DirectoryId directory = kRoot;
        std::uint32_t block = 0;  ///< of the directory, where the name is
        std::uint64_t inode = 0;
    };

    /// All references must outlive it.
    DirectoryTree(const Layout& layout, Allocator& allocator, Journal& journal);

    /// In a handle: a new name with a new inode; nothing when blocks or inodes have run out.
    std::optional<Entry> add(DirectoryId directory, std::uint64_t hash);
    /// In a handle: the name is gone. The inode lives until release().
    void remove(const Entry& entry);
    /// In a handle: the inode is free.
    void release(std::uint64_t inode);
    /// In a handle: a new directory in the root; its number, or nothing. The root itself exists from the
    /// start.
    std::optional<DirectoryId> add_directory(std::uint64_t hash);
    /// In a handle. REQUIRES: empty.
    void remove_directory(DirectoryId directory);

    [[nodiscard]] std::uint64_t group_of_inode(std::uint64_t inode) const {
        return inode / layout_.inodes_per_group();
    }
    /// Blocks that directories own.
    [[nodiscard]] std::vector<Block> blocks() const;
    [[nodiscard]] std::uint64_t entries(DirectoryId directory) const;

  private:
    struct Directory {
        Entry entry;
        std::uint64_t inode = 0;
        std::vector<Block> blocks;
        std::vector<std::uint32_t> used;  ///< entries in each block
    };

    [[nodiscard]] std::optional<Entry> add_near(DirectoryId directory, std::uint64_t hash,
                                                std::uint64_t near);
    [[nodiscard]] std::optional<std::uint64_t> take_inode(std::uint64_t group);
    /// A block with room for an entry, made if necessary; nothing when the device is full.
    [[nodiscard]] std::optional<std::uint32_t> block_with_room(Directory& directory, std::uint64_t hash);
    void dirty_inode(std::uint64_t inode);

    const Layout& layout_;
    Allocator& allocator_;
    Journal& journal_;
    std::vector<Directory> directories_;
    std::vector<std::set<std::uint64_t>> free_inodes_;  ///< by group: those used before
    std::vector<std::uint64_t> fresh_inodes_;           ///< by group: how many were ever used
};

}  // namespace solidtlm::testbench::fs
