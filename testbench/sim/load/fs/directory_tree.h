// SPDX-License-Identifier: Apache-2.0
//
// Inodes and directories: which metadata blocks change when a name is added or removed. A hash spreads the
// entries of a directory with several blocks, as in an htree.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "testbench/sim/load/fs/allocator.h"
#include "testbench/sim/load/fs/journal.h"

namespace solidtlm::testbench::fs {

using DirectoryId = std::uint32_t;
constexpr DirectoryId kRoot = 0;

class DirectoryTree {
  public:
    /// Most blocks that a handle changes through add() or remove().
    static constexpr std::uint64_t kCredits = 12;

    /// A name in a directory, and its inode.
    struct Entry {
        DirectoryId directory = kRoot;
        std::uint32_t block = 0;  ///< block of the directory that has the name
        std::uint64_t inode = 0;
    };

    /// All references must outlive the tree.
    DirectoryTree(const Layout& layout, Allocator& allocator, Journal& journal);

    /// In a handle: adds a name with a new inode; nothing if no blocks or inodes are left.
    std::optional<Entry> add(DirectoryId directory, std::uint64_t hash);
    /// In a handle: removes the name. The inode exists until release().
    void remove(const Entry& entry);
    /// In a handle: frees the inode.
    void release(std::uint64_t inode);
    /// In a handle: makes a directory in the root; returns its number, or nothing. The root itself always
    /// exists.
    std::optional<DirectoryId> add_directory(std::uint64_t hash);
    /// In a handle. REQUIRES: the directory is empty.
    void remove_directory(DirectoryId directory);

    [[nodiscard]] std::uint64_t group_of_inode(std::uint64_t inode) const {
        return inode / layout_.inodes_per_group();
    }
    /// The blocks of all directories.
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
    /// A block with room for an entry, added if necessary; nothing if the device is full.
    [[nodiscard]] std::optional<std::uint32_t> block_with_room(Directory& directory, std::uint64_t hash);
    void dirty_inode(std::uint64_t inode);

    const Layout& layout_;
    Allocator& allocator_;
    Journal& journal_;
    std::vector<Directory> directories_;
    /// per group: inodes that were used before and are free
    std::vector<std::set<std::uint64_t>> free_inodes_;
    std::vector<std::uint64_t> fresh_inodes_;  ///< per group: how many inodes were ever used
};

}  // namespace solidtlm::testbench::fs
