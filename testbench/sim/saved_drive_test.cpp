// SPDX-License-Identifier: Apache-2.0
//
// Drives that are saved, loaded, and used again.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <cereal/archives/portable_binary.hpp>
#include <filesystem>
#include <ostream>
#include <random>
#include <sstream>

#include "fw/testing/files.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/files/zstd_stream.h"
#include "testbench/sim/save/drive_file.h"
#include "testbench/sim/save/sha256.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

class SavedDrive : public ::testing::Test {
  protected:
    /// One session: loads the drive unless it is the first, works, and saves. The verifier checks what the
    /// previous session left.
    [[nodiscard]] PointJob session(const platform::Configuration& configuration, std::uint64_t seed,
                                   int number, Shutdown shutdown) const {
        return {"seed " + std::to_string(seed) + " session " + std::to_string(number), [=, this] {
                    RunSpec settings = run_of(configuration);
                    const fs::path file = folder_ / std::to_string(seed);
                    settings.load_state = number == 0 ? fs::path{} : file;
                    settings.save_state = file;
                    settings.shutdown = shutdown;
                    if (number % 3 > 0) {
                        settings.boot =
                            number % 3 == 1 ? platform::Start::boot_instant : platform::Start::boot_timed;
                    }
                    RandomMix::Shares shares;
                    shares.requests = 300;
                    shares.fill = number == 0;
                    RandomMix source(seed * 10 + static_cast<std::uint64_t>(number),
                                     configuration.firmware.exported_sectors, shares);
                    return simulate(settings, source, ClosedLoop(8));
                }};
    }

    TemporaryFolder folder_;
};

std::vector<PointOutcome> expect_sound(const std::vector<PointJob>& jobs) {
    std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        EXPECT_EQ(outcomes[i].outcome.faults, std::vector<std::string>()) << jobs[i].name;
        EXPECT_GT(outcomes[i].outcome.result["verify"]["reads_checked"], 10) << jobs[i].name;
    }
    return outcomes;
}

Shutdown shutdown_of(std::uint64_t number) {
    return std::array{Shutdown::clean, Shutdown::cut, Shutdown::sleep}[number % 3];
}

// Drives with every way of shutting down, three times in a row.
TEST_F(SavedDrive, HoldsWhatItHeld) {
    constexpr std::uint64_t kDrives = 16;
    constexpr int kSessions = 4;
    for (int number = 0; number < kSessions; ++number) {
        std::vector<PointJob> jobs;
        for (std::uint64_t seed = 1; seed <= kDrives; ++seed) {
            jobs.push_back(session(random_variant(seed), seed, number, shutdown_of(seed + number)));
        }
        for (const PointOutcome& each : expect_sound(jobs)) {
            EXPECT_EQ(each.outcome.result.contains("power"), number == 2) << "a boot that took its time";
        }
    }
}

// Data that a power cut must not destroy, with map cache, deduplication, trims, parity, faults and bytes as
// the options say.
TEST_F(SavedDrive, KeepsItsDataWithEveryOption) {
    const std::vector<std::vector<std::string>> drives{
        {"firmware.map_cache.policy=dftl", "firmware.map_cache.size=4KiB"},
        {"firmware.map_cache.policy=tafp", "firmware.map_cache.size=4KiB", "firmware.gc.copy_back=true"},
        {"firmware.dedup.system=offline"},
        {"firmware.dedup.system=online", "firmware.dedup.protection=journal"},
        {"firmware.trim.persist=journal"},
        {"firmware.trim.persist=immediate", "firmware.recovery.checkpoint_interval=200"},
        {"nand.geometry.dies=4", "firmware.reliability.parity_dies=2", "firmware.allocation.order=PCWD",
         "ssd.over_provisioning=0.6"},
        {"faults.program_failure=0.001", "faults.erase_failure=0.001", "nand.geometry.blocks=32"},
        {"content=bytes"},
    };
    for (int number = 0; number < 3; ++number) {
        std::vector<PointJob> jobs;
        for (std::size_t i = 0; i < drives.size(); ++i) {
            jobs.push_back(session(preset("tiny", drives[i]), 100 + i, number, shutdown_of(i + number)));
        }
        expect_sound(jobs);
    }
}

// The host waits until the firmware is at rest before it cuts power, so no program or erase is under way that
// the cut could tear, nor any word line with it that holds earlier data.
TEST_F(SavedDrive, HasNoTornPagesAfterACleanShutdown) {
    for (const std::vector<std::string>& drive :
         {std::vector<std::string>{}, {"nand.cell=mlc", "nand.power_cut=word_line"}}) {
        const platform::Configuration configuration = preset("tiny", drive);
        constexpr std::uint64_t kDrives = 6;
        std::vector<PointJob> fill;
        std::vector<PointJob> boot;
        for (std::uint64_t seed = 1; seed <= kDrives; ++seed) {
            fill.push_back(session(configuration, seed, 0, Shutdown::clean));
            boot.push_back(
                session(configuration, seed, 2, Shutdown::sleep));  // with a boot that takes its time
        }
        expect_sound(fill);
        for (const PointOutcome& each : expect_sound(boot)) {
            EXPECT_GT(each.outcome.result["power"]["scanned_superpages"], 0);
            EXPECT_EQ(each.outcome.result["power"]["torn_superpages"], 0);
        }
    }
}

// What the host has set is not part of the drive: the next host finds what IDENTIFY says after power-on, in
// the interface and in firmware. Otherwise data that the drive calls durable would be lost with the cut, or
// each write would take a program.
TEST_F(SavedDrive, HasTheWriteCacheOfPowerOnWhenItIsLoaded) {
    for (const bool at_first : {true, false}) {
        const platform::Configuration drive =
            preset("tiny", {at_first ? "sata.write_cache=true" : "sata.write_cache=false"});
        const auto job = [&](bool first) {
            return PointJob{"cache", [&drive, this, at_first, first] {
                                RunSpec settings = run_of(drive);
                                const fs::path file = folder_ / "cache";
                                settings.load_state = first ? fs::path() : file;
                                settings.save_state = file;
                                settings.shutdown = first ? Shutdown::sleep : Shutdown::cut;
                                RunHooks hooks;
                                if (first) {
                                    hooks.host.write_cache = !at_first;
                                }
                                RandomMix::Shares shares;
                                shares.requests = 100;
                                shares.max_sectors = 8;
                                shares.fill = false;
                                RandomMix source(first ? 1 : 2, drive.firmware.exported_sectors, shares);
                                return simulate(settings, source, ClosedLoop(1), hooks);
                            }};
        };
        const double program_us = static_cast<double>(drive.nand.timing.program.front().count()) / 1e6;
        for (const bool first : {true, false}) {
            const bool cached = at_first != first;
            const Json result = expect_sound({job(first)}).front().outcome.result;
            const double median_us = result["host"]["write"]["latency_us"]["p50"];
            EXPECT_EQ(median_us < program_us, cached) << first << ": " << median_us;
        }
    }
}

TEST_F(SavedDrive, DoesTheSameEachTimeItIsLoaded) {
    const platform::Configuration drive = preset("tiny", {});
    expect_sound({session(drive, 7, 0, Shutdown::sleep)});
    const std::string saved = read_file(folder_ / "7");
    std::vector<std::string> results;
    for (int time = 0; time < 2; ++time) {
        (void)folder_.write("7", saved);
        const Json result =
            without_wall_times(expect_sound({session(drive, 7, 1, Shutdown::cut)}).front().outcome.result);
        results.push_back(result.dump() + read_file(folder_ / "7"));
    }
    EXPECT_EQ(results[0], results[1]);
}

TEST_F(SavedDrive, RefusesDamagedFilesAndOtherDrives) {
    const platform::Configuration drive = preset("tiny", {});
    expect_sound({session(drive, 7, 0, Shutdown::sleep)});
    const std::string saved = read_file(folder_ / "7");
    ASSERT_GT(saved.size(), 1000U);

    platform::Ssd ssd("ssd", preset("tiny", {"nand.geometry.channels=1", "nand.timing.read=50us"}));
    VerifierConfig config;
    config.sectors = drive.firmware.exported_sectors;
    config.power_cuts = true;
    Verifier verifier(config);
    const auto refusal = [&](const fs::path& file, std::optional<platform::Start> start = {}) -> std::string {
        try {
            load_drive(file, ssd, verifier, start, {});
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    const auto expect_refusal = [&](const std::string& bytes, const std::string& why) {
        (void)folder_.write("changed", bytes);
        EXPECT_NE(refusal(folder_ / "changed").find(why), std::string::npos) << refusal(folder_ / "changed");
    };
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) {
        std::string changed = saved;
        changed[random() % changed.size()] ^= static_cast<char>(1 + random() % 255);
        (void)folder_.write("changed", changed);
        ASSERT_NE(refusal(folder_ / "changed"), "");
        ASSERT_EQ(refusal(folder_ / "changed").find("was saved from another drive"), std::string::npos);
    }
    expect_refusal(saved.substr(0, saved.size() - 1), "damaged or not whole");
    expect_refusal(saved.substr(0, saved.size() / 2), "damaged or not whole");
    expect_refusal(saved + "x", "damaged or not whole");
    expect_refusal(saved.substr(0, 20), "found no saved drive");
    expect_refusal("", "found no saved drive");
    expect_refusal("seconds,requests\n1,2\n" + saved, "found no saved drive");
    std::string older = saved;
    older[std::string("SolidTLM drive ").size()] = '8';
    expect_refusal(older, "another version of the format");
    EXPECT_NE(refusal(folder_ / "nowhere").find("No such file"), std::string::npos);
    EXPECT_NE(refusal(folder_.path()).find("directory"), std::string::npos);
    // A longer page read is also listed, but it does not affect what is on flash.
    const std::string other = refusal(folder_ / "7");
    EXPECT_NE(other.find("nand.geometry.channels was 2 and is 1"), std::string::npos) << other;
    EXPECT_EQ(other.find("timing"), std::string::npos) << other;
}

/// A file with a valid checksum around the frame that `fill` writes.
template <class Fill>
fs::path forged(const TemporaryFolder& folder, const Fill& fill) {
    std::ostringstream plain;
    {
        cereal::PortableBinaryOutputArchive archive(plain);
        fill(archive);
    }
    std::string bytes(kSavedDriveLine);
    ZstdOutput compressor([&bytes](std::string_view piece) { bytes += piece; });
    std::ostream(&compressor) << plain.str();
    compressor.finish();
    Sha256 sum;
    sum.add(bytes);
    return folder.write("forged", bytes + sum.digest());
}

// A forged file with a valid checksum gets no more memory than a real one.
TEST_F(SavedDrive, DistrustsTextLengthsAndFlags) {
    platform::Ssd ssd("ssd", preset("tiny", {}));
    Verifier verifier(VerifierConfig{});
    const auto expect_refusal = [&](const fs::path& file) {
        std::string why;
        try {
            load_drive(file, ssd, verifier, {}, {});
        } catch (const InputError& error) {
            why = error.what();
        }
        EXPECT_NE(why.find("it does not fit the configuration"), std::string::npos) << why;
    };
    expect_refusal(forged(folder_, [](auto& archive) {
        archive(cereal::make_size_tag(cereal::size_type{1}));         // a key
        archive(cereal::make_size_tag(cereal::size_type{1} << 31U));  // length of its text
    }));
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    EXPECT_LT(used.ru_maxrss, 1 << 20) << "KiB";

    expect_refusal(forged(folder_, [](auto& archive) {
        archive(cereal::make_size_tag(cereal::size_type{0}));
        archive(std::uint8_t{7});  // flag: whether the firmware is saved
    }));
}

}  // namespace
}  // namespace solidtlm::testbench
