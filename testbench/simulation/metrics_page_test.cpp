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
#include "testbench/simulation/telemetry.h"
#include "testbench/simulation/test_support.h"

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
           "What a run counts, by name, in the sections `firmware` and `hardware` of a [result](result.md).\n"
           "Written by `MetricsPage` of `run_test` with `SOLIDTLM_UPDATE_DOCS=1`, from what the\n"
           "blocks say beside their counters.\n\n"
           "A *counter* grows: after a warm-up it tells the difference, and power cuts do not set it back. "
           "A\n"
           "*state* is what is there at the end. A *maximum* is the largest value of the whole run. What "
           "ends\n"
           "in the name of a cause (`host`, `map`, `gc`, ...) or a stage (`array`, `ecc`, ...) is the part "
           "for\n"
           "that one, in that of an access to memory (`prd`, `data`, ...) for those. `adapter` is there "
           "with\n"
           "`host.interface=ahci` ([ahci.md](ahci.md)), `nvme` and `pcie` with `nvme` "
           "([nvme.md](nvme.md)), `device` and `link` with the others.\n"
           "What begins with `block_map`, `dedup`, `energy` or `map_cache` is in the section of that\n"
           "name, in part as ratios and means.\n" +
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
                                  "ssd.over_provisioning=0.6", "sata.power.partial_after=1ms"}));
    platform::Ssd nvme("nvme", preset("tiny", {"host.interface=nvme"}));
    Nothing nothing;
    for (platform::Ssd* ssd : {&pages, &cached, &blocks, &faulty, &nvme}) {
        ssd->age(nothing);
    }
    fw::MapCounters windows;
    windows.choose_window(64);
    DeviceTelemetry all = collect_telemetry(pages);
    windows.tell(all.firmware);
    Told firmware;
    for (const hal::Metrics& told :
         {all.firmware, collect_telemetry(cached).firmware, collect_telemetry(blocks).firmware,
          collect_telemetry(faulty).firmware}) {
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
