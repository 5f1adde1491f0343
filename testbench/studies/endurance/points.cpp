// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fw/needs.h"
#include "platform/units.h"
#include "testbench/show/json_number.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/studies/endurance/endurance.h"
#include "testbench/studies/kit/grid.h"

namespace solidtlm::testbench::endurance {
namespace {

using platform::Configuration;

constexpr double kSecondsPerDay = 86'400.0;

/// Ages count in days of the drive: the simulated time that represents a day.
double age_unit_days(const Configuration& base, Ps day) {
    return base.nand.faults.rber.age_unit_days * ps_of(day) / static_cast<double>(hal::kPsPerSecond) /
           kSecondsPerDay;
}

std::vector<std::string> settings_of(const Json& parameters, const LifeOptions& options,
                                     const Configuration& base) {
    const auto& care = *std::ranges::find(kCares, parameters["care"].get<std::string>(), &Care::name);
    const std::uint32_t bits =
        options.reclaim_bits.value_or(std::max(1U, base.nand.ecc.correctable_bits / 4 * 3));
    const std::uint32_t dies = options.parity_dies.value_or(base.nand.geometry.channels);
    const std::uint64_t further = parameters["drive"].get<std::uint64_t>() - 1;
    return {fmt::format("firmware.reliability.reclaim_bits={}", care.reclaim ? bits : 0),
            "firmware.reliability.patrol=" + platform::format_duration(care.patrol ? options.patrol : Ps{0}),
            fmt::format("firmware.reliability.parity_dies={}", care.parity ? dies : 0),
            fmt::format("faults.rber.age_unit_days={}", age_unit_days(base, options.day)),
            fmt::format("faults.seed={}", base.nand.faults.seed + further),
            fmt::format("seed={}", base.seed + further)};
}

LifePoint make_point(const Json& parameters, const LifeOptions& options, const Configuration& base) {
    LifePoint point;
    point.parameters = parameters;
    point.configuration = variant_of(base, settings_of(parameters, options, base));
    point.depth = options.depth;
    LifeLoad& load = point.load;
    load.unit_bytes = point.configuration.firmware.unit_bytes;
    load.units = point.configuration.exported_bytes() / load.unit_bytes;
    load.reads = options.reads;
    load.hot = parameters["hot"];
    load.drive_writes_per_day = options.drive_writes_per_day;
    load.day = options.day;
    const auto units = static_cast<double>(load.units);
    load.most_units = static_cast<std::uint64_t>(std::llround(options.most_writes * units));
    point.window_bytes = static_cast<std::uint64_t>(std::llround(options.window * units)) * load.unit_bytes;
    return point;
}

SimulationOutcome live(const LifePoint& point) {
    const Configuration& configuration = point.configuration;
    LifeSource source(point.load, configuration.seed);
    LifeRecorder recorder(source, facts_of(configuration, point.load.day), point.window_bytes);
    RunSpec settings = run_of(configuration, point.depth);
    RunHooks hooks{.scenario = "tb_endurance"};
    hooks.watcher = &recorder;
    hooks.failures_are_faults = false;
    SimulationOutcome outcome = simulate(settings, source, ClosedLoop(point.depth), hooks);
    outcome.noted = recorder.to_json();
    return outcome;
}

/// Days until the first sample with a bad superblock; null: there is none.
Json days_to_first_bad(const Json& samples) {
    const auto first =
        std::ranges::find_if(samples, [](const Json& sample) { return sample["retired_superblocks"] > 0; });
    return first == samples.end() ? Json() : (*first)["days"];
}

}  // namespace

std::vector<std::string> care_names() {
    std::vector<std::string> names;
    names.reserve(kCares.size());
    for (const Care& care : kCares) {
        names.emplace_back(care.name);
    }
    return names;
}

std::optional<double> mean_block_cycles(const Configuration& configuration) {
    const hw::LifetimeModel& lifetime = configuration.nand.faults.lifetime;
    const std::uint32_t endurance = configuration.nand.rules.endurance_cycles;
    std::optional<double> cycles;
    if (lifetime.cycles > 0) {
        const double worn_out = lifetime.cycles * std::tgamma(1.0 + 1.0 / lifetime.shape);
        const double early = std::min<double>(lifetime.infant_cycles, worn_out);
        cycles = (1.0 - lifetime.infant_share) * worn_out + lifetime.infant_share * early -
                 configuration.nand.faults.cycles;
    }
    if (endurance > 0) {
        cycles = std::min<double>(cycles.value_or(endurance), endurance);
    }
    return cycles;
}

bool wears_out(const Configuration& configuration) {
    const hw::FaultConfig& faults = configuration.nand.faults;
    return mean_block_cycles(configuration).has_value() || faults.erase_failure > 0.0 ||
           faults.program_failure > 0.0;
}

StudyJob LifePoint::job() const {
    return {fmt::format("{}, hot {}, drive {}", parameters["care"].get<std::string>(),
                        parameters["hot"].get<double>(), parameters["drive"].get<std::uint32_t>()),
            parameters, [point = *this] { return live(point); },
            [configuration = configuration](const Json& /*result*/, Measured& point) {
                Json life = std::exchange(point.more, Json::object());
                measure(life, configuration, point);
            }};
}

std::vector<LifePoint> points_of(const LifeOptions& options, const Configuration& base) {
    std::vector<std::uint32_t> drives(options.drives);
    for (std::uint32_t i = 0; i < options.drives; ++i) {
        drives[i] = i + 1;
    }
    std::vector<LifePoint> points;
    VariantIssues issues;
    each_combination({{"hot", options.hot}, {"care", options.care}, {"drive", drives}},
                     [&](const Json& parameters) {
                         issues.attempt([&] { points.push_back(make_point(parameters, options, base)); });
                     });
    issues.report();
    return points;
}

void measure(Json& life, const Configuration& configuration, Measured& point) {
    const Json& whole = life["whole"];
    const Json& samples = life["samples"];
    point.derived = whole;
    point.derived["read_only"] = life["read_only"];
    point.derived["lost_in_read_back"] = life["lost_in_read_back"];
    point.derived["days_to_first_bad"] = days_to_first_bad(samples);
    for (const char* operation : {"read", "write"}) {
        const std::string p99 = std::string(operation) + "_p99_us";
        point.derived["first_" + p99] = samples.empty() ? Json() : samples.front()[p99];
        point.derived["last_" + p99] = samples.empty() ? Json() : samples.back()[p99];
    }
    const std::optional<double> cycles = mean_block_cycles(configuration);
    const Json& amplification = whole["write_amplification"];
    if (cycles && amplification.is_number()) {
        const double closed_form =
            static_cast<double>(configuration.raw_bytes()) * *cycles / amplification.get<double>();
        point.derived["closed_form_bytes"] = finite(closed_form);
        if (life["read_only"] == true) {
            point.derived["measured_of_closed_form"] =
                finite(whole["host_bytes"].get<double>() / closed_form);
        }
    }
    const fw::MediaLayout layout = fw::media_layout(configuration.firmware);
    point.more["superblocks"] = layout.total_superblocks();
    point.more["samples"] = std::move(life["samples"]);
}

std::vector<Selected> fleets(Points points) {
    return groups_of(select(points), {"hot", "care"});
}

std::string fleet_name(const Measured& point) {
    return point.text("care") + ", hot " + point.text("hot");
}

std::vector<Measured> samples_of(Points points) {
    std::vector<Measured> samples;
    for (const Selected& fleet : fleets(points)) {
        for (const Json& sample : fleet.front()->more["samples"]) {
            samples.push_back(Measured{fleet.front()->parameters, sample});
        }
    }
    return samples;
}

}  // namespace solidtlm::testbench::endurance
