// SPDX-License-Identifier: Apache-2.0
//
// docs/metrics.md is what drives tell: page mapping with a recovery log and deduplication, and a block-mapped
// layer, have every part that counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "testbench/simulation/telemetry.h"
#include "testbench/simulation/test_support.h"

namespace solidtlm::testbench {
namespace {

constexpr std::array<const char*, 3> kKindNames{"counter", "state", "maximum"};

std::string row(const std::string& name, const hal::Metric& metric) {
    return "| `" + name + "` | " + std::string(metric.unit) + " | " +
           kKindNames[static_cast<std::size_t>(metric.kind)] + " | " + std::string(metric.what) + " |\n";
}

std::string table(const std::string& heading, const hal::Metrics& metrics) {
    std::string text = "\n## `" + heading + "`\n\n| name | unit | kind | meaning |\n|---|---|---|---|\n";
    std::string last;
    for (const auto& [name, metric] : metrics) {  // one row for all causes
        const std::size_t dot = name.rfind('.');
        const bool of_cause =
            std::ranges::find(hal::kCauseNames, name.substr(dot + 1)) != hal::kCauseNames.end();
        const std::string shown = of_cause ? name.substr(0, dot) + ".<cause>" : name;
        text += shown == last ? "" : row(shown, metric);
        last = shown;
    }
    return text;
}

std::string page(const DeviceTelemetry& telemetry) {
    return "# Metrics\n\n"
           "What a run counts, by name, in the sections `firmware` and `hardware` of a [result](result.md).\n"
           "Written by `MetricsPage` of `steady_window_test` with `SOLIDTLM_UPDATE_DOCS=1`, from what the\n"
           "blocks say beside their counters.\n\n"
           "A *counter* grows: after a warm-up it tells the difference, and power cuts do not set it back. "
           "A\n"
           "*state* is what is there at the end. A *maximum* is the largest value of the whole run. What "
           "ends\n"
           "in the name of a cause (`host`, `map`, `gc`, ...) is the part for that cause.\n" +
           table("firmware", telemetry.firmware) + table("hardware", telemetry.hardware);
}

/// Boots the firmware without simulating time.
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
    platform::Ssd blocks("blocks", preset("tiny", {"firmware.translation=fast"}));
    Nothing nothing;
    pages.age(nothing);
    blocks.age(nothing);
    DeviceTelemetry all = collect_telemetry(pages);
    all.firmware.add_past(collect_telemetry(blocks).firmware);
    const std::string file = std::string(SOLIDTLM_SOURCE_DIR) + "/docs/metrics.md";
    if (std::getenv("SOLIDTLM_UPDATE_DOCS") != nullptr) {
        std::ofstream(file) << page(all);
    }
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    EXPECT_TRUE(text.str() == page(all)) << "write the page anew: run this test with SOLIDTLM_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace solidtlm::testbench
