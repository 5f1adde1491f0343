// SPDX-License-Identifier: Apache-2.0
//
// Balanced score board (Lee et al. 2013, section III.4): runs whose length is decided for each miss. Every
// candidate window that would have covered the dynamic intra-distance of a request scores; the candidate with
// the highest score decides how much the next miss brings in.
#include <algorithm>
#include <charconv>
#include <numeric>

#include "fw/map_cache/bsb_candidates.h"
#include "fw/map_cache/budget.h"
#include "fw/map_cache/indexed_policy.h"

namespace solidtlm::fw {
namespace {

// Header: tag, links, hash, length, most recent position, stamp. Entries lie in chunks with a link.
constexpr std::uint32_t kPositionBytes = 2;
constexpr std::uint32_t kStampBytes = 4;
constexpr std::uint32_t kHeaderBytes = kRunHeaderBytes + kLengthBytes + kPositionBytes + kStampBytes;
constexpr std::uint32_t kChunkEntries = 16;
constexpr std::uint32_t kChunkBytes = kChunkEntries * kMapEntryBytes + 2;
constexpr std::uint32_t kScoreBytes = 8;

constexpr std::uint32_t run_bytes(std::uint32_t entries) {
    return kHeaderBytes + (entries + kChunkEntries - 1) / kChunkEntries * kChunkBytes;
}

class Bsb : public IndexedPolicy {
  public:
    Bsb(const MapCacheConfig& config, const MapAreaSize& map)
        : IndexedPolicy(map),
          balance_(config.bsb_balance),
          decay_(static_cast<std::uint64_t>(config.bsb_decay * kOne)),
          runs_of_(map.translation_pages),
          runs_(nodes_) {
        for (const std::uint32_t window : bsb_windows(config.bsb_candidates, map.entries)) {
            candidates_.push_back(Candidate{window, 0, 0});
        }
        std::sort(candidates_.begin(), candidates_.end(),
                  [](const Candidate& a, const Candidate& b) { return a.window < b.window; });
        budget_ = config.size_bytes - candidates_.size() * kScoreBytes;
        for (Candidate& candidate : candidates_) {
            candidate.capacity = budget_ / run_bytes(candidate.window);
        }
    }

    void use(Node node, Lpn lpn) override {
        NodeState& run = nodes_[node];
        const std::uint32_t position = lpn.value % entries_per_page_;
        if (!run.fresh) {
            score(node, static_cast<std::int64_t>(position) - run.last);
        }
        run.fresh = false;
        run.last = position;
        if (runs_.first() != node) {
            runs_.move_to_front(node);
            ++clock_;
        }
        run.stamp = clock_;
    }
    [[nodiscard]] MapFetch plan(Lpn lpn, std::uint32_t /*ahead*/) override {
        const auto [nearest, distance] = nearest_run(lpn);
        score(nearest, distance);
        const std::uint32_t window = window_entries();
        return MapFetch{lpn, window, run_bytes(window), window == entries_per_page_};
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
        if (!fetch.aligned) {
            return free_run(fetch.lpn, fetch.count);
        }
        return can_absorb(page_of(fetch.lpn)) ? whole(page_of(fetch.lpn)) : gap(fetch.lpn);
    }
    /// A whole translation page replaces its cached runs, unless one of them is pinned.
    Node take_in(const MapFetch& fetch, const MapRange& window) override {
        bool dirty = false;
        MapRange range = window;
        if (fetch.aligned && window.count == entries_per_page_ && can_absorb(page_of(fetch.lpn))) {
            dirty = absorb(page_of(fetch.lpn));
        } else {
            range = common(window, fetch.aligned ? gap(fetch.lpn) : free_run(fetch.lpn, fetch.count));
        }
        const Node node = nodes_.take(range);
        NodeState& run = nodes_[node];
        run.bytes = run_bytes(range.count);
        run.fresh = true;
        used_ = used_ - fetch.bytes + run.bytes;
        set_dirty(node, dirty);
        ++runs_of_[page_of(range.first).value];
        runs_.push_front(node);
        ++clock_;
        return node;
    }
    [[nodiscard]] Node victim() const override { return runs_.oldest_unpinned(); }
    void discard(Node node) override {
        used_ -= nodes_[node].bytes;
        --runs_of_[page_of(nodes_[node].first).value];
        runs_.remove(node);
        nodes_.release(node);
    }
    void collect(Node node, std::vector<MapPiece>& pieces) const override {
        pieces.push_back(MapPiece{node, range(node)});
    }
    [[nodiscard]] std::uint64_t bytes_used() const override {
        return used_ + candidates_.size() * kScoreBytes;
    }
    [[nodiscard]] std::uint32_t window_entries() const override {
        const Candidate* best = &candidates_.front();
        for (const Candidate& candidate : candidates_) {
            best = candidate.score > best->score ? &candidate : best;
        }
        return best->window;
    }
    void serialize(hal::StateArchive& archive) override {
        IndexedPolicy::serialize(archive);
        archive(used_, clock_, candidates_, runs_of_, runs_);
    }
    [[nodiscard]] std::string check() const override {
        const std::uint32_t counted = std::accumulate(runs_of_.begin(), runs_of_.end(), 0U);
        return runs_.size() == nodes_.in_use() && runs_.size() == counted ? check_nodes()
                                                                          : "runs and nodes do not agree";
    }

  private:
    static constexpr std::uint64_t kOne = 1U << 16U;  // scores are fixed point, 16.16
    static constexpr std::int64_t kNowhere = -1'000'000;

    struct Candidate {
        std::uint32_t window;  // entries
        std::uint64_t score;
        std::uint64_t capacity;  // runs of this length that the budget holds

        void serialize(hal::StateArchive& archive) { archive(score); }
    };

    /// Scores a request that lies `distance` entries from the most recent position of `run`, or from its
    /// first or last entry.
    void score(Node run, std::int64_t distance) {
        const std::uint64_t rank = run == kNoNode ? 0 : clock_ - nodes_[run].stamp;
        for (Candidate& candidate : candidates_) {
            candidate.score = candidate.score * decay_ / kOne;
            const bool whole_page = candidate.window == entries_per_page_;
            const bool covered = whole_page || (distance >= 0 && distance < candidate.window);
            const bool still_there = balance_ ? rank < candidate.capacity : candidate.capacity > 0;
            if (run != kNoNode && covered && still_there) {
                candidate.score += kOne;
            }
        }
    }
    /// For an entry that is not cached: the nearest run of its translation page (of two at the same distance,
    /// the one before), and the distance from that run's last or first entry.
    [[nodiscard]] std::pair<Node, std::int64_t> nearest_run(Lpn lpn) const {
        const std::uint32_t begin = page_of(lpn).value * entries_per_page_;
        const std::uint32_t end = begin + entries_per_page_;
        const std::uint32_t reach = runs_of_[page_of(lpn).value] == 0 ? 0 : entries_per_page_;
        for (std::uint32_t distance = 1; distance < reach; ++distance) {
            if (lpn.value >= begin + distance) {
                const Node before = nodes_.find(Lpn{lpn.value - distance});
                if (before != kNoNode) {
                    return {before, distance};
                }
            }
            if (lpn.value + distance < end) {
                const Node behind = nodes_.find(Lpn{lpn.value + distance});
                if (behind != kNoNode) {
                    return {behind, -static_cast<std::int64_t>(distance)};
                }
            }
        }
        return {kNoNode, kNowhere};
    }
    [[nodiscard]] MapRange whole(Tpn page) const {
        return MapRange{Lpn{page.value * entries_per_page_}, entries_per_page_};
    }
    /// The gap between cached runs in which `lpn` lies.
    [[nodiscard]] MapRange gap(Lpn lpn) const {
        const std::uint32_t begin = page_of(lpn).value * entries_per_page_;
        std::uint32_t first = lpn.value;
        while (first > begin && nodes_.find(Lpn{first - 1}) == kNoNode) {
            --first;
        }
        return free_run(Lpn{first}, entries_per_page_);
    }
    static MapRange common(const MapRange& a, const MapRange& b) {
        const std::uint32_t first = std::max(a.first.value, b.first.value);
        return MapRange{Lpn{first}, std::min(a.first.value + a.count, b.first.value + b.count) - first};
    }
    template <class Visit>
    void each_run(Tpn page, Visit visit) const {
        std::uint32_t lpn = page.value * entries_per_page_;
        for (std::uint32_t left = runs_of_[page.value]; left > 0;) {
            const Node node = nodes_.find(Lpn{lpn});
            const std::uint32_t step = node == kNoNode ? 1 : nodes_[node].count;
            if (node != kNoNode) {
                visit(node);
                --left;
            }
            lpn += step;
        }
    }
    [[nodiscard]] bool can_absorb(Tpn page) const {
        bool can = true;
        each_run(page, [&](Node node) { can &= nodes_[node].pins == 0; });
        return can;
    }
    /// Removes all runs of the page. True if one of them was dirty.
    bool absorb(Tpn page) {
        bool dirty = false;
        each_run(page, [&](Node node) {
            dirty |= nodes_[node].dirty;
            absorbed_.push_back(node);
        });
        for (const Node node : absorbed_) {
            set_dirty(node, false);
            discard(node);
        }
        absorbed_.clear();
        return dirty;
    }

    bool balance_;
    std::uint64_t decay_;
    std::uint64_t budget_ = 0;
    std::uint64_t used_ = 0;  // runs and reservations
    std::uint64_t clock_ = 0;
    std::vector<Candidate> candidates_;   // shortest window first
    std::vector<Node> absorbed_;          // scratch
    std::vector<std::uint16_t> runs_of_;  // by translation page; pages without runs need no search
    NodeList runs_;
};

std::uint64_t smallest_bsb(const MapCacheConfig& config, const MapAreaSize& map) {
    const std::vector<std::uint32_t> windows = bsb_windows(config.bsb_candidates, map.entries);
    return windows.empty()
               ? 0
               : windows.size() * kScoreBytes + run_bytes(*std::min_element(windows.begin(), windows.end()));
}

}  // namespace

std::vector<std::uint32_t> bsb_windows(std::string_view candidates, std::uint32_t entries) {
    std::vector<std::uint32_t> windows;
    constexpr std::string_view kTafp = "tafp_";
    while (!candidates.empty()) {
        const std::size_t comma = std::min(candidates.find(','), candidates.size());
        const std::string_view name = candidates.substr(0, comma);
        std::uint32_t window = 0;
        if (name == "full") {
            window = entries;
        } else if (name.starts_with(kTafp)) {
            std::uint32_t bytes = 0;
            const char* const end = name.data() + name.size();
            const auto [rest, error] = std::from_chars(name.data() + kTafp.size(), end, bytes);
            window = error == std::errc{} && rest == end && bytes % kMapEntryBytes == 0
                         ? bytes / kMapEntryBytes
                         : 0;
        }
        if (window == 0 || window > entries ||
            std::find(windows.begin(), windows.end(), window) != windows.end()) {
            return {};
        }
        windows.push_back(window);
        candidates.remove_prefix(comma);
        if (candidates.size() == 1) {
            return {};  // nothing after the last comma
        }
        candidates.remove_prefix(std::min<std::size_t>(1, candidates.size()));
    }
    return windows;
}

extern const MapCachePolicy kBsbMapCachePolicy{
    {"bsb", "the window that has earned most lately"}, make_cache<Bsb>, smallest_bsb};

}  // namespace solidtlm::fw
