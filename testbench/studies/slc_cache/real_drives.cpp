// SPDX-License-Identifier: Apache-2.0
//
// Drives of the gallery whose SLC caches were observed from outside (docs/real-drives.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "testbench/show/text_table.h"
#include "testbench/studies/slc_cache/slc_cache.h"

namespace solidtlm::testbench::slc_cache {
namespace {

std::vector<RealDrive> read_all() {
    std::vector<RealDrive> drives;
    for (const std::string& name : gallery::drive_names()) {
        const gallery::Drive drive = gallery::read_drive(name);
        for (const gallery::Campaign& campaign : drive.campaigns) {
            for (const gallery::Test& test : campaign.tests) {
                RealDrive real{drive, campaign, test};
                if (test.burst && real.published(kSeen.front().metric)) {
                    drives.push_back(std::move(real));
                }
            }
        }
    }
    return drives;
}

const std::vector<RealDrive>& all() {
    static const std::vector<RealDrive> drives = read_all();
    return drives;
}

/// The point of a drive; null: not measured.
const Measured* point_of(Points points, const RealDrive& drive) {
    return find(points, {{"drive", drive.drive.name}});
}

}  // namespace

std::optional<double> RealDrive::published(std::string_view metric) const {
    const std::vector<gallery::Published>& figures = test.rows.front().figures;
    const auto found = std::ranges::find(figures, metric, &gallery::Published::metric);
    return found == figures.end() ? std::nullopt : std::optional(found->value);
}

bool RealDrive::fitted(const std::string& metric) const {
    const std::string row =
        fmt::format("{}/{}/{}/{}", drive.name, campaign.name, test.name, test.rows.front().depth);
    return has(gallery::fitted_metrics(row, drive, campaign, test), metric);
}

std::vector<std::string> drive_names() {
    std::vector<std::string> names{std::string(kGiven)};
    for (const RealDrive& real : all()) {
        names.push_back(real.drive.name);
    }
    return names;
}

const RealDrive* find_drive(const std::string& name) {
    const auto found =
        std::ranges::find_if(all(), [&](const RealDrive& real) { return real.drive.name == name; });
    return found == all().end() ? nullptr : &*found;
}

std::string drive_title(const std::string& name) {
    const RealDrive* real = find_drive(name);
    return real == nullptr ? "The given drive"
                           : fmt::format("{}, 1/{} of it; {}", real->drive.title, scale_of(real->drive),
                                         real->campaign.source);
}

std::vector<Claim> claims_of(Points points) {
    constexpr double kReproduced = 0.1;
    constexpr double kPartly = 0.2;
    std::vector<Claim> claims;
    std::size_t number = 0;
    for (const RealDrive& real : all()) {
        for (const Seen& seen : kSeen) {
            const std::optional<double> published = real.published(seen.metric);
            if (!published || real.fitted(seen.metric)) {
                continue;
            }
            const std::string id = fmt::format("S{}", ++number);
            if (const Measured* point = point_of(points, real); point != nullptr) {
                const double found = point->value(seen.metric);
                const double off = std::abs(found / *published - 1.0);
                claims.push_back({id, fmt::format("{}: {}", real.drive.title, seen.what), *published,
                                  std::round(found * 10.0) / 10.0,
                                  verdict_of(off <= kReproduced, off <= kPartly), ""});
            }
        }
    }
    return claims;
}

std::string real_drives_table(Points points, const TextStyle& style) {
    TextTable table;
    table.column("drive", Align::left);
    table.column("figure", Align::left);
    for (const char* heading : {"published", "model", "error %"}) {
        table.column(heading, Align::right);
    }
    table.column("", Align::left);
    bool any = false;
    for (const RealDrive& real : all()) {
        const Measured* point = point_of(points, real);
        for (const Seen& seen : kSeen) {
            const std::optional<double> published = real.published(seen.metric);
            if (point == nullptr || !published) {
                continue;
            }
            any = true;
            const std::optional<double> model = point->find(seen.metric);
            table.row({real.drive.title, seen.what, fmt::format("{:.1f}", *published),
                       model ? fmt::format("{:.1f}", *model) : "it does not fall",
                       model ? fmt::format("{:+.1f}", 100.0 * (*model / *published - 1.0)) : "-",
                       real.fitted(seen.metric) ? "fitted" : ""});
        }
    }
    return any ? "\n" + style.bold("Real drives") + "\n" + table.render(style) : "";
}

}  // namespace solidtlm::testbench::slc_cache
