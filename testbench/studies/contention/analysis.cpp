// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "testbench/studies/contention/contention.h"

namespace solidtlm::testbench::contention {
namespace {

/// A resource that is busy for this share of the time counts as full.
constexpr double kFull = 0.95;
/// A step with a smaller gain is not worth it.
constexpr double kLeastGain = 0.05;

/// A possible limit of a point: its name, a description, and its utilisation.
struct Candidate {
    const char* limit;
    const char* text;
    double share;
};

const Candidate& largest(std::span<const Candidate> candidates) {
    return *std::ranges::max_element(candidates, {}, &Candidate::share);
}

/// Kinds of resources first, then single resources.
std::array<Candidate, 7> resources(const Measured& point) {
    return {{{"link", "link", point.value("link_busy")},
             {"channels", "channels", point.value("channels_busy")},
             {"dies", "dies", point.value("dies_busy")},
             {"core", "core", point.value("core_busy")},
             {"dram", "DRAM", point.value("dram_busy")},
             {"one_channel", "one channel", point.value("channels_most")},
             {"one_die", "one die", point.value("dies_most")}}};
}
constexpr std::size_t kKinds = 5;

/// The parts of a request's time, in groups.
std::array<Candidate, 5> spent(const Measured& point) {
    return {{{"misses", "misses", point.value("miss_share")},
             {"flash", "data in flash", *sum_of(shares(kFirstFlashPart, kFirstMissPart))(point)},
             {"host_link", "link", point.value("share_link")},
             {"firmware", "core", point.value("share_core")},
             {"queue", "queues, write buffer", point.value("share_queue")}}};
}

/// The busiest resource, if it is full; kinds of resources before single ones.
std::optional<Candidate> full(const Measured& point) {
    const auto all = resources(point);
    for (const Candidate& busiest :
         {largest(std::span(all).first(kKinds)), largest(std::span(all).subspan(kKinds))}) {
        if (busiest.share >= kFull) {
            return busiest;
        }
    }
    return std::nullopt;
}

/// The three largest parts of a miss.
std::string miss_text(const Measured& point) {
    const auto share = [&point](std::vector<std::string> names) { return *sum_of(std::move(names))(point); };
    std::array<Candidate, 5> pieces{
        {{"", "array", point.value("share_miss_array")},
         {"", "lock", point.value("share_miss_queue")},
         {"", "die wait",
          share({"share_miss_die_wait_host", "share_miss_die_wait_map", "share_miss_die_wait_gc"})},
         {"", "channel",
          share({"share_miss_channel_wait_host", "share_miss_channel_wait_map", "share_miss_channel_wait_gc",
                 "share_miss_channel_transfer"})},
         {"", "core, DRAM", share({"share_miss_core", "share_miss_dram_ecc"})}}};
    std::ranges::stable_sort(pieces, std::greater(), &Candidate::share);
    const double all = point.value("miss_share");
    std::string text;
    for (std::size_t i = 0; i < 3; ++i) {
        text +=
            fmt::format("{}{} {:.0f}", i == 0 ? "" : ", ", pieces[i].text, 100.0 * (pieces[i].share / all));
    }
    return "of these " + text + " %";
}

}  // namespace

std::string limit_of(const Measured& point) {
    return full(point).value_or(largest(spent(point))).limit;
}

std::string limit_text(const Measured& point) {
    if (const auto resource = full(point)) {
        return fmt::format("{} full ({:.0f} %)", resource->text, 100.0 * resource->share);
    }
    const Candidate most = largest(spent(point));
    const std::string misses = most.limit == std::string("misses") ? ", " + miss_text(point) : "";
    return fmt::format(
        "nothing full (link {:.0f}, ch {:.0f}, die {:.0f}, core {:.0f} %); {} {:.0f} % of the time{}",
        100.0 * point.value("link_busy"), 100.0 * point.value("channels_busy"),
        100.0 * point.value("dies_busy"), 100.0 * point.value("core_busy"), most.text, 100.0 * most.share,
        misses);
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

std::vector<Answer> answers_of(const Selected& panel, const std::string& along) {
    std::vector<Answer> answers;
    const std::string across = along == "channels" ? "cache_bytes" : "channels";
    const Matrix matrix(panel, across, along, Matrix::Order::ascending);
    for (const Json& row : matrix.rows()) {
        Selected points;  // without failed points
        std::vector<double> values;
        std::vector<double> sizes;
        for (const Json& column : matrix.columns()) {
            if (const Measured* point = matrix.at(row, column)) {
                points.push_back(point);
                values.push_back(point->value("mb_per_s"));
                sizes.push_back(column.is_number() ? column.get<double>() : 0.0);
            }
        }
        if (points.size() > 1) {
            const std::optional<Knee> knee = knee_of(values, sizes);
            answers.push_back({knee ? points[knee->at] : points.back(), knee});
        }
    }
    return answers;
}

std::vector<Selected> panels_of(Points points) {
    return groups_of(select(points), {"policy", "queue_depth", "dies_per_channel", "order"});
}

void mark_answers(std::span<Measured> points) {
    for (const Selected& panel : panels_of(points)) {
        for (const auto& [along, what] : {std::pair("channels", "channels"), {"cache_bytes", "cache"}}) {
            for (const Answer& answer : answers_of(panel, along)) {
                if (answer.knee) {
                    Json& derived = points[static_cast<std::size_t>(answer.point - points.data())].derived;
                    derived[fmt::format("enough_{}", what)] = true;
                    derived[fmt::format("more_{}_gain", what)] = answer.knee->gain;
                }
            }
        }
    }
}

}  // namespace solidtlm::testbench::contention
