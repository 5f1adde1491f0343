// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/fs/directory_tree.h"

#include <algorithm>

#include "fw/hal/check.h"

namespace solidtlm::testbench::fs {
namespace {

/// An entry has 8 bytes and a name of up to 12 (ext4_dir_entry_2), rounded up to 4.
constexpr std::uint32_t kEntryBytes = 20;
constexpr std::uint32_t kEntriesPerBlock = kBlockBytes / kEntryBytes;
/// ext4: the first inodes are reserved for the file system itself.
constexpr std::uint64_t kReservedInodes = 11;
constexpr std::uint64_t kRootInode = 2;

}  // namespace

DirectoryTree::DirectoryTree(const Layout& layout, Allocator& allocator, Journal& journal)
    : layout_(layout),
      allocator_(allocator),
      journal_(journal),
      free_inodes_(layout.groups()),
      fresh_inodes_(layout.groups(), 0) {
    fresh_inodes_[0] = std::min(kReservedInodes, layout.inodes_per_group());
    const auto first = allocator.take(0, 1);
    directories_.push_back({{}, kRootInode, {first ? first->first : 0}, {0}});
}

std::optional<std::uint64_t> DirectoryTree::take_inode(std::uint64_t group) {
    for (std::uint64_t i = 0; i < layout_.groups(); ++i) {
        const std::uint64_t candidate = (group + i) % layout_.groups();
        if (std::set<std::uint64_t>& free = free_inodes_[candidate]; !free.empty()) {
            const std::uint64_t inode = *free.begin();
            free.erase(free.begin());
            return inode;
        }
        if (fresh_inodes_[candidate] < layout_.inodes_per_group()) {
            return candidate * layout_.inodes_per_group() + fresh_inodes_[candidate]++;
        }
    }
    return std::nullopt;
}

void DirectoryTree::dirty_inode(std::uint64_t inode) {
    journal_.dirty(layout_.inode_table_block(inode));
}

std::optional<std::uint32_t> DirectoryTree::block_with_room(Directory& directory, std::uint64_t hash) {
    const auto count = static_cast<std::uint32_t>(directory.blocks.size());
    const auto preferred = static_cast<std::uint32_t>(hash % count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t block = (preferred + i) % count;
        if (directory.used[block] < kEntriesPerBlock) {
            return block;
        }
    }
    const auto block = allocator_.take(directory.blocks.back() + 1, 1);
    if (!block) {
        return std::nullopt;
    }
    const std::uint64_t group = layout_.group_of(block->first);
    journal_.dirty(layout_.block_bitmap(group));
    journal_.dirty(layout_.descriptor_block(group));
    journal_.dirty(directory.blocks.front());  // the index block
    directory.blocks.push_back(block->first);
    directory.used.push_back(0);
    return count;
}

std::optional<DirectoryTree::Entry> DirectoryTree::add(DirectoryId id, std::uint64_t hash) {
    return add_near(id, hash, group_of_inode(directories_[id].inode));
}

std::optional<DirectoryTree::Entry> DirectoryTree::add_near(DirectoryId id, std::uint64_t hash,
                                                            std::uint64_t near) {
    Directory& directory = directories_[id];
    const auto block = block_with_room(directory, hash);
    const auto inode = block ? take_inode(near) : std::nullopt;
    if (!inode) {
        return std::nullopt;
    }
    ++directory.used[*block];
    const std::uint64_t group = group_of_inode(*inode);
    journal_.dirty(directory.blocks[*block]);
    dirty_inode(directory.inode);
    journal_.dirty(layout_.inode_bitmap(group));
    journal_.dirty(layout_.descriptor_block(group));
    dirty_inode(*inode);
    return Entry{id, *block, *inode};
}

void DirectoryTree::remove(const Entry& entry) {
    Directory& directory = directories_[entry.directory];
    --directory.used[entry.block];
    journal_.dirty(directory.blocks[entry.block]);
    dirty_inode(directory.inode);
    dirty_inode(entry.inode);
}

void DirectoryTree::release(std::uint64_t inode) {
    const std::uint64_t group = group_of_inode(inode);
    journal_.dirty(layout_.inode_bitmap(group));
    journal_.dirty(layout_.descriptor_block(group));
    dirty_inode(inode);
    free_inodes_[group].insert(inode);
}

std::optional<DirectoryId> DirectoryTree::add_directory(std::uint64_t hash) {
    // ext4 spreads directories of the root over the disk (Orlov); here they take the groups in turn.
    const std::uint64_t home = layout_.first_group(directories_.size() % layout_.flex_sets());
    const auto block = allocator_.take(layout_.group(home).first, 1);
    const auto entry = block ? add_near(kRoot, hash, home) : std::nullopt;
    if (!entry) {
        if (block) {
            allocator_.give_back(*block);
        }
        return std::nullopt;
    }
    const std::uint64_t group = layout_.group_of(block->first);
    journal_.dirty(layout_.block_bitmap(group));
    journal_.dirty(layout_.descriptor_block(group));
    journal_.dirty(block->first);
    directories_.push_back({*entry, entry->inode, {block->first}, {0}});
    return static_cast<DirectoryId>(directories_.size() - 1);
}

void DirectoryTree::remove_directory(DirectoryId id) {
    SOLIDTLM_CHECK(entries(id) == 0, "only an empty directory is removed");
    Directory& directory = directories_[id];
    remove(directory.entry);
    for (const Block block : directory.blocks) {
        const std::uint64_t group = layout_.group_of(block);
        journal_.dirty(layout_.block_bitmap(group));
        journal_.dirty(layout_.descriptor_block(group));
        journal_.forget(block);
        journal_.free({block, 1});
    }
    directory.blocks.clear();
    directory.used.clear();
    release(directory.inode);
}

std::vector<Block> DirectoryTree::blocks() const {
    std::vector<Block> blocks;
    for (const Directory& directory : directories_) {
        blocks.insert(blocks.end(), directory.blocks.begin(), directory.blocks.end());
    }
    return blocks;
}

std::uint64_t DirectoryTree::entries(DirectoryId directory) const {
    std::uint64_t sum = 0;
    for (const std::uint32_t used : directories_[directory].used) {
        sum += used;
    }
    return sum;
}

}  // namespace solidtlm::testbench::fs
