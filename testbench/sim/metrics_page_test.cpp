// SPDX-License-Identifier: Apache-2.0
//
// docs/metrics.md lists the metrics that drives report. The following drives have every part that counts:
// page mapping with a recovery log and deduplication; with a map cache and a read cache; on flash that fails,
// with an SLC cache and a link that sleeps; a block-mapped layer; an NVMe drive.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "fw/map_cache/map_counters.h"
#include "fw/testing/places.h"
#include "hw/ahci/hba.h"
#include "testbench/sim/telemetry.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

constexpr std::array<const char*, 3> kKindNames{"counter", "state", "maximum"};

using Told = std::map<std::string, hal::Metric>;

/// `name` in the form of the row that covers all causes, stages or window sizes.
std::string shown_as(const std::string& name) {
    const std::size_t dot = name.rfind('.') + 1;
    const std::string end = name.substr(dot);
    const auto among = [&end](const auto& names) { return std::ranges::find(names, end) != names.end(); };
    const char* any = among(hal::kCauseNames)                           ? "<cause>"
                      : among(hal::kStageNames)                         ? "<stage>"
                      : among(hw::ahci::kDmaKindNames)                  ? "<access>"
                      : end.find_first_not_of("0123456789") == end.npos ? "<entries>"
                                                                        : nullptr;
    return any != nullptr ? name.substr(0, dot) + any : name;
}

std::string table(const std::string& heading, const Told& metrics) {
    std::string text = "\n## `" + heading + "`\n\n| name | unit | kind | meaning |\n|---|---|---|---|\n";
    Told rows;
    for (const auto& [name, metric] : metrics) {
        rows.try_emplace(shown_as(name), metric);
    }
    for (const auto& [name, metric] : rows) {
        text += "| `" + name + "` | " + std::string(metric.unit) + " | " +
                kKindNames[static_cast<std::size_t>(metric.kind)] + " | " + std::string(metric.what) + " |\n";
    }
    return text;
}

std::string page(const Told& firmware, const Told& hardware) {
    return "# Metrics\n\n"
           "The sections `firmware` and `hardware` of a [result](result.md) hold these metrics by name. This "
           "page\n"
           "is generated from what each block declares beside its counters: run the test `MetricsPage` with\n"
           "`SOLIDTLM_UPDATE_DOCS=1`.\n\n"
           "- A *counter* grows, also over power cuts. With a warm-up, the result has its growth since "
           "then.\n"
           "- A *state* is a value at the end of the run, a *maximum* the largest value in the whole run.\n"
           "- `<cause>`, `<stage>` and `<access>` stand for the names of causes (`host`, `map`, `gc`, ...), "
           "of\n"
           "  stages of the ledger (`array`, `ecc`, ...) and of kinds of access to memory (`prd`, `data`, "
           "...).\n"
           "- `device` and `link` exist with SATA, `adapter` with `host.interface=ahci` "
           "([ahci.md](ahci.md)),\n"
           "  `nvme` and `pcie` with `host.interface=nvme` ([nvme.md](nvme.md)).\n"
           "- Metrics whose names begin with `block_map`, `dedup`, `energy` or `map_cache` are in sections "
           "of\n"
           "  these names, some of them as ratios or means.\n" +
           table("firmware", firmware) + table("hardware", hardware);
}

/// A feed without commands, to boot the firmware in zero simulated time.
struct Nothing : hw::UntimedFeed {
    bool next(hal::HostCommand& /*command*/, const hw::UntimedStatistics& /*so_far*/) override {
        return false;
    }
    void content(const hal::HostCommand& /*command*/, std::uint32_t /*first*/,
                 std::span<std::byte> /*sectors*/) override {}
};

TEST(MetricsPage, ThePageInDocsIsTheGeneratedOne) {
    platform::Ssd pages("pages", preset("tiny", {"firmware.dedup.system=online", "content=tags",
                                                 "firmware.trim.persist=journal"}));
    platform::Ssd cached("cached",
                         preset("tiny", {"firmware.map_cache.policy=bsb", "firmware.read_cache.size=2MiB"}));
    platform::Ssd blocks("blocks", preset("tiny", {"firmware.translation=fast"}));
    platform::Ssd faulty(
        "faulty", preset("tiny", {"faults.bit_errors=true", "nand.ecc.retries=1",
                                  "firmware.reliability.reclaim_bits=50", "firmware.reliability.patrol=1ms",
                                  "nand.cell=mlc", "nand.slc.read=20us", "nand.slc.program=200us",
                                  "firmware.slc_cache.mode=static", "firmware.slc_cache.size=1",
                                  "firmware.slc_cache.largest_write=64KiB", "ssd.over_provisioning=0.6",
                                  "sata.power.partial_after=1ms"}));
    platform::Ssd parity("parity",
                         preset("tiny", {"firmware.reliability.parity_dies=2", "ssd.over_provisioning=0.6"}));
    platform::Ssd nvme("nvme", preset("tiny", {"host.interface=nvme"}));
    platform::Ssd copying("copying", preset("tiny", {"firmware.word_lines.protect=backup", "nand.cell=mlc",
                                                     "nand.slc.read=20us", "nand.slc.program=200us",
                                                     "ssd.over_provisioning=0.6"}));
    Nothing nothing;
    for (platform::Ssd* ssd : {&pages, &cached, &blocks, &faulty, &parity, &copying, &nvme}) {
        ssd->age(nothing);
    }
    fw::MapCounters windows;
    windows.choose_window(64);
    DeviceTelemetry all = collect_telemetry(pages);
    windows.tell(all.firmware);
    Told firmware;
    for (const hal::Metrics& told :
         {all.firmware, collect_telemetry(cached).firmware, collect_telemetry(blocks).firmware,
          collect_telemetry(faulty).firmware, collect_telemetry(parity).firmware,
          collect_telemetry(copying).firmware}) {
        firmware.insert(told.begin(), told.end());
    }
    hw::AhciStatistics{}.tell(all.hardware);
    Told hardware(all.hardware.begin(), all.hardware.end());
    const hal::Metrics of_faulty = collect_telemetry(faulty).hardware;
    hardware.insert(of_faulty.begin(), of_faulty.end());
    const hal::Metrics of_nvme = collect_telemetry(nvme).hardware;
    hardware.insert(of_nvme.begin(), of_nvme.end());
    const std::string expected = page(firmware, hardware);
    const std::string file = source_path("docs/metrics.md");
    if (std::getenv("SOLIDTLM_UPDATE_DOCS") != nullptr) {
        std::ofstream(file) << expected;
    }
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    EXPECT_TRUE(text.str() == expected) << "update the page: run this test with SOLIDTLM_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace solidtlm::testbench
