// SPDX-License-Identifier: Apache-2.0
//
// A B+-tree of 32-bit keys and values on a buffer manager: insert, search, split (Comer 1979, section 3).
//
// A full page is split when one more entry comes: of the C + 1 entries, the left page keeps the first half,
// rounded up; a new right page gets the others. Leaves copy the right page's first key up, inner pages move
// their middle key up. Pages are numbered in the order in which they are made; a new root is a new page.
//
// A descent holds one page at a time. A split therefore fetches the parents again, which may read them again,
// as in any system that does not keep the path pinned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/sim/load/btree/buffer_manager.h"
#include "testbench/sim/load/btree/node.h"

namespace solidtlm::testbench::btree {

struct TreeShape {
    std::uint32_t entry_bytes = kLeastEntryBytes;  ///< in leaves and inner pages, at least 8
    bool pin_root = false;                         ///< the root never leaves the buffer

    /// Most entries per page.
    [[nodiscard]] std::uint32_t capacity(std::uint32_t page_bytes) const {
        return (page_bytes - kHeaderBytes) / entry_bytes;
    }
};

/// The place of a tree in a file.
struct TreeRoot {
    PageId page{0};
    std::uint32_t pages = 0;  ///< pages of the tree in the file
};

class Btree {
  public:
    /// The fewest frames with which every tree works: two pages of a split and a root.
    static constexpr std::uint32_t kLeastFrames = 4;

    /// Makes an empty tree. The buffer needs at least kLeastFrames frames. REQUIRES: room for two entries in
    /// a page.
    Btree(BufferManager& buffer, const TreeShape& shape);
    /// Opens a tree that is already in the file.
    Btree(BufferManager& buffer, const TreeShape& shape, const TreeRoot& root);

    /// False: the key exists already, and its value is replaced.
    bool insert(Key key, Value value);
    [[nodiscard]] std::optional<Value> search(Key key);

    [[nodiscard]] TreeRoot root() const { return {root_, pages_}; }
    /// Number of levels; 1: the root is a leaf.
    [[nodiscard]] std::uint32_t height() const { return height_; }
    [[nodiscard]] std::uint64_t splits() const { return splits_; }
    /// Empty if all `keys` keys are in order and where a search finds them, and the leaves are linked in this
    /// order; otherwise the first error.
    [[nodiscard]] std::string check(std::uint64_t keys);

  private:
    struct Separator {
        Key key;
        PageId right;
    };
    struct Walk;

    [[nodiscard]] ConstNode view(const BufferManager::Pin& pin) const {
        return {pin.bytes(), shape_.entry_bytes};
    }
    [[nodiscard]] Node change(BufferManager::Pin& pin) const { return {pin.change(), shape_.entry_bytes}; }
    [[nodiscard]] BufferManager::Pin new_page(std::uint32_t level);
    void set_root(PageId page);
    Separator split(BufferManager::Pin& full, std::uint32_t index, Key key, std::uint32_t value);
    /// Inserts the separator of a split of page `left` into its parent, the last page of `path`; splits the
    /// parent if necessary.
    void add_to_parent(PageId left, Separator separator);
    [[nodiscard]] std::string check_page(PageId page, std::uint32_t level, Walk& walk);

    BufferManager& buffer_;
    TreeShape shape_;
    std::uint32_t capacity_;
    PageId root_{0};
    std::uint32_t pages_ = 0;
    std::uint32_t height_ = 1;
    std::uint64_t splits_ = 0;
    std::optional<BufferManager::Pin> pinned_root_;
    std::vector<PageId> path_;         ///< inner pages of the last descent, from the root
    std::vector<std::byte> overfull_;  ///< C + 1 entries while a page is split
};

}  // namespace solidtlm::testbench::btree
