// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/figures.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "testbench/studies/endurance/endurance.h"

namespace solidtlm::testbench::endurance {
namespace {

constexpr double kCyclesOfRate = 100.0;

struct Bin {
    double went_bad = 0.0;
    double superblock_cycles = 0.0;
};

/// A value of the samples over the bytes that the host has written.
struct Curve {
    const char* value;
    const char* title;
    const char* caption;
    Axis y;
};

const std::vector<Curve>& curves() {
    static const std::vector<Curve> all{
        {"write_amplification",
         "Write amplification over the life of the drive",
         "Rises where superblocks that went bad take spare area away, and by what is moved to keep it "
         "readable.",
         {"write amplification"}},
        {"read_p99_us",
         "p99 of read latency over the life of the drive",
         "Retries, and waiting for those of others.",
         {"p99 of reads, us", true}},
        {"write_p99_us",
         "p99 of write latency over the life of the drive",
         "Waiting for room in the write buffer.",
         {"p99 of writes, us", true}},
        {"retried_per_1000",
         "Reads that ECC could not correct the first time",
         "Of flash reads, garbage collection's and patrol's included.",
         {"retried reads per 1,000 pages read"}},
        {"rber",
         "Raw bit error rate of what was read",
         "Raw bit errors over bits of the codewords that were decoded, retries included. Data that is "
         "not read is left out.",
         {"raw bit error rate", true}},
        {"failed_reads",
         "Reads that ended with an uncorrectable error",
         "Read commands that failed in each window.",
         {"failed read commands"}},
        {"retired_superblocks", "Superblocks that went bad", "Since the drive was new.", {"superblocks"}},
    };
    return all;
}

LineFigure bathtub_figure(Points points) {
    LineFigure figure{{"bathtub", "The bathtub: superblocks that go bad",
                       "All drives of a line together. Which walls it has follows from faults.lifetime."},
                      {"mean program and erase cycles"},
                      {"bad superblocks, % in 100 cycles"},
                      {}};
    const double bin_cycles = bin_cycles_of(select(points));
    for (const Selected& fleet : fleets(points)) {
        std::vector<std::pair<double, double>> rates = bathtub(fleet, bin_cycles);
        for (auto& [cycles, rate] : rates) {
            constexpr double kPercent = 100.0;
            rate *= kPercent;
        }
        if (!rates.empty()) {
            figure.series.push_back({fleet_name(*fleet.front()), std::move(rates)});
        }
    }
    return figure;
}

CategoryFigure written_figure(Points points) {
    constexpr double kGb = 1e9;
    CategoryFigure figure{{"written", "Written until read-only, and by the closed form",
                           "Closed form: raw capacity x mean lifetime of a block / write amplification."},
                          CategoryFigure::Look::bars,
                          {},
                          {"GB"},
                          {},
                          {{"measured", {}}, {"closed form", {}}}};
    for (const Selected& fleet : fleets(points)) {
        const Measured& life = *fleet.front();
        if (life.find("measured_of_closed_form")) {
            figure.categories.push_back(fleet_name(life));
            figure.series[0].values.push_back(life.value("host_bytes") / kGb);
            figure.series[1].values.push_back(life.value("closed_form_bytes") / kGb);
        }
    }
    return figure;
}

}  // namespace

std::vector<std::pair<double, double>> bathtub(const Selected& lives, double bin_cycles) {
    std::map<std::int64_t, Bin> bins;
    for (const Measured* life : lives) {
        double cycles = 0.0;
        double bad = 0.0;
        for (const Json& sample : life->more["samples"]) {
            const double cycles_now = sample["mean_cycles"];
            const double bad_now = sample["retired_superblocks"];
            Bin& bin = bins[std::llround(std::floor((cycles + cycles_now) / 2.0 / bin_cycles))];
            bin.went_bad += bad_now - bad;
            bin.superblock_cycles += (cycles_now - cycles) * life->value("superblocks");
            cycles = cycles_now;
            bad = bad_now;
        }
    }
    std::vector<std::pair<double, double>> rates;
    for (const auto& [number, bin] : bins) {
        if (bin.superblock_cycles > 0.0) {
            rates.emplace_back((static_cast<double>(number) + 0.5) * bin_cycles,
                               kCyclesOfRate * bin.went_bad / bin.superblock_cycles);
        }
    }
    return rates;
}

double bin_cycles_of(const Selected& lives) {
    constexpr double kBins = 20.0;
    double longest = 1.0;
    for (const Measured* life : lives) {
        longest = std::max(longest, life->value("mean_cycles"));
    }
    return longest / kBins;
}

double share_with_bad_superblocks(const Selected& lives, double days) {
    const auto bad = std::ranges::count_if(lives, [days](const Measured* life) {
        const auto first = life->find("days_to_first_bad");
        return first && *first <= days;
    });
    return lives.empty() ? 0.0 : static_cast<double>(bad) / static_cast<double>(lives.size());
}

std::vector<Figure> figures_of(Points points) {
    const std::vector<Measured> samples = samples_of(points);
    std::vector<Figure> figures;
    for (const Curve& curve : curves()) {
        add_unless_empty(figures,
                         line_figure({figure_id(curve.value), curve.title, curve.caption}, {"drive writes"},
                                     curve.y, select(samples), fleet_name, "drive_writes", curve.value));
    }
    add_unless_empty(figures, bathtub_figure(points));
    if (CategoryFigure written = written_figure(points); !written.categories.empty()) {
        figures.emplace_back(std::move(written));
    }
    return figures;
}

}  // namespace solidtlm::testbench::endurance
