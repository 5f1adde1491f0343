// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/shrink.h"

#include <algorithm>
#include <optional>
#include <string>

#include "platform/units.h"
#include "testbench/sim/event_cutter.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {
namespace {

constexpr std::string_view kRequests = "requests=";

class Shrinker {
  public:
    Shrinker(const TortureCase& failing, const StillFails& still_fails, std::size_t at_once, std::size_t most)
        : now_{failing, 0},
          still_fails_(still_fails),
          at_once_(std::max<std::size_t>(1, at_once)),
          most_(most) {}

    Shrunk run() {
        auto& load = now_.torture.load;
        if (std::ranges::none_of(load, says_requests)) {
            load.push_back(std::string(kRequests) + std::to_string(Load{}.requests));
        }
        for (bool smaller = true; smaller && now_.tried < most_;) {
            smaller = false;
            for (const auto list : kCaseLists) {
                smaller = leave_out(list) || smaller;
            }
            smaller = fewer_requests() || smaller;
            smaller = sooner_cuts() || smaller;
        }
        return now_;
    }

  private:
    static bool says_requests(const std::string& item) { return item.starts_with(kRequests); }
    /// Cuts that take word lines which nothing protects: losses are expected.
    static bool unprotected(const std::vector<std::string>& items) {
        const auto says = [&items](std::string_view start) {
            return std::ranges::any_of(items, [start](const auto& item) { return item.starts_with(start); });
        };
        return says("nand.power_cut=\"word_line\"") && !says("firmware.word_lines.protect=");
    }

    /// Takes the first candidate that still fails.
    bool take_first(const std::vector<TortureCase>& candidates) {
        for (std::size_t begin = 0; begin < candidates.size() && now_.tried < most_; begin += at_once_) {
            const std::size_t end = std::min(begin + at_once_, candidates.size());
            const std::vector<TortureCase> some(candidates.begin() + static_cast<std::ptrdiff_t>(begin),
                                                candidates.begin() + static_cast<std::ptrdiff_t>(end));
            const std::vector<bool> fails = still_fails_(some);
            now_.tried += some.size();
            const auto found = std::ranges::find(fails, true);
            if (found != fails.end()) {
                now_.torture = some[static_cast<std::size_t>(found - fails.begin())];
                return true;
            }
        }
        return false;
    }

    /// Leaves out runs of items: first the whole list, then runs of half the length each time, down to single
    /// items. The number of requests is kept, because without that item there might be more.
    bool leave_out(std::vector<std::string> TortureCase::*list) {
        bool smaller = false;
        for (std::size_t length = (now_.torture.*list).size(); length > 0; length /= 2) {
            bool again = true;
            while (again && now_.tried < most_) {
                std::vector<TortureCase> candidates;
                const std::size_t size = (now_.torture.*list).size();
                for (std::size_t at = 0; at < size; at += length) {
                    TortureCase without = now_.torture;
                    auto& items = without.*list;
                    const auto begin = items.begin() + static_cast<std::ptrdiff_t>(at);
                    const auto end = items.begin() + static_cast<std::ptrdiff_t>(std::min(at + length, size));
                    items.erase(std::stable_partition(begin, end, says_requests), end);
                    if (items.size() < size && (!unprotected(items) || unprotected(now_.torture.*list))) {
                        candidates.push_back(std::move(without));
                    }
                }
                again = take_first(candidates);
                smaller = smaller || again;
            }
        }
        return smaller;
    }

    bool fewer_requests() {
        bool smaller = false;
        while (true) {
            const auto item = std::ranges::find_if(now_.torture.load, says_requests);
            const auto count = item == now_.torture.load.end()
                                   ? std::nullopt
                                   : platform::parse_count(std::string_view(*item).substr(kRequests.size()));
            if (!count || *count <= 1) {
                return smaller;
            }
            std::vector<TortureCase> candidates;
            for (const std::uint64_t fewer : {*count / 8, *count / 2, *count * 7 / 8, *count - 1}) {
                if (fewer > 0 && fewer < *count) {
                    TortureCase shorter = now_.torture;
                    shorter.load[static_cast<std::size_t>(item - now_.torture.load.begin())] =
                        std::string(kRequests) + std::to_string(fewer);
                    candidates.push_back(std::move(shorter));
                }
            }
            if (!take_first(candidates)) {
                return smaller;
            }
            smaller = true;
        }
    }

    /// A cut at the first event of its kind is easier to understand than one 1 ps before the 300th.
    bool sooner_cuts() {
        bool smaller = false;
        for (std::size_t i = 0; i < now_.torture.cuts.size(); ++i) {
            const std::optional<EventCut> cut = parse_event_cut(now_.torture.cuts[i]);
            if (!cut) {
                continue;
            }
            std::vector<TortureCase> candidates;
            const auto propose = [&](EventCut other) {
                TortureCase changed = now_.torture;
                changed.cuts[i] = to_text(other);
                candidates.push_back(std::move(changed));
            };
            const std::uint64_t least = cut->kind == EventKind::time ? 1 : 0;
            for (const std::uint64_t sooner : {least, cut->after / 2, cut->after - 1}) {
                if (sooner >= least && sooner < cut->after) {
                    propose({cut->kind, sooner, cut->offset_ps});
                }
            }
            if (cut->offset_ps != 0) {
                propose({cut->kind, cut->after, 0});
            }
            smaller = take_first(candidates) || smaller;
        }
        return smaller;
    }

    Shrunk now_;
    const StillFails& still_fails_;
    const std::size_t at_once_;
    const std::size_t most_;
};

}  // namespace

Shrunk shrink(const TortureCase& failing, const StillFails& still_fails, std::size_t at_once,
              std::size_t most) {
    return Shrinker(failing, still_fails, at_once, most).run();
}

}  // namespace solidtlm::testbench
