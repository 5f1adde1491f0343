// SPDX-License-Identifier: Apache-2.0
//
// S-FTL (Jiang et al. 2011): whole translation pages, stored as sequences of consecutive addresses, so that a
// page takes less the more sequentially it was written. A page with few dirty entries leaves without a
// program: these entries wait in a buffer of single entries, and are written together with others of their
// page.
#include <algorithm>
#include <bit>

#include "fw/map_cache/budget.h"
#include "fw/map_cache/fullest_page.h"
#include "fw/map_cache/node_table.h"

namespace solidtlm::fw {
namespace {

constexpr std::uint32_t kHeadBytes = 4;           // address of a sequence's first entry
constexpr std::uint32_t kDirtyPositionBytes = 2;  // position of a dirty entry, in a list while there are few
constexpr std::uint32_t kBufferedBytes = kTagBytes + kMapEntryBytes + kHashBytes;

class Sftl : public NodePolicy {
  public:
    Sftl(const MapCacheConfig& config, const MapAreaSize& map, const EntrySource& entries)
        : NodePolicy(map),
          entries_(entries),
          sparse_limit_(config.sftl_sparse_limit),
          buffer_slots_(buffer_bytes(config) / kBufferedBytes),
          budget_(config.size_bytes - buffer_bytes(config)),
          plain_bytes_(kRunHeaderBytes + map.entries * kMapEntryBytes),
          lru_(nodes_, kPage),
          buffered_(nodes_, kBuffered),
          buffered_of_(map.translation_pages, map.entries) {}

    static std::uint64_t buffer_bytes(const MapCacheConfig& config) {
        return static_cast<std::uint64_t>(config.sftl_dirty_share * static_cast<double>(config.size_bytes));
    }

    void use(Node node, Lpn /*lpn*/) override {
        if (nodes_[node].list == kPage) {
            lru_.move_to_front(node);
        }
    }
    /// The compressed size is known only when the page is there: plans room for an uncompressed page.
    [[nodiscard]] MapFetch plan(Lpn lpn, std::uint32_t /*ahead*/) override {
        return MapFetch{lpn, entries_per_page_, plain_bytes_, true};
    }
    bool reserve(const MapFetch& fetch) override {
        if (used_ + fetch.bytes > budget_) {
            return false;
        }
        used_ += fetch.bytes;
        return true;
    }
    void cancel(const MapFetch& fetch) override { used_ -= fetch.bytes; }
    [[nodiscard]] MapRange window_of(const MapFetch& fetch) const override {
        return MapRange{Lpn{page_of(fetch.lpn).value * entries_per_page_}, entries_per_page_};
    }
    /// Takes over the page's buffered entries, except those that are pinned.
    Node take_in(const MapFetch& fetch, const MapRange& window) override {
        dirty_positions_.clear();
        each_buffered(page_of(fetch.lpn), [&](Node node) {
            if (nodes_[node].pins > 0) {
                return;
            }
            if (nodes_[node].dirty) {
                dirty_positions_.push_back(nodes_[node].first);
            }
            discard(node);
        });
        const Node node = nodes_.take(window);
        if (pages_.size() < nodes_.size()) {
            pages_.resize(nodes_.size());
        }
        Page& page = pages_[node.value];
        page.dirty.clear();
        page.dense = false;
        find_heads(page, window.first);
        lru_.push_front(node);
        used_ -= fetch.bytes;
        resize(node);
        for (const Lpn lpn : dirty_positions_) {
            mark_dirty(node, lpn);
        }
        return node;
    }

    /// The next victim: a clean buffered entry; otherwise the least recently used page. If that page has few
    /// dirty entries which the buffer has no room for, the victim is an entry of the page with most buffered
    /// entries instead.
    [[nodiscard]] Node victim() const override {
        if (clean_buffered_ > 0) {
            for (Node node = buffered_.last(); node != kNoNode; node = nodes_[node].previous) {
                if (!nodes_[node].dirty && nodes_[node].pins == 0) {
                    return node;
                }
            }
        }
        const Node page = lru_.oldest_unpinned();
        if (page == kNoNode || !nodes_[page].dirty || !sparse(page) || fits_buffer(page) ||
            pages_[page.value].dirty.size() > buffer_slots_) {
            return page;
        }
        const Node fullest = fullest_buffered();
        return fullest != kNoNode ? fullest : page;
    }
    /// Moves the few dirty entries of a page to the buffer.
    bool demote(Node node) override {
        if (nodes_[node].list != kPage || !nodes_[node].dirty || !sparse(node) || !fits_buffer(node)) {
            return false;
        }
        dirty_positions_.clear();
        for (const std::uint16_t position : pages_[node.value].dirty) {
            dirty_positions_.push_back(Lpn{nodes_[node].first.value + position});
        }
        discard(node);
        for (const Lpn lpn : dirty_positions_) {
            const Node entry = nodes_.take(MapRange{lpn, 1});
            nodes_[entry].dirty = true;
            buffered_.push_front(entry);
            buffered_of_.increase(page_of(lpn));
        }
        return true;
    }
    void discard(Node node) override {
        if (nodes_[node].list == kBuffered) {
            clean_buffered_ -= nodes_[node].dirty ? 0 : 1;
            buffered_of_.decrease(page_of(nodes_[node].first));
            buffered_.remove(node);
        } else {
            used_ -= nodes_[node].bytes;
            lru_.remove(node);
        }
        nodes_.release(node);
    }

    void mark_dirty(Node node, Lpn lpn) override {
        NodeState& state = nodes_[node];
        if (state.list == kBuffered) {
            clean_buffered_ -= state.dirty ? 0 : 1;
            state.dirty = true;
            return;
        }
        state.dirty = true;
        Page& page = pages_[node.value];
        const auto position = static_cast<std::uint16_t>(lpn.value - state.first.value);
        set_head(page, state.first, position);
        if (position + 1U < entries_per_page_) {
            set_head(page, state.first, position + 1U);
        }
        if (!page.dense && std::find(page.dirty.begin(), page.dirty.end(), position) == page.dirty.end()) {
            page.dirty.push_back(position);
            if (page.dirty.size() > sparse_limit_) {
                page.dense = true;
                page.dirty.clear();
            }
        }
        resize(node);
    }
    void mark_clean(const MapPiece& piece) override {
        NodeState& state = nodes_[piece.node];
        if (state.list == kBuffered) {
            clean_buffered_ += state.dirty ? 1 : 0;
            buffered_.remove(piece.node);  // inserted again at the end where victims are searched
            buffered_.push_back(piece.node);
        } else {
            pages_[piece.node.value].dirty.clear();
            pages_[piece.node.value].dense = false;
            resize(piece.node);
        }
        state.dirty = false;
    }
    void collect(Node node, std::vector<MapPiece>& pieces) const override {
        if (nodes_[node].list == kPage) {
            pieces.push_back(MapPiece{node, range(node)});
        } else {
            collect_buffered(page_of(nodes_[node].first), pieces);
        }
    }
    void collect_page(Tpn page, std::vector<MapPiece>& pieces) const override {
        const std::uint32_t end = (page.value + 1) * entries_per_page_;
        for (std::uint32_t lpn = page.value * entries_per_page_; lpn < end; ++lpn) {
            const Node node = nodes_.find(Lpn{lpn});
            if (node != kNoNode && nodes_[node].list == kPage) {
                if (nodes_[node].dirty) {
                    pieces.push_back(MapPiece{node, range(node)});
                    return;  // the whole page, including its buffered entries
                }
                break;
            }
        }
        collect_buffered(page, pieces);
    }
    [[nodiscard]] bool over_budget() const override { return used_ > budget_; }
    [[nodiscard]] std::uint64_t bytes_used() const override {
        return used_ + std::uint64_t{buffered_.size()} * kBufferedBytes;
    }
    void serialize(hal::StateArchive& archive) override {
        NodePolicy::serialize(archive);
        archive(used_, lru_, buffered_, clean_buffered_, buffered_of_, hal::list(pages_));
    }
    [[nodiscard]] std::string check() const override {
        std::uint64_t bytes = 0;
        for (Node node = lru_.first(); node != kNoNode; node = nodes_[node].next) {
            bytes += nodes_[node].bytes;
        }
        return bytes <= used_ && buffered_.size() <= buffer_slots_ &&
                       lru_.size() + buffered_.size() == nodes_.in_use()
                   ? std::string{}
                   : "pages, buffered entries and bytes do not agree";
    }

  private:
    static constexpr std::uint8_t kPage = 0;
    static constexpr std::uint8_t kBuffered = 1;

    struct Page {
        std::vector<std::uint64_t> heads;  // one bit per entry: a sequence begins there
        std::vector<std::uint16_t> dirty;  // positions of dirty entries, while they are few
        std::uint32_t head_count = 0;
        bool dense = false;  // more entries are dirty than are listed

        void serialize(hal::StateArchive& archive) {
            archive(hal::list(heads), hal::list(dirty), head_count, dense);
        }
    };

    /// Entries follow each other if their addresses do, or if both are unmapped.
    [[nodiscard]] bool begins_sequence(Lpn first, std::uint32_t position) const {
        if (position == 0) {
            return true;
        }
        const std::uint32_t before = entries_.entry(Lpn{first.value + position - 1});
        const std::uint32_t here = entries_.entry(Lpn{first.value + position});
        return here == 0 ? before != 0 : before == 0 || here != before + 1;
    }
    void set_head(Page& page, Lpn first, std::uint32_t position) {
        std::uint64_t& word = page.heads[position / 64];
        const std::uint64_t bit = std::uint64_t{1} << position % 64;
        const bool was = (word & bit) != 0;
        const bool is = begins_sequence(first, position);
        page.head_count += (is ? 1U : 0U) - (was ? 1U : 0U);
        word = is ? word | bit : word & ~bit;
    }
    /// set_head() for all entries: most of the time of a miss is spent here.
    void find_heads(Page& page, Lpn first) {
        values_.resize(entries_per_page_);
        entries_.entries(first, values_);
        page.heads.assign((entries_per_page_ + 63) / 64, 0);
        page.heads[0] = 1;
        page.head_count = 1;
        for (std::uint32_t word = 0; word < page.heads.size(); ++word) {
            const std::uint32_t end = std::min((word + 1) * 64, entries_per_page_);
            std::uint64_t bits = page.heads[word];
            for (std::uint32_t i = std::max(word * 64, 1U); i < end; ++i) {
                const std::uint64_t follows = values_[i] == 0
                                                  ? values_[i - 1] == 0
                                                  : values_[i - 1] != 0 && values_[i] == values_[i - 1] + 1;
                bits |= (follows ^ 1U) << i % 64;
            }
            page.head_count += static_cast<std::uint32_t>(std::popcount(bits)) - (word == 0 ? 1 : 0);
            page.heads[word] = bits;
        }
    }
    [[nodiscard]] std::uint64_t shrunk_bytes(const Page& page) const {
        return kRunHeaderBytes + entries_per_page_ / 8 + std::uint64_t{page.head_count} * kHeadBytes +
               page.dirty.size() * kDirtyPositionBytes;
    }
    void resize(Node node) {
        NodeState& state = nodes_[node];
        used_ -= state.bytes;
        state.bytes = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(shrunk_bytes(pages_[node.value]), plain_bytes_));
        used_ += state.bytes;
    }
    /// True if the dirty entries of the page are few and listed; a dense page has no list.
    [[nodiscard]] bool sparse(Node node) const {
        const Page& page = pages_[node.value];
        return !page.dense && shrunk_bytes(page) < plain_bytes_;
    }
    [[nodiscard]] bool fits_buffer(Node node) const {
        return buffered_.size() + pages_[node.value].dirty.size() <= buffer_slots_;
    }
    /// An entry, not in use, of the page with most buffered entries.
    [[nodiscard]] Node fullest_buffered() const {
        Node found = kNoNode;
        if (buffered_.size() > 0) {
            each_buffered(buffered_of_.fullest(),
                          [&](Node node) { found = nodes_[node].pins == 0 ? node : found; });
        }
        return found;
    }
    template <class Visit>
    void each_buffered(Tpn page, Visit visit) const {
        std::uint32_t left = buffered_of_.count(page);
        for (std::uint32_t lpn = page.value * entries_per_page_; left > 0; ++lpn) {
            const Node node = nodes_.find(Lpn{lpn});
            if (node != kNoNode && nodes_[node].list == kBuffered) {
                --left;
                visit(node);
            }
        }
    }
    void collect_buffered(Tpn page, std::vector<MapPiece>& pieces) const {
        each_buffered(page, [&](Node node) {
            if (nodes_[node].dirty) {
                pieces.push_back(MapPiece{node, range(node)});
            }
        });
    }

    const EntrySource& entries_;
    std::uint32_t sparse_limit_;
    std::uint64_t buffer_slots_;
    std::uint64_t budget_;  // for pages
    std::uint32_t plain_bytes_;
    std::uint64_t used_ = 0;  // by pages and reservations
    NodeList lru_;
    NodeList buffered_;
    std::uint32_t clean_buffered_ = 0;
    FullestPage buffered_of_;
    std::vector<Page> pages_;            // by node
    std::vector<Lpn> dirty_positions_;   // scratch
    std::vector<std::uint32_t> values_;  // scratch
};

std::uint64_t smallest_sftl(const MapCacheConfig& config, const MapAreaSize& map) {
    MapCacheConfig least = config;
    const std::uint64_t page = kRunHeaderBytes + std::uint64_t{map.entries} * kMapEntryBytes;
    least.size_bytes = page;
    while (least.size_bytes - Sftl::buffer_bytes(least) < page) {
        least.size_bytes += page - (least.size_bytes - Sftl::buffer_bytes(least));  // converges from below
    }
    return least.size_bytes;
}

}  // namespace

extern const MapCachePolicy kSftlMapCachePolicy{
    {"sftl", "whole translation pages in runs, dirty entries apart"}, make_cache<Sftl>, smallest_sftl};

}  // namespace solidtlm::fw
