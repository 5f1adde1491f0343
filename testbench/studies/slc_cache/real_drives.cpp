// SPDX-License-Identifier: Apache-2.0
//
// Real drives with published values (docs/real-drives.md gives the source of each value of the gallery's
// drives). Flash times in SLC mode are not published for any of them; those of the study's given drive are
// used.
#include <fmt/format.h>

#include <cmath>

#include "testbench/studies/slc_cache/slc_cache.h"

namespace solidtlm::testbench::slc_cache {
namespace {

const std::vector<RealDrive>& all() {
    static const std::vector<RealDrive> drives{
        {"mx500",
         "Crucial MX500 1 TB (2017)",
         // 4 channels, 32 dies of 256 Gbit: TechPowerUp; pages, bus and times are guesses of the gallery.
         {"nand.cell=by_times", "ssd.over_provisioning=0.0905", "nand.geometry.channels=4",
          "nand.geometry.dies=8", "nand.geometry.planes=2", "nand.geometry.pages=512",
          "nand.geometry.spare_size=2208", "nand.bus.interface=nv_ddr2", "nand.bus.mode=8",
          "nand.timing.read=56.5us,77.5us,106us", "nand.timing.program=500us", "nand.timing.erase=3.5ms",
          "dram.size=1GiB", "core.frequency_mhz=400"},
         2048,
         32,
         "dynamic",
         64e9,
         {.cliff_gb = 64, .before = 500, .after = 400},
         "TechPowerUp, review of the MX500 1 TB, page 6: one thread, 1 MB sequential",
         "a guess of 500 us for tPROG lets 32 dies program faster in normal mode than the link delivers; the "
         "gallery has 2.55 ms, fitted to what S3 is about"},
        {"850_evo_250",
         "Samsung 850 EVO 250 GB (2014)",
         // 16 dies of 128 Gbit, over-provisioning: AnandTech 8747; channels, pages, bus and times are guesses
         // of the gallery.
         {"nand.cell=by_times", "ssd.over_provisioning=0.091", "nand.geometry.channels=8",
          "nand.geometry.dies=2", "nand.geometry.planes=2", "nand.geometry.pages=256",
          "nand.bus.interface=nv_ddr2", "nand.bus.mode=7", "nand.timing.read=45us,62us,85us",
          "nand.timing.program=1500us", "nand.timing.erase=3.5ms", "dram.size=512MiB",
          "dram.data_rate_mt_per_s=1066", "core.frequency_mhz=400"},
         2048,
         8,
         "static",
         3e9,
         {.cliff_gb = 3, .before = 520, .after = 300},
         "AnandTech 8747, page 2 (TurboWrite of 3 GB, 520 MB/s); PC Perspective, Samsung 750 EVO full "
         "capacity roundup, page 11 (about 300 MB/s behind it)",
         "the write buffer takes some more than the cache holds, and superblocks are whole"},
    };
    return drives;
}

/// A claim about the first burst of a drive. `value` reads it from a point, in the units of `published`;
/// nothing: the speed does not fall.
PublishedClaim claim_of(const RealDrive& drive, const char* id, const std::string& what, double published,
                        std::function<std::optional<double>(const Measured&)> value) {
    const auto measured = [name = drive.name, published, value](Points points) -> std::optional<Finding> {
        constexpr double kReproduced = 0.1;
        constexpr double kPartly = 0.2;
        const Selected of = select(points, {{"drive", name}});
        if (of.empty()) {
            return std::nullopt;
        }
        const std::optional<double> found = value(*of.front());
        if (!found) {
            return Finding{"it does not fall", Verdict::not_reproduced};
        }
        const double off = std::abs(*found / published - 1.0);
        return Finding{std::round(*found * 10.0) / 10.0, verdict_of(off <= kReproduced, off <= kPartly)};
    };
    return {id, drive.title + ": " + what, published, measured, drive.reason};
}

/// The speed of the whole burst if it does not change.
std::optional<double> speed(const Measured& point, const char* part) {
    return point.find("cliff_mb") ? point.find(part) : point.find("first_mb_per_s");
}

}  // namespace

std::vector<std::string> drive_names() {
    std::vector<std::string> names{std::string(kGiven)};
    for (const RealDrive& drive : all()) {
        names.push_back(drive.name);
    }
    return names;
}

const RealDrive* find_drive(const std::string& name) {
    const auto found = std::ranges::find(all(), name, &RealDrive::name);
    return found == all().end() ? nullptr : &*found;
}

std::string drive_title(const std::string& name) {
    const RealDrive* drive = find_drive(name);
    return drive == nullptr ? "The given drive"
                            : fmt::format("{}, 1/{} of it; {}", drive->title, drive->scale, drive->source);
}

std::vector<Claim> claims_of(Points points) {
    std::vector<PublishedClaim> claims;
    static const std::array<std::array<const char*, 3>, 2> ids{{{"S1", "S2", "S3"}, {"S4", "S5", "S6"}}};
    for (std::size_t i = 0; i < all().size(); ++i) {
        const RealDrive& drive = all()[i];
        claims.push_back(claim_of(
            drive, ids[i][0], "GB written until its speed falls (the cache's size is a setting)",
            drive.published.cliff_gb, [scale = drive.scale](const Measured& point) -> std::optional<double> {
                const auto buffered_mb = point.find("buffered_mb");
                if (!buffered_mb) {
                    return std::nullopt;
                }
                constexpr double kMbPerGb = 1000.0;
                const Knee knee{point.value("cliff_mb") * kMb};
                return scaled_knee(knee, *buffered_mb * kMb, scale) / kMb / kMbPerGb;
            }));
        claims.push_back(claim_of(drive, ids[i][1], "MB/s before", drive.published.before,
                                  [](const Measured& point) { return speed(point, "before_mb_per_s"); }));
        if (drive.published.after) {
            claims.push_back(claim_of(drive, ids[i][2], "MB/s behind it", *drive.published.after,
                                      [](const Measured& point) { return speed(point, "after_mb_per_s"); }));
        }
    }
    return judge(claims, points);
}

}  // namespace solidtlm::testbench::slc_cache
