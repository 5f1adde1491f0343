// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/page_index.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "fw/hal/check.h"

namespace solidtlm::fw {

PageIndex::PageIndex(std::uint64_t most)
    : most_(std::min<std::uint64_t>(most, kNone - 1)), by_key_(2, kNone), by_place_(2, kNone) {}

std::size_t PageIndex::key_bucket(const Key& key) const {
    std::array<std::uint64_t, 2> words{};
    std::memcpy(words.data(), key.data(), key.size());
    const std::uint64_t mixed = (words[0] ^ (words[1] << 1U)) * 0x9E37'79B9'7F4A'7C15U;
    return static_cast<std::size_t>(mixed >> 32U) & (by_key_.size() - 1);
}

std::size_t PageIndex::place_bucket(Ppa place) const {
    return static_cast<std::size_t>((place.value * 0x9E37'79B9'7F4A'7C15U) >> 32U) & (by_place_.size() - 1);
}

PageIndex::Position PageIndex::first(const Key& key) const {
    Position position = by_key_[key_bucket(key)];
    while (position != kNone && at(position).key != key) {
        position = nodes_[position].key_chain;
    }
    return position;
}

PageIndex::Position PageIndex::next(Position position) const {
    const Key& key = at(position).key;
    do {
        position = nodes_[position].key_chain;
    } while (position != kNone && at(position).key != key);
    return position;
}

PageIndex::Position PageIndex::find(Ppa place) const {
    Position position = by_place_[place_bucket(place)];
    while (position != kNone && at(position).place != place) {
        position = nodes_[position].place_chain;
    }
    return position;
}

void PageIndex::append(Position position) {
    Node& node = nodes_[position];
    List& order = list(node.entry.kind);
    node.previous = order.last;
    node.next = kNone;
    (order.last != kNone ? nodes_[order.last].next : order.first) = position;
    order.last = position;
    ++order.count;
}

void PageIndex::take_out(Position position) {
    const Node& node = nodes_[position];
    List& order = list(node.entry.kind);
    (node.previous != kNone ? nodes_[node.previous].next : order.first) = node.next;
    (node.next != kNone ? nodes_[node.next].previous : order.last) = node.previous;
    --order.count;
}

void PageIndex::touch(Position position) {
    take_out(position);
    append(position);
}

void PageIndex::make_known(Position position) {
    take_out(position);
    nodes_[position].entry.kind = Kind::known;
    append(position);
}

void PageIndex::link_place(Position position) {
    Position& head = by_place_[place_bucket(at(position).place)];
    nodes_[position].place_chain = head;
    head = position;
}

void PageIndex::unlink_place(Position position) {
    Position* link = &by_place_[place_bucket(at(position).place)];
    while (*link != position) {
        link = &nodes_[*link].place_chain;
    }
    *link = nodes_[position].place_chain;
}

void PageIndex::remove(Position position) {
    take_out(position);
    unlink_place(position);
    Position* link = &by_key_[key_bucket(at(position).key)];
    while (*link != position) {
        link = &nodes_[*link].key_chain;
    }
    *link = nodes_[position].key_chain;
    free_.push_back(position);
    --used_;
}

/// One bucket per entry keeps the chains short.
void PageIndex::grow_buckets() {
    const std::size_t buckets = std::bit_ceil(nodes_.size());
    if (buckets <= by_key_.size()) {
        return;
    }
    by_key_.assign(buckets, kNone);
    by_place_.assign(buckets, kNone);
    for (const List& order : lists_) {
        for (Position i = order.first; i != kNone; i = nodes_[i].next) {
            Position& head = by_key_[key_bucket(at(i).key)];
            nodes_[i].key_chain = head;
            head = i;
            link_place(i);
        }
    }
}

void PageIndex::insert(const Entry& entry) {
    if (most_ == 0) {
        return;
    }
    SOLIDTLM_CHECK(find(entry.place) == kNone, "the page is not in the table yet");
    if (used_ == most_) {
        const bool known = count(Kind::known) >= count(Kind::candidate);
        remove(list(known ? Kind::known : Kind::candidate).first);
        ++forgotten_;
    }
    if (free_.empty()) {
        free_.push_back(static_cast<Position>(nodes_.size()));
        nodes_.emplace_back();
        grow_buckets();
    }
    const Position position = free_.back();
    free_.pop_back();
    nodes_[position].entry = entry;
    Position& head = by_key_[key_bucket(entry.key)];
    nodes_[position].key_chain = head;
    head = position;
    link_place(position);
    append(position);
    ++used_;
}

void PageIndex::erase(Ppa place) {
    if (const Position position = find(place); position != kNone) {
        remove(position);
    }
}

void PageIndex::move(Ppa from, Ppa to) {
    if (const Position position = find(from); position != kNone) {
        unlink_place(position);
        nodes_[position].entry.place = to;
        link_place(position);
    }
}

}  // namespace solidtlm::fw
