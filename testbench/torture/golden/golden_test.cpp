// SPDX-License-Identifier: Apache-2.0
//
// Golden results: short runs on aged drives, one for each subsystem, whose simulated numbers must not change
// unnoticed. Each run proves that its subsystem was at work. A change of speed, of structure or of a recorder
// leaves the numbers alone. To change them on purpose, run scripts/update-golden and list the numbers before
// and after in CHANGELOG.md under "Results changed".
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <vector>

#include "fw/testing/places.h"
#include "testbench/sim/files/output_file.h"
#include "testbench/sim/host_settings.h"
#include "testbench/sim/request_source.h"
#include "testbench/sim/test_support.h"
#include "testbench/torture/golden/recorded_numbers.h"

namespace solidtlm::testbench {
namespace {

struct Case {
    const char* name;
    const char* preset;
    std::vector<std::string> settings;
    const char* precondition;
    const char* workload;                ///< or `trace`, below
    const char* trace;                   ///< below traces/
    std::vector<const char*> exercised;  ///< numbers that are more than 0 where the subsystem was at work
    const char* pacing = "";
    std::uint64_t limit = 0;
    Ps power_cut_every{0};
};

void PrintTo(const Case& test_case, std::ostream* out) {
    *out << test_case.name;
}

constexpr const char* kFull = "fill=1,random=1";

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        {"page_map",
         "tiny",
         {},
         kFull,
         "random,read=0.3,size=4k:2/16k:1/512:1,align=512,fua=0.05,trim=0.05,flush=100,count=6000",
         "",
         {"firmware.gc.moved_units", "firmware.gc.erased_superblocks", "host.flush.count",
          "energy.parts_j.nand.erase"}},
        {"trim_copy_back",
         "tiny",
         {"content=bytes", "firmware.gc.policy=d_choices", "firmware.gc.copy_back=true",
          "firmware.allocation.mode=static", "firmware.allocation.order=CWDP",
          "firmware.allocation.striping=none", "firmware.write_buffer.policy=write_through"},
         kFull,
         "random,read=0.4,size=8k,align=8k,trim=0.01,trim_size=16k,trim_queued=true,count=6000",
         "",
         {"firmware.gc.copied_back_superpages", "firmware.host.trimmed_units", "host.trim.count"}},
        {"map_cache",
         "tiny",
         {"firmware.map_cache.policy=dftl", "firmware.map_cache.size=2KiB"},
         kFull,
         "random,read=0.3,size=4k:2/16k:1,count=4000",
         "",
         {"map_cache.hits", "map_cache.misses", "map_cache.evictions_dirty", "map_cache.flash.write_backs",
          "map_cache.flash.erases"}},
        {"deduplication",
         "tiny",
         {"firmware.dedup.system=online"},
         "fill=0.9,random=1",
         "random,read=0.3,size=4k,duplicates=0.4,count=6000",
         "",
         {"dedup.fingerprints", "dedup.duplicates", "dedup.shared_pages", "firmware.gc.victims"}},
        {"block_map",
         "tiny",
         {"firmware.translation=fast"},
         kFull,
         "random,read=0.3,size=4k,count=3000",
         "",
         {"block_map.merges.partial", "block_map.merges.full", "block_map.merge_programs"}},
        {"faults",
         "tiny",
         {"faults.bit_errors=true", "faults.cycles=1500", "faults.age=30d", "nand.ecc.retries=6",
          "nand.ecc.correctable_bits=50", "faults.program_failure=0.0003"},
         kFull,
         "random,read=0.5,size=4k:2/16k:1,count=3000",
         "",
         {"hardware.flash.retries.reads", "hardware.flash.retries.recovered",
          "hardware.flash.faults.program_failures", "firmware.ftl.retired_superblocks"}},
        {"parity",
         "tiny",
         {"nand.geometry.channels=4", "nand.geometry.blocks=32", "ssd.over_provisioning=0.6",
          "firmware.reliability.parity_dies=4", "faults.script=die 1/0 dies at 20ms"},
         kFull,
         "random,read=0.5,size=4k:2/16k:1,count=4000",
         "",
         {"firmware.parity.pages", "firmware.parity.rebuilt_pages", "firmware.ftl.program_failures"}},
        {"power_cut",
         "tiny",
         {},
         kFull,
         "random,read=0.3,size=4k:2/16k:1,count=6000",
         "",
         {"power.cuts", "power.lost_commands", "power.scanned_superpages", "power.torn_superpages",
          "nand.by_cause.recovery.reads"},
         "",
         0,
         std::chrono::milliseconds(20)},
        {"ahci",
         "tiny",
         {"content=bytes", "host.interface=ahci"},
         kFull,
         "random,read=0.3,size=4k:2/16k:1,count=6000",
         "",
         {"ledger.stages_us.hba_fetch", "ledger.stages_us.hba_dma", "firmware.gc.victims"}},
        {"nvme",
         "tiny",
         {"host.interface=nvme", "host.nvme.queues=2"},
         kFull,
         "random,read=0.3,size=4k:2/16k:1,fua=0.05,trim=0.05,flush=100,count=6000",
         "",
         {"ledger.stages_us.doorbell", "ledger.stages_us.sq_fetch", "hardware.nvme.messages",
          "hardware.pcie.up_busy_us", "firmware.host.trimmed_units", "firmware.gc.victims"}},
        {"trace_recorded",
         "tiny",
         {"sata.generation=gen2"},
         kFull,
         "",
         "ahci_ext4.cmds.xz",
         {"host.read.count", "host.write.count", "firmware.gc.victims"},
         "recorded_depth",
         5000},
        {"trace_open",
         "tiny",
         {},
         kFull,
         "",
         "sample.nbd.xz",
         {"host.read.count", "host.write.count", "host.flush.count", "firmware.gc.victims"},
         "open",
         5000},
        {"enterprise",
         "enterprise",
         {"nand.geometry.blocks=12", "nand.geometry.pages=32", "ssd.over_provisioning=0.4"},
         kFull,
         "random,read=0.5,size=4k:1/16k:1,count=12000",
         "",
         {"hardware.flash.suspends", "hardware.dram.row_conflicts", "firmware.gc.victims"}},
        {"qlc",
         "qlc",
         {"nand.geometry.blocks=16", "nand.geometry.pages=64", "ssd.over_provisioning=0.45",
          "firmware.slc_cache.size=8MB", "firmware.slc_cache.static_size=2MB"},
         kFull,
         "random,read=0.5,size=4k:1/16k:1,count=20000",
         "",
         {"firmware.slc_cache.written_units", "firmware.slc_cache.bypassed_units",
          "firmware.slc_cache.folded_units", "firmware.gc.victims"}},
        {"tlc_dramless",
         "tlc_dramless",
         {"nand.geometry.blocks=16", "nand.geometry.pages=48", "ssd.over_provisioning=0.5",
          "firmware.map_cache.size=8KiB", "firmware.slc_cache.size=8MB"},
         kFull,
         "random,read=0.5,size=4k:1/16k:1,count=12000",
         "",
         {"map_cache.misses", "map_cache.flash.write_backs", "firmware.slc_cache.written_units",
          "firmware.gc.victims"}},
    };
    return all;
}

Json run(const Case& test_case, bool check_protocol) {
    RunSpec spec;
    spec.configuration = preset(test_case.preset, test_case.settings);
    if (test_case.trace[0] != '\0') {
        spec.traces = {source_path(std::string("traces/") + test_case.trace)};
        spec.fit = "scale";
    }
    spec.workload = test_case.workload;
    spec.pacing = test_case.pacing;
    spec.limit = test_case.limit;
    spec.precondition = parse_preconditioning(test_case.precondition);
    spec.power_cuts.every = test_case.power_cut_every;
    const auto source = make_request_source(spec);
    RunHooks hooks{.scenario = "golden"};
    hooks.check_protocol = check_protocol;
    SimulationOutcome outcome = simulate(spec, *source, *make_pacing(spec), hooks);
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    return std::move(outcome.result);
}

double value_of(const Numbers& numbers, const std::string& path) {
    const auto found = numbers.find(path);
    EXPECT_NE(found, numbers.end()) << path << " is not in the result";
    return found == numbers.end() ? 0.0 : std::stod(found->second);
}

/// The run used flash heavily, and it used the subsystem under test.
void expect_exercised(const Case& test_case, const Numbers& numbers) {
    for (const char* path : {"nand.reads", "nand.programs", "nand.erases", "verify.reads_checked"}) {
        EXPECT_GT(value_of(numbers, path), 100.0) << path;
    }
    constexpr double kMostUnwritten = 0.05;
    EXPECT_LT(value_of(numbers, "firmware.host.read_unwritten_units"),
              kMostUnwritten * value_of(numbers, "firmware.host.read_units"))
        << "most reads must find data";
    for (const char* path : test_case.exercised) {
        EXPECT_GT(value_of(numbers, path), 0.0) << path;
    }
}

std::filesystem::path folder() {
    return source_path("testbench/torture/golden/expected");
}

std::filesystem::path recorded(const Case& test_case) {
    return folder() / (std::string(test_case.name) + ".txt");
}

void expect_recorded(const Case& test_case, const Numbers& found) {
    std::ifstream file(recorded(test_case));
    ASSERT_TRUE(file) << recorded(test_case) << " is missing: scripts/update-golden records it";
    const NumberDifferences different = differences(read_numbers(file), found);
    for (const std::string& added : different.added) {
        std::cout << added << '\n';
    }
    for (const std::string& fault : different.faults) {
        ADD_FAILURE() << fault;
    }
    EXPECT_TRUE(different.faults.empty())
        << "Simulated results changed. If that is meant: scripts/update-golden, and the numbers before and "
           "after in CHANGELOG.md.";
}

class Golden : public ::testing::TestWithParam<Case> {};

TEST_P(Golden, SimulatedResultsAreThoseRecorded) {
    const Numbers found = numbers_of(run(GetParam(), false));
    expect_exercised(GetParam(), found);
    if (std::getenv("SOLIDTLM_UPDATE_GOLDEN") != nullptr) {
        std::ostringstream text;
        write_numbers(found, text);
        write_file_atomically(recorded(GetParam()), text.str());
        return;
    }
    expect_recorded(GetParam(), found);
}

/// With protocol checkers at the sockets, blocks exchange payloads; without them, they call each other
/// directly.
TEST_P(Golden, CheckedProtocolsChangeNoNumber) {
    expect_recorded(GetParam(), numbers_of(run(GetParam(), true)));
}

INSTANTIATE_TEST_SUITE_P(Runs, Golden, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(GoldenFiles, BelongToARun) {
    std::set<std::string> names;
    for (const Case& test_case : cases()) {
        names.insert(std::string(test_case.name) + ".txt");
    }
    for (const auto& file : std::filesystem::directory_iterator(folder())) {
        EXPECT_TRUE(names.contains(file.path().filename().string())) << file.path();
    }
}

}  // namespace
}  // namespace solidtlm::testbench
