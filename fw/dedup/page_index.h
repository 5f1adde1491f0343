// SPDX-License-Identifier: Apache-2.0
//
// A bounded table from fingerprints or CRC32 values to physical pages. Several pages may have one key.
//
// Two kinds of entries: known pages, and candidates, which wait to be compared with the known pages. A full
// table evicts the oldest entry of the kind that has more entries; a known page that is met again becomes the
// newest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fw/drive/layout.h"
#include "fw/hal/check.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

class PageIndex {
  public:
    /// MD5, or CRC32 in the first four bytes and zeros.
    using Key = std::array<std::byte, 16>;
    enum class Kind : std::uint8_t { known, candidate };
    struct Entry {
        Key key{};
        Ppa place = kUnmapped;
        Lpn lpn{kNoLpn};  ///< the only logical page that refers to it; kNoLpn if it is shared
        Kind kind = Kind::known;

        void serialize(hal::StateArchive& archive) { archive(key, place, lpn, kind); }
    };
    using Position = std::uint32_t;
    static constexpr Position kNone = 0xFFFF'FFFF;

    explicit PageIndex(std::uint64_t most);

    [[nodiscard]] std::uint64_t capacity() const { return most_; }
    [[nodiscard]] std::uint32_t size() const { return used_; }
    [[nodiscard]] std::uint32_t count(Kind kind) const { return list(kind).count; }
    [[nodiscard]] std::uint64_t forgotten() const { return forgotten_; }

    /// Adds a page. REQUIRES: its place is not in the table yet.
    void insert(const Entry& entry);
    /// The entries with this key: the first, then each next one, until kNone.
    [[nodiscard]] Position first(const Key& key) const;
    [[nodiscard]] Position next(Position position) const;
    [[nodiscard]] const Entry& at(Position position) const { return nodes_[position].entry; }
    [[nodiscard]] Position find(Ppa place) const;
    /// The page was met again: makes it the newest.
    void touch(Position position);
    /// The candidate that has waited longest. REQUIRES: there is one.
    [[nodiscard]] Position oldest_candidate() const {
        SOLIDTLM_CHECK(count(Kind::candidate) > 0, "there is a candidate");
        return list(Kind::candidate).first;
    }
    /// The candidate equals no known page, or need not be compared any more: it becomes a known page.
    void make_known(Position position);
    /// The page is gone or has moved. Has no effect if it is not in the table.
    void erase(Ppa place);
    void move(Ppa from, Ppa to);

    void serialize(hal::StateArchive& archive) {
        archive(hal::list(nodes_), hal::list(free_), hal::list(by_key_), hal::list(by_place_), lists_, used_,
                forgotten_);
    }

  private:
    struct Node {
        Entry entry;
        Position key_chain = kNone;
        Position place_chain = kNone;
        Position previous = kNone;  // in the order of its kind
        Position next = kNone;

        void serialize(hal::StateArchive& archive) { archive(entry, key_chain, place_chain, previous, next); }
    };
    struct List {
        Position first = kNone;
        Position last = kNone;
        std::uint32_t count = 0;

        void serialize(hal::StateArchive& archive) { archive(first, last, count); }
    };
    [[nodiscard]] List& list(Kind kind) { return lists_[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] const List& list(Kind kind) const { return lists_[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] std::size_t key_bucket(const Key& key) const;
    [[nodiscard]] std::size_t place_bucket(Ppa place) const;
    void remove(Position position);
    void append(Position position);
    void take_out(Position position);
    void link_place(Position position);
    void unlink_place(Position position);
    void grow_buckets();

    std::uint64_t most_;
    std::vector<Node> nodes_;  // grows up to most_
    std::vector<Position> free_;
    std::vector<Position> by_key_;
    std::vector<Position> by_place_;
    std::array<List, 2> lists_;
    std::uint32_t used_ = 0;
    std::uint64_t forgotten_ = 0;
};

}  // namespace solidtlm::fw
