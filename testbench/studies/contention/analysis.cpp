// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/contention/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace solidtlm::testbench::contention {
namespace {

constexpr std::array<std::string_view, 12> kLimitNames{"link",  "channels",    "dies",     "core",
                                                       "dram",  "one_channel", "one_die",  "misses",
                                                       "flash", "host_link",   "firmware", "queue"};

/// Parts of the time of requests in groups.
struct Spent {
    Limit on;
    double share;
};

std::array<Spent, 5> spent(const Measured& measured) {
    double flash = 0.0;
    for (std::size_t i = static_cast<std::size_t>(Part::dram_ecc); i < kFirstMissPart; ++i) {
        flash += measured.shares[i];
    }
    return {Spent{Limit::misses, measured.miss_share()}, Spent{Limit::flash, flash},
            Spent{Limit::host_link, measured.share(Part::link)},
            Spent{Limit::firmware, measured.share(Part::core)},
            Spent{Limit::queue, measured.share(Part::queue)}};
}

double in_percent(double fraction) {
    return 100.0 * fraction;
}

/// What a miss consists of, the three largest.
std::string miss_text(const Measured& measured) {
    struct Piece {
        const char* name;
        double share;
    };
    const auto share = [&measured](std::initializer_list<Part> parts) {
        double sum = 0.0;
        for (const Part part : parts) {
            sum += measured.share(part);
        }
        return sum;
    };
    std::array<Piece, 5> pieces{
        Piece{"array", share({Part::miss_array})}, Piece{"lock", share({Part::miss_queue})},
        Piece{"die wait", share({Part::miss_die_wait_host, Part::miss_die_wait_map, Part::miss_die_wait_gc})},
        Piece{"channel", share({Part::miss_channel_wait_host, Part::miss_channel_wait_map,
                                Part::miss_channel_wait_gc, Part::miss_channel_transfer})},
        Piece{"core, DRAM", share({Part::miss_core, Part::miss_dram_ecc})}};
    std::ranges::stable_sort(pieces, std::greater(), &Piece::share);
    const double all = measured.miss_share();
    std::string text;
    for (std::size_t i = 0; i < 3; ++i) {
        text +=
            fmt::format("{}{} {:.0f}", i == 0 ? "" : ", ", pieces[i].name, in_percent(pieces[i].share / all));
    }
    return "of these " + text + " %";
}

}  // namespace

Limit limit_of(const Measured& measured) {
    const std::array<std::pair<Limit, double>, 7> resources{
        std::pair(Limit::link, measured.link),        std::pair(Limit::channels, measured.channels.mean),
        std::pair(Limit::dies, measured.dies.mean),   std::pair(Limit::core, measured.core),
        std::pair(Limit::dram, measured.dram),        std::pair(Limit::one_channel, measured.channels.most),
        std::pair(Limit::one_die, measured.dies.most)};
    // The busiest, if it is full; of kinds of resources before single ones.
    const auto better = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto* const kind = std::max_element(resources.begin(), resources.begin() + 5, better);
    if (kind->second >= kFull) {
        return kind->first;
    }
    const auto* const single = std::max_element(resources.begin() + 5, resources.end(), better);
    if (single->second >= kFull) {
        return single->first;
    }
    const auto parts = spent(measured);
    return std::max_element(parts.begin(), parts.end(),
                            [](const Spent& a, const Spent& b) { return a.share < b.share; })
        ->on;
}

std::string_view limit_name(Limit limit) {
    return kLimitNames[static_cast<std::size_t>(limit)];
}

std::string limit_text(const Measured& measured) {
    const auto full = [](const char* what, double busy) {
        return fmt::format("{} full ({:.0f} %)", what, in_percent(busy));
    };
    const auto takes = [&measured](const char* what, Limit limit) {
        const auto parts = spent(measured);
        const auto* const part =
            std::find_if(parts.begin(), parts.end(), [limit](const Spent& each) { return each.on == limit; });
        return fmt::format(
            "nothing full (link {:.0f}, ch {:.0f}, die {:.0f}, core {:.0f} %); {} {:.0f} % of "
            "the time",
            in_percent(measured.link), in_percent(measured.channels.mean), in_percent(measured.dies.mean),
            in_percent(measured.core), what, in_percent(part->share));
    };
    switch (const Limit limit = limit_of(measured)) {
        case Limit::link:
            return full("link", measured.link);
        case Limit::channels:
            return full("channels", measured.channels.mean);
        case Limit::dies:
            return full("dies", measured.dies.mean);
        case Limit::core:
            return full("core", measured.core);
        case Limit::dram:
            return full("DRAM", measured.dram);
        case Limit::one_channel:
            return full("one channel", measured.channels.most);
        case Limit::one_die:
            return full("one die", measured.dies.most);
        case Limit::misses:
            return takes("misses", limit) + ", " + miss_text(measured);
        case Limit::flash:
            return takes("data in flash", limit);
        case Limit::host_link:
            return takes("link", limit);
        case Limit::firmware:
            return takes("core", limit);
        case Limit::queue:
            break;
    }
    return takes("queues, write buffer", Limit::queue);
}

std::optional<Knee> knee_of(std::span<const double> values, std::span<const double> sizes) {
    std::optional<Knee> knee;
    for (std::size_t i = values.size() - 1; i-- > 0;) {
        const double doublings = sizes[i + 1] > 0.0 ? std::log2(sizes[i + 1] / sizes[i]) : 1.0;
        const double gain = std::pow(values[i + 1] / values[i], 1.0 / doublings) - 1.0;
        if (gain >= kLeastGain) {
            break;
        }
        knee = Knee{i, gain, values.back() / values[i] - 1.0};
    }
    return knee;
}

namespace {

/// Along one row of points, those that failed left out.
std::optional<Answer> answer_of(const std::vector<const MeasuredPoint*>& row, bool along_channels) {
    if (row.size() < 2) {
        return std::nullopt;
    }
    std::vector<double> values;
    std::vector<double> sizes;
    for (const MeasuredPoint* point : row) {
        values.push_back(point->measured.mb_per_s);
        sizes.push_back(along_channels ? point->channels : static_cast<double>(point->cache_bytes));
    }
    const std::optional<Knee> knee = knee_of(values, sizes);
    const MeasuredPoint* point = knee ? row[knee->at] : row.back();
    return Answer{point->channels, point->cache_bytes, point, knee};
}

}  // namespace

std::vector<Answer> enough_channels(std::span<const MeasuredPoint> panel) {
    std::vector<Answer> answers;
    for (const std::uint64_t cache : caches_of(panel)) {
        std::vector<const MeasuredPoint*> row;
        for (const std::uint32_t channels : channels_of(panel)) {
            if (const MeasuredPoint* point = find(panel, channels, cache); point != nullptr) {
                row.push_back(point);
            }
        }
        if (const auto answer = answer_of(row, true)) {
            answers.push_back(*answer);
        }
    }
    return answers;
}

std::vector<Answer> enough_cache(std::span<const MeasuredPoint> panel) {
    std::vector<Answer> answers;
    for (const std::uint32_t channels : channels_of(panel)) {
        std::vector<const MeasuredPoint*> row;
        for (const std::uint64_t cache : caches_of(panel)) {
            if (const MeasuredPoint* point = find(panel, channels, cache); point != nullptr) {
                row.push_back(point);
            }
        }
        if (const auto answer = answer_of(row, false)) {
            answers.push_back(*answer);
        }
    }
    return answers;
}

std::vector<std::uint32_t> channels_of(std::span<const MeasuredPoint> panel) {
    std::vector<std::uint32_t> found;
    for (const MeasuredPoint& point : panel) {
        found.push_back(point.channels);
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

std::vector<std::uint64_t> caches_of(std::span<const MeasuredPoint> panel) {
    std::vector<std::uint64_t> found;
    for (const MeasuredPoint& point : panel) {
        found.push_back(point.cache_bytes);
    }
    // kWholeMap is larger than any.
    std::ranges::sort(found, {}, [](std::uint64_t bytes) { return bytes - 1; });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

const MeasuredPoint* find(std::span<const MeasuredPoint> panel, std::uint32_t channels,
                          std::uint64_t cache_bytes) {
    const auto point = std::ranges::find_if(panel, [channels, cache_bytes](const MeasuredPoint& each) {
        return each.channels == channels && each.cache_bytes == cache_bytes;
    });
    return point == panel.end() ? nullptr : &*point;
}

}  // namespace solidtlm::testbench::contention
