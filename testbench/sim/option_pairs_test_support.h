// SPDX-License-Identifier: Apache-2.0
//
// Options in pairs: drives on which every legal pair of values of any two options occurs. The drives are full
// except for the room that power cuts need, serve a mixed load with repeated contents, and lose power if they
// can recover.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "fw/needs.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/covering_array.h"
#include "testbench/sim/power_cut_test_support.h"

namespace solidtlm::testbench {

inline const std::vector<Option>& paired_options() {
    const auto key = [](const std::string& name, std::initializer_list<const char*> values) {
        Option option{name, {}};
        for (const char* value : values) {
            option.values.push_back({name + "=" + value});
        }
        return option;
    };
    static const std::vector<Option> options{
        key("firmware.translation", {"page_map", "fmax", "bast", "fast", "mtbs"}),
        key("firmware.map_cache.policy",
            {"full_table", "full_page", "half_page", "tafp", "dftl", "bsb", "sftl", "cftl", "tpftl"}),
        key("firmware.map_cache.translation_page", {"0", "512"}),
        {"firmware.dedup",
         {{"firmware.dedup.system=none"},
          {"firmware.dedup.system=online"},
          {"firmware.dedup.system=online", "firmware.dedup.protection=capacitor"},
          {"firmware.dedup.system=online", "firmware.dedup.protection=journal"},
          {"firmware.dedup.system=offline"},
          {"firmware.dedup.system=offline_separated"},
          {"firmware.dedup.system=offline_crc32"}}},
        key("firmware.idle_threshold", {"100us", "0s"}),
        key("firmware.dedup.sampling", {"1", "8"}),
        key("firmware.trim.persist", {"lazy", "journal", "immediate"}),
        key("firmware.recovery.checkpoint_interval", {"0", "512KiB"}),
        key("firmware.gc.copy_back", {"false", "true"}),
        key("firmware.gc.policy", {"greedy", "cost_benefit", "fifo", "d_choices", "random"}),
        key("firmware.gc.pipeline_depth", {"2", "1", "3"}),
        {"firmware.gc.thresholds",
         {{"firmware.gc.foreground_threshold=1"},
          {"firmware.gc.foreground_threshold=2"},
          {"firmware.gc.background_threshold=2"}}},
        key("firmware.wear.dynamic", {"true", "false"}),
        key("firmware.wear.static_threshold", {"0", "4"}),
        key("firmware.allocation.order", {"PCWD", "CWDP", "DCPW"}),
        key("firmware.allocation.mode", {"dynamic", "static"}),
        key("firmware.allocation.striping", {"full", "none"}),
        key("firmware.allocation.programs_per_die", {"2", "1"}),
        key("firmware.unit", {"8KiB", "4KiB", "2KiB"}),
        key("firmware.write_buffer.policy", {"write_back", "write_through"}),
        key("firmware.write_buffer.admission", {"burst", "even"}),
        key("firmware.write_buffer.idle_flush", {"0s", "1ms"}),
        {"nand.programming",
         {{"nand.programming=page"},
          {"nand.programming=one_shot", "nand.cell=mlc", "nand.slc.read=20us", "nand.slc.program=200us"}}},
        {"firmware.read_cache",
         {{"firmware.read_cache.size=0"},
          {"firmware.read_cache.size=512KiB", "firmware.read_cache.read_ahead=32KiB",
           "firmware.read_cache.trigger=1"}}},
        key("nand.planes.read", {"together", "independent"}),
        key("nand.controller.suspend_program", {"false", "true"}),
        key("nand.controller.suspend_erase", {"false", "true"}),
        key("nand.controller.arbitration", {"read_first", "fcfs", "round_robin"}),
        key("nand.controller.reads_overtake", {"true", "false"}),
        key("nand.geometry.dies_per_way", {"1", "2"}),
        key("nand.geometry.channels", {"2", "1"}),
        key("nand.rules.sequential_pages", {"true", "false"}),
        key("sata.write_cache", {"true", "false"}),
        key("sata.zeros_after_trim", {"true", "false"}),
        key("sata.auto_activate", {"true", "false"}),
        key("dram.arbitration", {"round_robin", "fcfs", "fixed_priority"}),
        key("content", {"tags", "bytes"}),
    };
    return options;
}

inline std::vector<std::string> settings_of(const Row& row) {
    std::vector<std::string> settings{"ssd.over_provisioning=0.7", "firmware.map_cache.size=8KiB",
                                      "firmware.dedup.table_size=64KiB", "firmware.dedup.shared_size=16KiB"};
    for (std::size_t option = 0; option < row.size(); ++option) {
        const auto& value = paired_options()[option].values[row[option]];
        settings.insert(settings.end(), value.begin(), value.end());
    }
    return settings;
}

/// The options that are not at their defaults, for messages.
inline std::string name_of(const Row& row) {
    std::string name;
    for (std::size_t option = 0; option < row.size(); ++option) {
        for (const std::string& setting : paired_options()[option].values[row[option]]) {
            name += row[option] > 0 ? (name.empty() ? "" : " ") + setting : "";
        }
    }
    return name.empty() ? "defaults" : name;
}

/// Whether the configuration's checks accept the row.
inline bool accepted(const Row& row) {
    static std::map<Row, bool> known;
    const auto [entry, fresh] = known.try_emplace(row, false);
    if (fresh) {
        try {
            static_cast<void>(preset("tiny", settings_of(row)));
            entry->second = true;
        } catch (const platform::ConfigurationError&) {
        }
    }
    return entry->second;
}

inline CoveringArray paired_rows(std::uint64_t seed) {
    static const std::function<bool(const Row&)> legal = accepted;
    return {paired_options(), legal, seed};
}

/// The drive of a row. A page map exports nine tenths of what it can, because power cuts need the rest.
inline platform::Configuration drive_of(const Row& row, std::uint64_t seed) {
    std::vector<std::string> settings = settings_of(row);
    settings.push_back("seed=" + std::to_string(seed));
    platform::Configuration configuration = preset("tiny", settings);
    fw::FirmwareConfig& firmware = configuration.firmware;
    if (!firmware.by_block()) {
        const std::uint64_t units = fw::max_exported_units(firmware) * 9 / 10 / 16 * 16;
        firmware.exported_sectors = units * (firmware.unit_bytes / hal::kSectorBytes);
        configuration.sata.exported_sectors = firmware.exported_sectors;
    }
    return configuration;
}

/// False for block-mapped translations, and for duplicates that only DRAM knows of.
inline bool survives_power_cuts(const fw::FirmwareConfig& firmware) {
    return !firmware.by_block() && !firmware.dedup.loses_duplicates();
}

/// Runs a row with `cuts` power cuts if they must not lose data, otherwise with none. Every error is a fault.
/// `run_ahead` and `record` must not change the outcome.
inline SimulationOutcome run_row(const Row& row, std::uint64_t seed, std::size_t cuts,
                                 std::optional<Ps> run_ahead = {}, const RecorderSettings& record = {},
                                 bool check_protocol = true) {
    RunSpec settings = run_of(drive_of(row, seed));
    RunHooks hooks;
    hooks.check_protocol = check_protocol;
    settings.configuration.run_ahead = run_ahead.value_or(settings.configuration.run_ahead);
    settings.record = record;
    if (survives_power_cuts(settings.configuration.firmware)) {
        settings.power_cuts.at = random_instants(seed, cuts);
        settings.power_cuts.off = 100 * kMicrosecond;
    }
    RandomMix::Shares shares;
    shares.requests = 100 + cuts * 60;
    RepetitiveMix source(seed, settings.configuration.firmware.exported_sectors, shares);
    SimulationOutcome outcome =
        simulate(settings, source, ClosedLoop(1 + static_cast<std::uint32_t>(seed % 32)), hooks);
    const Json lost = settings.power_cuts.any() ? outcome.result["power"]["lost_commands"] : Json(0);
    if (outcome.result["host"]["failed"] != lost) {
        outcome.faults.push_back(outcome.result["host"]["failed"].dump() + " commands failed, " +
                                 lost.dump() + " with the power");
    }
    return outcome;
}

/// Runs all rows of the array with this seed, several in parallel.
inline void run_rows(std::uint64_t seed, std::size_t cuts) {
    const CoveringArray array = paired_rows(seed);
    std::vector<PointJob> jobs;
    for (std::size_t i = 0; i < array.rows().size(); ++i) {
        const Row& row = array.rows()[i];
        jobs.push_back({name_of(row), [&row, seed, i, cuts] { return run_row(row, seed * 1000 + i, cuts); }});
    }
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        for (const std::string& fault : outcomes[i].outcome.faults) {
            ADD_FAILURE() << "seed " << seed * 1000 + i << ", " << jobs[i].name << ": " << fault;
        }
    }
}

}  // namespace solidtlm::testbench
