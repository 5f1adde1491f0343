// SPDX-License-Identifier: Apache-2.0
//
// A page of the B+-tree. Little-endian; all pages of a tree have the same layout:
//
//   0  level    2 bytes  0: leaf
//   2  entries  2 bytes
//   4  link     4 bytes  leaf: its right neighbour, or kNoPage; inner page: the child left of the first key
//   8  entries in ascending order of keys, `entry_bytes` each: the key (4 bytes), then in a leaf the value
//   and
//      in an inner page the child that holds this key and larger ones (4 bytes); the rest is zero
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "fw/hal/check.h"
#include "testbench/sim/load/btree/page_file.h"

namespace solidtlm::testbench::btree {

static_assert(std::endian::native == std::endian::little, "pages are read as they lie in memory");

using Key = std::uint32_t;
using Value = std::uint32_t;

constexpr PageId kNoPage{0xFFFF'FFFF};
constexpr std::uint32_t kHeaderBytes = 8;
constexpr std::uint32_t kLeastEntryBytes = 8;

/// A view of a page. `Byte`: const std::byte, or std::byte for changing it.
template <class Byte>
class NodeView {
  public:
    NodeView(std::span<Byte> bytes, std::uint32_t entry_bytes) : bytes_(bytes), entry_bytes_(entry_bytes) {}

    [[nodiscard]] std::uint32_t level() const { return get<std::uint16_t>(0); }
    [[nodiscard]] bool leaf() const { return level() == 0; }
    [[nodiscard]] std::uint32_t entries() const { return get<std::uint16_t>(2); }
    [[nodiscard]] PageId link() const { return PageId{get<std::uint32_t>(4)}; }
    [[nodiscard]] Key key(std::uint32_t index) const { return get<Key>(offset(index)); }
    /// For a leaf.
    [[nodiscard]] Value value(std::uint32_t index) const { return get<Value>(offset(index) + sizeof(Key)); }
    /// For an inner page: the child right of key `index`.
    [[nodiscard]] PageId child(std::uint32_t index) const { return PageId{value(index)}; }
    /// Number of keys that are at most `wanted`.
    [[nodiscard]] std::uint32_t keys_up_to(Key wanted) const {
        std::uint32_t low = 0;
        std::uint32_t high = entries();
        while (low < high) {
            const std::uint32_t middle = (low + high) / 2;
            if (key(middle) <= wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
    /// For an inner page: the child whose subtree covers `wanted`.
    [[nodiscard]] PageId child_for(Key wanted) const {
        const std::uint32_t before = keys_up_to(wanted);
        return before == 0 ? link() : child(before - 1);
    }

    void set_level(std::uint32_t level) { put(0, static_cast<std::uint16_t>(level)); }
    void set_link(PageId page) { put(4, page.value); }
    void set_entries(std::uint32_t count) { put(2, static_cast<std::uint16_t>(count)); }
    void set_value(std::uint32_t index, std::uint32_t value) { put(offset(index) + sizeof(Key), value); }
    /// REQUIRES: there is room for an entry.
    void insert(std::uint32_t index, Key key, std::uint32_t value) {
        SOLIDTLM_CHECK(offset(entries() + 1) <= bytes_.size(), "the page has room for an entry");
        const std::uint32_t count = entries();
        std::byte* const at = bytes_.data() + offset(index);
        std::memmove(at + entry_bytes_, at, std::size_t{count - index} * entry_bytes_);
        std::memset(at, 0, entry_bytes_);
        std::memcpy(at, &key, sizeof key);
        std::memcpy(at + sizeof key, &value, sizeof value);
        set_entries(count + 1);
    }
    /// The bytes of all entries from `index` on.
    [[nodiscard]] std::span<Byte> tail(std::uint32_t index) const {
        return bytes_.subspan(offset(index), std::size_t{entries() - index} * entry_bytes_);
    }
    /// Replaces all entries.
    void assign(std::span<const std::byte> entries) {
        std::memcpy(bytes_.data() + kHeaderBytes, entries.data(), entries.size());
        set_entries(static_cast<std::uint32_t>(entries.size() / entry_bytes_));
    }
    /// Removes the entries from `index` on; their bytes become zeros.
    void truncate(std::uint32_t index) {
        const std::span<std::byte> gone = tail(index);
        std::memset(gone.data(), 0, gone.size());
        set_entries(index);
    }

  private:
    [[nodiscard]] std::size_t offset(std::uint32_t index) const {
        return kHeaderBytes + std::size_t{index} * entry_bytes_;
    }
    template <class Number>
    [[nodiscard]] Number get(std::size_t at) const {
        Number number;
        std::memcpy(&number, bytes_.data() + at, sizeof number);
        return number;
    }
    template <class Number>
    void put(std::size_t at, Number number) {
        std::memcpy(bytes_.data() + at, &number, sizeof number);
    }

    std::span<Byte> bytes_;
    std::uint32_t entry_bytes_;
};

using ConstNode = NodeView<const std::byte>;
using Node = NodeView<std::byte>;

}  // namespace solidtlm::testbench::btree
