// SPDX-License-Identifier: Apache-2.0
//
// Golden results: small runs of different kinds whose simulated results must not change unnoticed. A change
// of speed, of structure or of a recorder leaves them alone. Whoever means to change them runs
// scripts/update-golden and says so in CHANGELOG.md under "Results changed".
//
// What a file in expected/ holds: numbers that a person can compare, the firmware's counters, and a hash of
// what else the run simulated. What is added to results later (a key of the configuration, a counter, a
// section) changes nothing here.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "fw/testing/places.h"
#include "testbench/cli/command_line.h"
#include "testbench/files/output_file.h"
#include "testbench/simulation/host_settings.h"
#include "testbench/simulation/request_source.h"
#include "testbench/simulation/test_support.h"

namespace solidtlm::testbench {
namespace {

struct Case {
    const char* name;
    const char* preset;
    std::vector<std::string> settings;
    std::string workload;    ///< or
    const char* trace = "";  ///< below traces/
    const char* pacing = "";
    std::uint64_t limit = 0;
};

void PrintTo(const Case& test_case, std::ostream* out) {
    *out << test_case.name;
}

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        {"default_mix", "default", {}, "random,read=0.6,size=4k:3/64k:1,trim=0.02,trim_size=64k,count=20000"},
        {"default_read_back",
         "default",
         {"firmware.write_buffer.size=1MiB", "content=none"},
         "sequential,read=0.5,size=128k,range=0-64MiB,count=6000"},
        {"tiny_greedy",
         "tiny",
         {},
         "random,read=0.3,size=4k:2/16k:1/512:1,align=512,fua=0.05,trim=0.05,flush=100,count=8000"},
        {"tiny_static_fifo_wear",
         "tiny",
         {"firmware.allocation.mode=static", "firmware.allocation.order=CWDP", "firmware.gc.policy=fifo",
          "firmware.wear.static_threshold=4"},
         "hotcold,read=0.4,size=4k,trim=0.02,trim_queued=yes,count=12000"},
        {"tiny_bytes_copy_back",
         "tiny",
         {"content=bytes", "firmware.gc.policy=d_choices", "firmware.gc.copy_back=true",
          "firmware.allocation.striping=none"},
         "random,read=0.3,size=8k,align=8k,count=4000"},
        {"enterprise_suspend",
         "enterprise",
         {"firmware.write_buffer.size=4MiB"},
         "random,read=0.7,size=4k:1/16k:1,range=0-32MiB,count=12000"},
        {"agrawal_write_through",
         "agrawal",
         {"firmware.write_buffer.policy=write_through"},
         "random,read=0.5,size=4k,range=0-16MiB,rate=20k,arrival=exponential,count=8000"},
        {"jasmine_static", "jasmine", {}, "random,read=0.5,size=32k,align=32k,range=0-64MiB,count=4000"},
        {"trace_open", "default", {}, "", "sample.nbd.xz", "open", 12000},
        {"trace_recorded", "default", {"sata.generation=gen2"}, "", "ahci_ext4.cmds.xz", "recorded", 20000},
    };
    return all;
}

/// FNV-1a, 64 bits.
std::string hash(const std::string& text) {
    std::uint64_t value = 0xCBF29CE484222325U;
    for (const char letter : text) {
        value = (value ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
    }
    std::ostringstream hex;
    hex << std::hex << value;
    return hex.str();
}

Json run(const Case& test_case) {
    CommandLine line;
    line.configuration = preset(test_case.preset, test_case.settings);
    if (test_case.trace[0] != '\0') {
        line.traces = {source_path(std::string("traces/") + test_case.trace)};
    }
    line.workload = test_case.workload;
    line.pacing = test_case.pacing;
    line.limit = test_case.limit;
    const auto source = make_request_source(line);
    const HostSettings host = host_settings(line);
    SimulationSettings settings;
    settings.scenario = "golden";
    settings.configuration = line.configuration;
    settings.host = host.config;
    settings.quiet = true;
    settings.check_protocol = true;
    SimulationOutcome outcome = simulate(settings, *source, *host.pacing);
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    return std::move(outcome.result);
}

/// What is stored of a result.
Json extract(const Json& result) {
    const Json& host = result.at("host");
    const Json& nand = result.at("nand");
    Json stored{
        {"sim_time_s", result.at("sim_time_s")},
        {"requests", host.at("requests")},
        {"mb_per_s", host.at("mb_per_s")},
        {"latency_us", host.at("latency_us")},
        {"nand",
         {{"reads", nand.at("reads")}, {"programs", nand.at("programs")}, {"erases", nand.at("erases")}}},
        {"write_amplification", result.at("write_amplification")}};
    stored["firmware"] = result.at("firmware");
    for (const char* section : {"host", "ledger", "nand", "verify"}) {
        stored["hash"][section] = hash(to_text(result.at(section)));
    }
    for (const char* part : {"link", "core", "dram", "channels", "dies"}) {
        stored["hash"]["utilization"][part] = hash(to_text(result.at("utilization").at(part)));
    }
    return stored;
}

class Golden : public ::testing::TestWithParam<Case> {};

TEST_P(Golden, SimulatedResultsAreThoseRecorded) {
    const std::filesystem::path path =
        source_path("testbench/golden/expected/" + std::string(GetParam().name) + ".json");
    Json found = extract(run(GetParam()));
    if (std::getenv("SOLIDTLM_UPDATE_GOLDEN") != nullptr) {
        write_file_atomically(path, to_text(found));
        GTEST_SKIP() << "recorded anew";
    }
    std::ifstream file(path);
    const Json expected = Json::parse(file);
    Json counters = Json::object();
    for (const auto& [name, value] : expected.at("firmware").items()) {  // others came later
        counters[name] = found.at("firmware").value(name, Json());
    }
    found["firmware"] = std::move(counters);
    EXPECT_EQ(to_text(found), to_text(expected)) << "Simulated results changed. If that is meant: "
                                                    "scripts/update-golden, and the numbers before and after "
                                                    "in CHANGELOG.md.";
}

INSTANTIATE_TEST_SUITE_P(Runs, Golden, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace solidtlm::testbench
