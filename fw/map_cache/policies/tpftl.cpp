// SPDX-License-Identifier: Apache-2.0
//
// TPFTL (Zhou et al. 2015): single entries, clustered by translation page in page nodes that are ordered by
// mean hotness. A command's remaining entries come in together; while more page nodes leave than are made
// (sequential access), a miss also brings in as many entries as precede it in the cache. Clean entries leave
// first; when a dirty entry leaves, all dirty entries of its page node are written.
#include <algorithm>

#include "fw/map_cache/budget.h"
#include "fw/map_cache/node_table.h"

namespace solidtlm::fw {
namespace {

// Entry: position and dirty bit 2, address 4, links 4, stamp 2. Page node: number 4, links 4, hash 4, first
// and last entry 4, entries 2, dirty entries 2, sum of stamps 4.
constexpr std::uint32_t kEntryBytes = 12;
constexpr std::uint32_t kPageNodeBytes = 24;
constexpr std::uint64_t kRequestsPerStamp = 16;
constexpr std::uint64_t kStampLimit = 1U << 16U;
constexpr int kPrefetchSwitch = 3;

class Tpftl : public NodePolicy {
  public:
    Tpftl(const MapCacheConfig& config, const MapAreaSize& map)
        : NodePolicy(map), budget_(config.size_bytes), pages_(map.translation_pages) {}

    void use(Node node, Lpn lpn) override {
        NodeState& entry = nodes_[node];
        const std::uint32_t page = page_of(lpn).value;
        if (++requests_ / kRequestsPerStamp >= kStampLimit) {
            halve_stamps();
        }
        pages_[page].hotness -= entry.stamp;
        entry.stamp = requests_ / kRequestsPerStamp;
        pages_[page].hotness += entry.stamp;
        unlink(page, node);
        link_front(page, node);
        promote(page);
    }
    [[nodiscard]] MapFetch plan(Lpn lpn, std::uint32_t ahead) override {
        const std::uint32_t position = lpn.value % entries_per_page_;
        std::uint32_t count = std::min(1 + ahead, entries_per_page_ - position);
        if (prefetching_) {
            std::uint32_t before = 0;
            while (before < position && nodes_.find(Lpn{lpn.value - before - 1}) != kNoNode) {
                ++before;
            }
            count = std::max(count, std::min(1 + before, entries_per_page_ - position));
        }
        // At most what fits after the coldest page node has left, and never more than fits into an otherwise
        // empty cache.
        const std::uint64_t free = budget_ - std::min(budget_, used_ + kPageNodeBytes);
        const std::uint64_t most = std::min(free + coldest_bytes(), budget_ - kPageNodeBytes) / kEntryBytes;
        const std::uint32_t room = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, most));
        count = free_run(lpn, std::min(count, room)).count;
        return MapFetch{lpn, count, count * kEntryBytes, false};
    }
    /// Creates the page node now, so that it exists when the entries come.
    bool reserve(const MapFetch& fetch) override {
        const std::uint32_t page = page_of(fetch.lpn).value;
        const std::uint64_t bytes = fetch.bytes + (known(page) ? 0 : kPageNodeBytes);
        if (used_ + bytes > budget_) {
            return false;
        }
        used_ += bytes;
        if (!known(page)) {
            pages_[page].known = true;
            insert_hottest(page);
            balance(+1);
        }
        ++pages_[page].awaited;
        return true;
    }
    void cancel(const MapFetch& fetch) override {
        const std::uint32_t page = page_of(fetch.lpn).value;
        used_ -= fetch.bytes;
        --pages_[page].awaited;
        leave_if_empty(page);
    }
    [[nodiscard]] MapRange window_of(const MapFetch& fetch) const override {
        return free_run(fetch.lpn, fetch.count);
    }
    /// The requested entry becomes the most recently used one; the others follow it.
    Node take_in(const MapFetch& fetch, const MapRange& window) override {
        const MapRange range = free_run(window.first, window.count);
        const std::uint32_t page = page_of(range.first).value;
        Node asked = kNoNode;
        for (std::uint32_t i = range.count; i > 0; --i) {
            asked = nodes_.take(MapRange{Lpn{range.first.value + i - 1}, 1});
            nodes_[asked].stamp = requests_ / kRequestsPerStamp;
            pages_[page].hotness += nodes_[asked].stamp;
            ++pages_[page].entries;
            link_front(page, asked);
        }
        used_ = used_ - fetch.bytes + std::uint64_t{range.count} * kEntryBytes;
        --pages_[page].awaited;
        return asked;
    }
    /// In the coldest page node: the least recently used clean entry, else the least recently used dirty one.
    [[nodiscard]] Node victim() const override {
        for (std::uint32_t page = coldest_; page != kNone; page = pages_[page].hotter) {
            Node dirty = kNoNode;
            for (Node node = pages_[page].last; node != kNoNode; node = nodes_[node].previous) {
                if (nodes_[node].pins > 0) {
                    continue;
                }
                if (!nodes_[node].dirty) {
                    return node;
                }
                dirty = dirty == kNoNode ? node : dirty;
            }
            if (dirty != kNoNode) {
                return dirty;
            }
        }
        return kNoNode;
    }
    void discard(Node node) override {
        const std::uint32_t page = page_of(nodes_[node].first).value;
        unlink(page, node);
        pages_[page].hotness -= nodes_[node].stamp;
        --pages_[page].entries;
        used_ -= kEntryBytes;
        nodes_.release(node);
        leave_if_empty(page);
    }
    void collect(Node node, std::vector<MapPiece>& pieces) const override {
        collect_page(page_of(nodes_[node].first), pieces);
    }
    void collect_page(Tpn page, std::vector<MapPiece>& pieces) const override {
        for (Node node = pages_[page.value].first; node != kNoNode; node = nodes_[node].next) {
            if (nodes_[node].dirty) {
                pieces.push_back(MapPiece{node, range(node)});
            }
        }
    }
    [[nodiscard]] std::uint64_t bytes_used() const override { return used_; }
    void serialize(hal::StateArchive& archive) override {
        NodePolicy::serialize(archive);
        archive(used_, requests_, pages_, hottest_, coldest_, balance_, prefetching_);
    }
    [[nodiscard]] std::string check() const override {
        std::uint64_t bytes = 0;
        std::uint64_t entries = 0;
        for (std::uint32_t page = coldest_; page != kNone; page = pages_[page].hotter) {
            bytes += kPageNodeBytes + std::uint64_t{pages_[page].entries} * kEntryBytes;
            entries += pages_[page].entries;
        }
        return bytes <= used_ && entries == nodes_.in_use() ? check_owners()
                                                            : "page nodes and entries do not agree";
    }

  private:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

    struct PageNode {
        Node first = kNoNode;  // the most recently used entry
        Node last = kNoNode;
        std::uint32_t entries = 0;
        std::uint32_t awaited = 0;  // misses that wait for their entries
        std::uint64_t hotness = 0;  // sum of stamps
        std::uint32_t hotter = kNone;
        std::uint32_t colder = kNone;
        bool known = false;

        void serialize(hal::StateArchive& archive) {
            archive(first, last, entries, awaited, hotness, hotter, colder, known);
        }
    };

    [[nodiscard]] bool known(std::uint32_t page) const { return pages_[page].known; }
    /// Bytes that are freed when the coldest page node leaves.
    [[nodiscard]] std::uint64_t coldest_bytes() const {
        return coldest_ == kNone ? 0 : kPageNodeBytes + std::uint64_t{pages_[coldest_].entries} * kEntryBytes;
    }
    void link_front(std::uint32_t page, Node node) {
        PageNode& list = pages_[page];
        nodes_[node].previous = kNoNode;
        nodes_[node].next = list.first;
        (list.first == kNoNode ? list.last : nodes_[list.first].previous) = node;
        list.first = node;
    }
    void unlink(std::uint32_t page, Node node) {
        PageNode& list = pages_[page];
        const NodeState& entry = nodes_[node];
        (entry.previous == kNoNode ? list.first : nodes_[entry.previous].next) = entry.next;
        (entry.next == kNoNode ? list.last : nodes_[entry.next].previous) = entry.previous;
    }
    void insert_hottest(std::uint32_t page) {
        pages_[page].hotter = kNone;
        pages_[page].colder = hottest_;
        (hottest_ == kNone ? coldest_ : pages_[hottest_].hotter) = page;
        hottest_ = page;
    }
    void remove(std::uint32_t page) {
        const PageNode& node = pages_[page];
        (node.hotter == kNone ? hottest_ : pages_[node.hotter].colder) = node.colder;
        (node.colder == kNone ? coldest_ : pages_[node.colder].hotter) = node.hotter;
    }
    [[nodiscard]] bool hotter(std::uint32_t a, std::uint32_t b) const {
        return pages_[a].hotness * pages_[b].entries > pages_[b].hotness * pages_[a].entries;
    }
    /// Moves the page node past hotter neighbours while its mean is higher.
    void promote(std::uint32_t page) {
        std::uint32_t above = pages_[page].hotter;
        if (above == kNone || !hotter(page, above)) {
            return;
        }
        remove(page);
        while (above != kNone && hotter(page, above)) {
            above = pages_[above].hotter;
        }
        if (above == kNone) {
            insert_hottest(page);
            return;
        }
        pages_[page].hotter = above;
        pages_[page].colder = pages_[above].colder;
        (pages_[above].colder == kNone ? coldest_ : pages_[pages_[above].colder].hotter) = page;
        pages_[above].colder = page;
    }
    void leave_if_empty(std::uint32_t page) {
        if (pages_[page].entries == 0 && pages_[page].awaited == 0) {
            remove(page);
            pages_[page] = PageNode{};
            used_ -= kPageNodeBytes;
            balance(-1);
        }
    }
    /// If more page nodes leave than are made, few are in use at a time (sequential access).
    void balance(int step) {
        balance_ += step;
        if (balance_ == -kPrefetchSwitch || balance_ == kPrefetchSwitch) {
            prefetching_ = balance_ < 0;
            balance_ = 0;
        }
    }
    void halve_stamps() {
        requests_ /= 2;
        for (std::uint32_t page = coldest_; page != kNone; page = pages_[page].hotter) {
            pages_[page].hotness = 0;
            for (Node node = pages_[page].first; node != kNoNode; node = nodes_[node].next) {
                nodes_[node].stamp /= 2;
                pages_[page].hotness += nodes_[node].stamp;
            }
        }
    }

    std::uint64_t budget_;
    std::uint64_t used_ = 0;  // page nodes, entries and reservations
    std::uint64_t requests_ = 0;
    std::vector<PageNode> pages_;  // by translation page
    std::uint32_t hottest_ = kNone;
    std::uint32_t coldest_ = kNone;
    int balance_ = 0;
    bool prefetching_ = false;
};

std::uint64_t smallest_tpftl(const MapCacheConfig& /*config*/, const MapAreaSize& /*map*/) {
    return kPageNodeBytes + kEntryBytes;
}

}  // namespace

extern const MapCachePolicy kTpftlMapCachePolicy{
    {"tpftl", "entries under their translation page, prefetched by request"},
    make_cache<Tpftl>,
    smallest_tpftl};

}  // namespace solidtlm::fw
