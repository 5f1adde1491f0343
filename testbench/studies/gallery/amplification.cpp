// SPDX-License-Identifier: Apache-2.0
//
// Write amplification (WA) computed from published rates. Vendors publish no write amplification, but two
// rates. Where the channels limit both, a steady random write of one byte moves 2 WA - 1 bytes over the
// channels (the host's program, and one read and one program for each of the WA - 1 bytes that collection
// moves); a sequential write of one byte moves 1. So WA = (sequential / random + 1) / 2.
#include <fmt/format.h>

#include <algorithm>

#include "testbench/studies/gallery/gallery.h"
#include "testbench/studies/kit/tables.h"

namespace solidtlm::testbench::gallery {

std::vector<std::string> families_of(const std::vector<Drive>& drives) {
    std::vector<std::string> families;
    for (const Drive& drive : drives) {
        if (!drive.family.empty() && !has(families, drive.family)) {
            families.push_back(drive.family);
        }
    }
    return families;
}

std::string amplification_table(Points points, const std::vector<Drive>& drives, const TextStyle& style) {
    // of the link's rate: above it, the link limits sequential writes, and they say nothing about the
    // channels
    constexpr double kLimit = 0.95;
    TextTable table;
    table.column("drive", Align::left);
    for (const char* heading :
         {"over-provisioning", "sequential, MB/s", "random, MB/s", "WA of these", "model"}) {
        table.column(heading, Align::right);
    }
    table.column("error %", Align::right);
    bool any = false;
    for (const Drive& drive : drives) {
        for (const Selected& campaign :
             groups_of(select(points, {{"drive", drive.name}, {"guess", nullptr}}), {"campaign"})) {
            const Selected random = select(campaign, {{"test", "random-write-steady"}});
            const Selected sequential = select(campaign, {{"test", "sequential-write"}});
            if (drive.family.empty() || random.empty() || sequential.empty()) {
                continue;
            }
            const double together = sequential.front()->value("published_bandwidth");
            const double alone = random.front()->value("published_bandwidth");
            const double implied = (together / alone + 1.0) / 2.0;
            const double model = random.front()->value("write_amplification");
            const bool least = sequential.front()->value("link") > kLimit;
            any = true;
            table.row({drive.name + ", " + campaign.front()->text("campaign"),
                       fmt::format("{:.3f}", random.front()->value("over_provisioning")),
                       fmt::format("{:.0f}", together), fmt::format("{:.0f}", alone),
                       fmt::format("{}{:.2f}", least ? "at least " : "", implied),
                       fmt::format("{:.2f}", model),
                       least ? "-" : fmt::format("{:+.1f}", kPercent * (model / implied - 1.0))});
        }
    }
    return any ? "\n" + style.bold("Write amplification that published rates imply, and the model's") + "\n" +
                     table.render(style)
               : "";
}

}  // namespace solidtlm::testbench::gallery
