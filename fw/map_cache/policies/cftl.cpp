// SPDX-License-Identifier: Apache-2.0
//
// CFTL (Park, Debnath, Du 2011): single entries as in DFTL for hot pages, and one block entry for a whole
// group of cold pages with consecutive addresses. Data collection writes in the order of LPNs, which turns
// cold groups from page mapping to block mapping; a write turns them back. A block entry is a summary: always
// clean, and dropped when any address in its group changes.
#include <algorithm>
#include <utility>

#include "fw/map_cache/budget.h"
#include "fw/map_cache/indexed_policy.h"
#include "fw/map_cache/segmented_lru.h"

namespace solidtlm::fw {
namespace {

// Group, address of its first unit, links, hash.
constexpr std::uint32_t kBlockEntryBytes = 4 + kMapEntryBytes + kLinkBytes + kHashBytes;
constexpr std::uint32_t kHotCount = 4;
constexpr std::uint8_t kMostCount = 15;  // 4 bits

constexpr std::uint64_t heat_bytes(const MapCacheConfig& config) {
    return (config.cftl_heat_groups + 1) / 2;
}

class Cftl : public IndexedPolicy {
  public:
    Cftl(const MapCacheConfig& config, const MapAreaSize& map, const EntrySource& entries)
        : IndexedPolicy(map),
          entries_(entries),
          group_(std::min(config.cftl_group, map.entries)),
          heat_(config.cftl_heat_groups),
          heat_bytes_(heat_bytes(config)),
          page_slots_((config.size_bytes - heat_bytes_) / 2 / kDftlEntryBytes),
          block_slots_((config.size_bytes - heat_bytes_) / 2 / kBlockEntryBytes),
          block_of_(std::size_t{map.translation_pages} * map.entries / group_,
                    "blocks of CFTL, by logical page"),
          lru_(nodes_, page_slots_),
          blocks_(nodes_, kBlock) {}

    void use(Node node, Lpn lpn) override {
        warm(lpn);
        if (nodes_[node].list == kBlock) {
            blocks_.move_to_front(node);
            return;
        }
        if (nodes_[node].list == kBroken || std::exchange(nodes_[node].fresh, false)) {
            return;
        }
        lru_.use(node);
    }
    [[nodiscard]] MapFetch plan(Lpn lpn, std::uint32_t /*ahead*/) override {
        return MapFetch{lpn, group_, 0, true};
    }
    bool reserve(const MapFetch& /*fetch*/) override {
        if (lru_.size() + reserved_ >= page_slots_) {
            return false;
        }
        ++reserved_;
        return true;
    }
    void cancel(const MapFetch& /*fetch*/) override { --reserved_; }
    /// The whole group, because a block entry needs all its addresses.
    [[nodiscard]] MapRange window_of(const MapFetch& fetch) const override { return group_of(fetch.lpn); }
    Node take_in(const MapFetch& fetch, const MapRange& window) override {
        --reserved_;
        const Node node = nodes_.take(MapRange{fetch.lpn, 1});
        nodes_[node].fresh = true;
        lru_.push(node);
        if (window.count == group_ && cold(fetch.lpn) && follows(window)) {
            summarise(window);
        }
        return node;
    }
    [[nodiscard]] Node victim() const override { return lru_.victim(); }
    void discard(Node node) override {
        const Lpn lpn = nodes_[node].first;
        lru_.remove(node);
        nodes_.release(node);
        const Node block{block_of_[group_number(lpn)] - 1};
        if (block != kNoNode) {
            nodes_.adopt(block, lpn);  // the block entry still has its place
        }
    }
    /// Replaces a block entry by a page entry, which may exceed the number of slots by one for a moment.
    void mark_dirty(Node /*node*/, Lpn lpn) override {
        const Node block{block_of_[group_number(lpn)] - 1};
        if (block != kNoNode) {
            break_up(block);
        }
        const Node present = nodes_.find(lpn);
        if (present != kNoNode) {
            set_dirty(present, true);
            return;
        }
        const Node entry = nodes_.take(MapRange{lpn, 1});
        set_dirty(entry, true);
        lru_.push(entry);
    }
    void collect(Node node, std::vector<MapPiece>& pieces) const override {
        collect_page(page_of(nodes_[node].first), pieces);
    }
    void unpin(Node node) override {
        IndexedPolicy::unpin(node);
        if (nodes_[node].list == kBroken && nodes_[node].pins == 0) {
            nodes_.free(node);
        }
    }
    [[nodiscard]] bool wants_order() const override { return true; }
    [[nodiscard]] bool over_budget() const override { return lru_.size() + reserved_ > page_slots_; }
    [[nodiscard]] std::uint64_t bytes_used() const override {
        return (lru_.size() + reserved_) * kDftlEntryBytes +
               std::uint64_t{blocks_.size()} * kBlockEntryBytes + heat_bytes_;
    }
    void serialize(hal::StateArchive& archive) override {
        IndexedPolicy::serialize(archive);
        archive(heat_, block_of_, requests_, lru_, blocks_);
    }
    [[nodiscard]] std::string check() const override {
        for (Node block = blocks_.first(); block != kNoNode; block = nodes_[block].next) {
            if (!follows(range(block))) {
                return "a block entry whose addresses do not follow each other";
            }
        }
        return lru_.size() + blocks_.size() == nodes_.in_use() && blocks_.size() <= block_slots_
                   ? check_dirty_nodes()
                   : "page entries, block entries and slots do not agree";
    }

  private:
    static constexpr std::uint8_t kBlock = SegmentedLru::kProtected + 1;  // NodeState::list
    static constexpr std::uint8_t kBroken = kBlock + 1;  // was a block entry, and is still pinned

    [[nodiscard]] std::uint32_t group_number(Lpn lpn) const { return lpn.value / group_; }
    [[nodiscard]] MapRange group_of(Lpn lpn) const {
        return MapRange{Lpn{group_number(lpn) * group_}, group_};
    }
    [[nodiscard]] bool follows(const MapRange& group) const {
        const std::uint32_t first = entries_.entry(group.first);
        bool all = first != 0;
        for (std::uint32_t i = 1; all && i < group.count; ++i) {
            all = entries_.entry(Lpn{group.first.value + i}) == first + i;
        }
        return all;
    }
    void summarise(const MapRange& group) {
        std::uint32_t& block = block_of_[group_number(group.first)];
        if (block != 0) {
            return;
        }
        if (blocks_.size() >= block_slots_) {
            const Node oldest = blocks_.oldest_unpinned();
            if (oldest == kNoNode) {
                return;
            }
            break_up(oldest);
        }
        const Node node = nodes_.take(group);
        blocks_.push_front(node);
        block = node.value + 1;
    }
    void break_up(Node block) {
        block_of_[group_number(nodes_[block].first)] = 0;
        blocks_.remove(block);
        nodes_.disown(block);
        nodes_[block].list = kBroken;
        if (nodes_[block].pins == 0) {
            nodes_.free(block);
        }
    }

    [[nodiscard]] std::uint8_t& heat_of(Lpn lpn) {
        return heat_[(std::uint64_t{group_number(lpn)} * 0x9E37'79B1U >> 16U) % heat_.size()];
    }
    [[nodiscard]] bool cold(Lpn lpn) { return heat_of(lpn) < kHotCount; }
    void warm(Lpn lpn) {
        std::uint8_t& heat = heat_of(lpn);
        heat = std::min<std::uint8_t>(kMostCount, heat + 1);
        if (++requests_ == heat_.size()) {  // the mean count stays below two
            requests_ = 0;
            for (std::uint8_t& count : heat_) {
                count /= 2;
            }
        }
    }

    const EntrySource& entries_;
    std::uint32_t group_;
    std::vector<std::uint8_t> heat_;
    std::uint64_t heat_bytes_;
    std::uint64_t page_slots_;
    std::uint64_t block_slots_;
    hal::ZeroedMemory<std::uint32_t> block_of_;  // by group: node + 1
    std::uint64_t reserved_ = 0;
    std::uint32_t requests_ = 0;
    SegmentedLru lru_;
    NodeList blocks_;
};

std::uint64_t smallest_cftl(const MapCacheConfig& config, const MapAreaSize& /*map*/) {
    return heat_bytes(config) + kDftlEntryBytes + kBlockEntryBytes;
}

}  // namespace

extern const MapCachePolicy kCftlMapCachePolicy{
    {"cftl", "an entry for each group in order, single ones for the others"},
    make_cache<Cftl>,
    smallest_cftl};

}  // namespace solidtlm::fw
