// SPDX-License-Identifier: Apache-2.0
//
// Drives' folders as they are read, built into configurations, and compared.
#include "testbench/studies/gallery/gallery.h"
#include "testbench/studies/gallery/burst_metrics.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "testbench/studies/kit/testing.h"

namespace solidtlm::testbench::gallery {
namespace {

namespace fs = std::filesystem;

std::vector<Drive> all_drives() {
    std::vector<Drive> drives;
    for (const std::string& name : drive_names()) {
        drives.push_back(read_drive(name));
    }
    return drives;
}

/// "DRIVE/CAMPAIGN/TEST/DEPTH/METRIC"
std::set<std::string> figure_ids(const std::vector<Drive>& drives) {
    std::set<std::string> ids;
    for (const Drive& drive : drives) {
        for (const Campaign& campaign : drive.campaigns) {
            for (const Test& test : campaign.tests) {
                for (const Row& row : test.rows) {
                    for (const Published& figure : row.figures) {
                        const std::string id = drive.name + "/" + campaign.name + "/" + test.name + "/" +
                                               std::to_string(row.depth) + "/" + figure.metric;
                        EXPECT_TRUE(ids.insert(id).second) << id << " twice";
                    }
                }
            }
        }
    }
    return ids;
}

TEST(Gallery, HasThePromisedDrivesAndFigures) {
    const std::vector<Drive> drives = all_drives();
    EXPECT_GE(drives.size(), 8U);
    EXPECT_GE(figure_ids(drives).size(), 150U);
}

TEST(Gallery, EveryTestOfEveryDriveCanBeRun) {
    const std::vector<StudyJob> jobs = jobs_of(all_drives(), Choice{});
    std::set<std::string> names;
    for (const StudyJob& job : jobs) {
        EXPECT_TRUE(names.insert(job.name).second) << job.name << " twice";
    }
    EXPECT_GE(jobs.size(), 100U);
}

TEST(Gallery, EveryOtherValueOfEveryGuessCanBeRun) {
    Choice choice;
    choice.guesses = true;
    const std::vector<StudyJob> jobs = jobs_of(all_drives(), choice);
    EXPECT_GE(jobs.size(), 1000U);
}

TEST(Gallery, EveryValueSaysWhyAndNamesFiguresThatThereAre) {
    const std::vector<Drive> drives = all_drives();
    const std::set<std::string> ids = figure_ids(drives);
    const auto expect_sound = [&ids](const std::vector<Setting>& settings, const std::string& whose) {
        for (const Setting& setting : settings) {
            EXPECT_FALSE(setting.why.empty()) << whose << ": " << setting.key;
            for (const std::string& id : setting.figures) {
                EXPECT_TRUE(ids.contains(id)) << whose << ": " << setting.key << ": " << id;
            }
        }
    };
    for (const Drive& drive : drives) {
        expect_sound(drive.settings, drive.name);
        for (const Campaign& campaign : drive.campaigns) {
            expect_sound(campaign.host.settings, campaign.host.name);
            EXPECT_FALSE(campaign.source.empty()) << drive.name << "/" << campaign.name;
        }
        for (const Missing& missing : drive.missing) {
            for (const std::string& pattern : missing.figures) {
                EXPECT_TRUE(std::ranges::any_of(
                    ids, [&](const std::string& id) { return matches(id, drive.name + "/" + pattern); }))
                    << drive.name << ": " << pattern;
            }
        }
    }
}

TEST(Gallery, PatternsMatchPartByPart) {
    EXPECT_TRUE(matches("a/b/c/1", "a/b/c/1"));
    EXPECT_TRUE(matches("a/b/c/1", "a/*/c"));
    EXPECT_TRUE(matches("a/b/c/1", "a"));
    EXPECT_FALSE(matches("a/b/c/1", "b"));
    EXPECT_FALSE(matches("a/b/c/16", "a/b/c/1"));
    EXPECT_FALSE(matches("a/b", "a/b/c"));
}

struct OwnDrive : ::testing::Test {
    OwnDrive() { fs::create_directories(folder); }
    ~OwnDrive() override { fs::remove_all(folder.parent_path()); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder / name) << text;
    }
    /// Reads without a trailing slash: a name that contains one.
    [[nodiscard]] Drive read() const { return read_drive(folder.string()); }
    [[nodiscard]] std::string mistakes() const {
        try {
            (void)read();
        } catch (const InputError& error) {
            return error.what();
        }
        return "none";
    }

    const fs::path folder =
        fs::path(::testing::TempDir()) / ("gallery_test_" + std::to_string(getpid())) / "my-drive";
};

constexpr const char* kDrive =
    "title = \"Mine\"\nbase = \"samsung-pm883\"\n"
    "[values]\n\"nand.geometry.dies\" = { is = 4, guessed = \"a guess\", range = [2, 8] }\n"
    "[scale]\n\"nand.geometry.blocks\" = 16\n\"nand.timing.erase\" = 2\n";
constexpr const char* kMeasured =
    "host = \"ibm-m1015\"\nsource = \"me\"\nlatency = \"completion\"\n"
    "[[test]]\nname = \"reads\"\nload = \"random,read=1,size=4k,range=0%-2%\"\nprecondition = "
    "\"fill=0.02,random=0\"\n"
    "requests = 500\nwarm_up = 50\ncolumns = [\"depth\", \"iops\", \"p50_us\"]\n"
    "figures = [[1, 7000, 100], [4, 20000, 150]]\n";

TEST_F(OwnDrive, IsBasedOnAnotherDriveAndScaled) {
    write("drive.toml", kDrive);
    write("own.toml", kMeasured);
    const Drive drive = read();
    EXPECT_EQ(drive.name, "my-drive");
    ASSERT_EQ(drive.campaigns.size(), 1U);
    EXPECT_EQ(drive.campaigns[0].tests.at(0).rows.at(1).figures.at(1).value, 150.0);
    const platform::Configuration configuration =
        configuration_of(drive, drive.campaigns[0], drive.campaigns[0].tests[0]);
    EXPECT_EQ(configuration.nand.geometry.dies, 4U);
    EXPECT_EQ(configuration.nand.geometry.blocks, 2048U / 16);
    EXPECT_EQ(configuration.nand.timing.erase, std::chrono::microseconds(1750));
    EXPECT_EQ(configuration.host.submit, std::chrono::nanoseconds(7900)) << "of the host";
}

TEST_F(OwnDrive, ACampaignHasItsOwnValues) {
    write("drive.toml", kDrive);
    write("one.toml", kMeasured);
    write("fit.toml", "title = \"no campaign\"\n");
    const std::string measured = kMeasured;
    const std::size_t test = measured.find("[[test]]");
    write("two.toml", measured.substr(0, test) +
                          "[values]\n\"host.submit_time\" = { is = \"1us\", published = \"x\" }\n"
                          "\"firmware.cycles.read_command\" = { is = 900, fitted = \"x\", range = [0, 1000], "
                          "figures = [\"my-drive/two/reads/4/iops\"] }\n" +
                          measured.substr(test));
    const Drive drive = read();
    ASSERT_EQ(drive.campaigns.size(), 2U);
    for (const std::size_t own : {0U, 1U}) {
        const Campaign& campaign = drive.campaigns[own];
        const platform::Configuration configuration = configuration_of(drive, campaign, campaign.tests[0]);
        EXPECT_EQ(configuration.host.submit, std::chrono::nanoseconds(own == 1 ? 1000 : 7900));
        EXPECT_EQ(configuration.firmware.cycles.read_command, own == 1 ? 900U : 0U);
    }
    Choice choice;
    choice.only = {"my-drive/*/reads/4"};
    const std::vector<Measured> points = testing::measured_of(jobs_of({drive}, choice));
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[0].derived["fitted"], "");
    EXPECT_EQ(points[1].derived["fitted"], "iops");
}

TEST_F(OwnDrive, EveryOtherValueOfAGuessIsAVariant) {
    const std::string drive = kDrive;
    write("drive.toml", std::string(drive).insert(
                            drive.find("[scale]"),
                            "\"nand.timing.erase\" = { is = \"4ms\", fitted = \"x\", range = [\"3ms\", "
                            "\"5ms\"], figures = [\"my-drive/own/reads/4/iops\"] }\n"));
    write("own.toml", kMeasured);
    Choice choice;
    choice.guesses = true;
    choice.only = {"my-drive/own/reads/1"};
    const std::vector<StudyJob> jobs = jobs_of({read()}, choice);
    const auto with_dies = [&jobs](const char* value) {
        return std::ranges::count_if(jobs, [&](const StudyJob& job) {
            return job.parameters.value("guess", "") == std::string("nand.geometry.dies=") + value;
        });
    };
    EXPECT_FALSE(jobs.front().parameters.contains("guess"));
    EXPECT_EQ(with_dies("2"), 1);
    EXPECT_EQ(with_dies("8"), 1);
    EXPECT_EQ(with_dies("4"), 0) << "the value itself";
    EXPECT_TRUE(std::ranges::none_of(jobs, [](const StudyJob& job) {
        return job.parameters.value("guess", "").starts_with("nand.timing.erase");
    })) << "its figures say what it is";
}

TEST_F(OwnDrive, AllMistakesComeAtOnce) {
    write("drive.toml",
          "title = \"Mine\"\ncolour = 1\n[values]\n\"nand.geometry.dies\" = 4\n"
          "\"nand.geometry.channels\" = { is = 4, guessed = \"x\" }\n"
          "\"nand.geometry.planes\" = { is = 2, published = \"x\", derived = \"y\" }\n"
          "\"nand.timing.read\" = { is = \"50us\", fitted = \"x\", range = [\"40us\"] }\n");
    write("own.toml",
          "host = \"unknown\"\nsource = \"me\"\n[[test]]\nname = \"reads\"\nload = \"random\"\n"
          "columns = [\"depth\", \"p98_us\"]\nfigures = [[1], [1, 0]]\n");
    const std::string text = mistakes();
    for (const char* part :
         {"drive.toml:2: colour: unknown key; allowed: title, base", "drive.toml:4: nand.geometry.dies",
          "nand.geometry.channels: found no range", "nand.geometry.planes: found 2 of published, derived",
          "nand.timing.read: found no figures",
          "host: found unknown; allowed: ", "columns: found p98_us; allowed: depth, iops",
          "found a row that is none of 2 numbers", "p98_us: found 0; allowed: above 0"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
    }
}

TEST_F(OwnDrive, ATestThatTheDriveCannotDoIsAMistake) {
    write("drive.toml",
          std::string(kDrive) + "[[missing]]\nmechanism = \"x\"\nevidence = \"y\"\nfigures = []\n");
    write("own.toml", kMeasured);
    Choice choice;
    choice.changes.settings = {"nand.geometry.planes=3000"};
    EXPECT_THROW((void)jobs_of({read()}, choice), platform::ConfigurationError);
}

/// Times that a host adds to each command appear in the ledger and in the latency. With one command
/// outstanding, the rate is the inverse of the latency; fio's completion latency excludes the submission.
TEST_F(OwnDrive, MechanismsAreStagesAndMoveTheFigures) {
    write("drive.toml", kDrive);
    write("host-mine.toml",
          "title = \"Mine\"\n[values]\n"
          "\"host.submit_time\" = { is = \"5us\", published = \"x\" }\n"
          "\"host.complete_time\" = { is = \"20us\", published = \"x\", mechanism = \"late\" }\n");
    write("own.toml", std::string(kMeasured).replace(std::string(kMeasured).find("ibm-m1015"), 9, "mine"));
    const Drive drive = read();
    std::vector<Json> results;
    std::vector<Measured> points;
    for (const std::vector<std::string>& without : std::vector<std::vector<std::string>>{{}, {"late"}}) {
        Choice choice;
        choice.changes.without = without;
        choice.only = {"my-drive/own/reads/1"};
        std::ranges::move(testing::measured_of(jobs_of({drive}, choice), &results),
                          std::back_inserter(points));
    }
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(results[0]["ledger"]["stages_us"]["host_cpu"], 25.0);
    EXPECT_EQ(results[1]["ledger"]["stages_us"]["host_cpu"], 5.0);
    const auto period_us = [&points](std::size_t i) { return 1e6 / points[i].value("iops"); };
    EXPECT_NEAR(period_us(0) - period_us(1), 20.0, 0.1);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double p50 = results[i]["host"]["read"]["latency_us"]["p50"];
        EXPECT_NEAR(points[i].value("p50_us"), p50 - 5.0, 1e-9);
        EXPECT_NEAR(points[i].value("error_p50_us"), points[i].value("p50_us") / 100.0 - 1.0, 1e-12);
        EXPECT_NEAR(points[i].value("published_iops"), 7000.0, 1e-9);
    }
}

/// A published rate of a mixed load counts reads and writes. Latencies of fio exclude the submission.
TEST_F(OwnDrive, FiguresOfAMixedLoadAreTotals) {
    constexpr double kSubmitUs = 5;
    write("drive.toml", kDrive);
    write("host-mine.toml",
          "title = \"Mine\"\n[values]\n\"host.submit_time\" = { is = \"5us\", published = \"x\" }\n");
    std::string measured =
        std::string(kMeasured).replace(std::string(kMeasured).find("ibm-m1015"), 9, "mine");
    measured.replace(measured.find("read=1"), 6, "read=0.7");
    write("own.toml", measured.substr(0, measured.find("columns")) +
                          "columns = [\"depth\", \"iops\", \"mb_per_s\", \"mean_us\"]\n"
                          "figures = [[4, 20000, 82, 200]]\n");
    std::vector<Json> results;
    Choice choice;
    choice.only = {"my-drive/own"};
    const std::vector<Measured> points = testing::measured_of(jobs_of({read()}, choice), &results);
    ASSERT_EQ(points.size(), 1U);
    const Json& host = results[0]["host"];
    const auto count = [&host](const char* kind) { return host[kind]["count"].get<double>(); };
    const auto sum = [&host](const char* field) {
        return host["read"][field].get<double>() + host["write"][field].get<double>();
    };
    EXPECT_NEAR(count("read") / (count("read") + count("write")), 0.7, 0.05);
    EXPECT_NEAR(points[0].value("iops") / sum("iops"), 1.0, 1e-9);
    EXPECT_NEAR(points[0].value("mb_per_s") / sum("mb_per_s"), 1.0, 1e-9);
    const auto mean = [&host](const char* kind) { return host[kind]["latency_us"]["mean"].get<double>(); };
    EXPECT_NEAR((points[0].value("mean_us") + kSubmitUs) * (count("read") + count("write")),
                mean("read") * count("read") + mean("write") * count("write"), 1.0);
}

/// Worked by hand: 3.3 V x 0.03 mA per die; per device of 256 MiB, 1.5 V x 45 mA of standby and 1.5 V x 170
/// mA x 160 ns / 7.8 us of refresh; and the user's setting for the link.
TEST_F(OwnDrive, PowerIsMeasuredUnderLoadOrIdle) {
    write("drive.toml", kDrive);
    const std::string measured = kMeasured;
    write("own.toml", measured.substr(0, measured.find("columns")) +
                          "columns = [\"depth\", \"power_w\", \"idle_w\"]\nfigures = [[4, 2.0, 0.5]]\n");
    Choice choice;
    choice.changes.settings = {"dram.size=512MiB", "energy.link.idle_mw=100"};
    std::vector<Json> results;
    const std::vector<Measured> points = testing::measured_of(jobs_of({read()}, choice), &results);
    ASSERT_EQ(points.size(), 1U);
    const Json& geometry = results[0]["config"]["nand"]["geometry"];
    const double dies = geometry["channels"].get<double>() * geometry["dies"].get<double>();
    const double idle_w = dies * 3.3 * 0.03e-3 + 2 * (1.5 * 45e-3 + 1.5 * 170e-3 * 160.0 / 7800.0) + 0.1;
    EXPECT_NEAR(points[0].value("idle_w"), idle_w, 1e-9);
    EXPECT_EQ(points[0].value("power_w"), results[0]["energy"]["mean_power_w"].get<double>());
    EXPECT_GT(points[0].value("power_w"), idle_w - 0.1) << "the link is not always idle";
    EXPECT_NEAR(points[0].value("error_power_w"), points[0].value("power_w") / 2.0 - 1.0, 1e-12);
}

/// A drive with a sixteenth of the PM883's dies, which fills quickly.
constexpr const char* kBurst =
    "host = \"no-time\"\nsource = \"me\"\n"
    "[[test]]\nname = \"fill\"\nload = \"sequential,read=0,size=128k\"\n"
    "burst = { written = 0.01, lead = \"random,read=0,size=4k,range=0%-2%\", lead_time = \"32ms\", "
    "pause = \"64ms\", again = 0.005 }\n"
    "columns = [\"depth\", \"mb_per_s\", \"cliff_gb\", \"rested_mb_per_s\"]\n"
    "figures = [[32, 400, 3, 500]]\n";

/// The lead is not part of the burst, and times are scaled with the drive.
TEST_F(OwnDrive, ABurstIsRecordedOverTime) {
    write("drive.toml", kDrive);
    write("own.toml", kBurst);
    const Drive drive = read();
    EXPECT_EQ(scale_of(drive), 16.0) << "the erase time does not depend on the geometry";
    std::vector<Json> results;
    const std::vector<Measured> points = testing::measured_of(jobs_of({drive}, Choice{}), &results);
    ASSERT_EQ(points.size(), 1U);
    const Json& writes = results[0]["host"]["write"];
    const auto exported = static_cast<double>(
        configuration_of(drive, drive.campaigns[0], drive.campaigns[0].tests[0]).exported_bytes());
    const double lead = writes["bytes"].get<double>() - 0.015 * exported;
    EXPECT_GT(lead, 0.002 * 50e6) << "2 ms of at least 50 MB/s";
    EXPECT_LT(lead, 0.002 * 700e6 + 2 * 131072.0);
    EXPECT_GT(results[0]["sim_time_s"].get<double>(), 0.004 + 0.002) << "with the pause";
    EXPECT_GT(points[0].value("mb_per_s"), 100.0);
    EXPECT_GT(points[0].value("rested_mb_per_s"), 100.0);
    EXPECT_NEAR(points[0].value("error_mb_per_s"), points[0].value("mb_per_s") / 400.0 - 1.0, 1e-12);
    EXPECT_FALSE(results[0].contains("burst"));
}

/// The lead goes on for as long as it is told to, however many writes that takes.
TEST_F(OwnDrive, TheLeadOfABurstEndsWithItsTimeAlone) {
    write("drive.toml", kDrive);
    const std::string burst = kBurst;
    write("own.toml", std::string(burst).replace(burst.find("32ms"), 4, "32s"));
    std::vector<Json> results;
    const std::vector<Measured> points = testing::measured_of(jobs_of({read()}, Choice{}), &results);
    ASSERT_EQ(points.size(), 1U);
    EXPECT_GT(results[0]["sim_time_s"].get<double>(), 2.0);
    EXPECT_GT(results[0]["host"]["write"]["count"].get<double>(), 150'000.0)
        << "a load has 100,000 by default";
}

constexpr const char* kSeries =
    "host = \"no-time\"\nsource = \"me\"\n"
    "[[test]]\nname = \"writes\"\nload = \"random,read=0,size=4k,range=0%-2%\"\nprecondition = "
    "\"fill=0.02,random=0\"\n"
    "history = [[1, 1, 1600], [1, 4, 4800], [2, 1, 3200]]\nstate_figures = [\"2/iops\"]\n"
    "columns = [\"depth\", \"iops\", \"mean_us\"]\nfigures = [[1, 20000, 40], [2, 40000, 40]]\n";

/// A row is aged by the tests before it, and measures its own writes from the first; all a sixteenth.
TEST_F(OwnDrive, ARowOfASeriesIsAgedByTheTestsBeforeIt) {
    write("drive.toml", kDrive);
    write("own.toml", kSeries);
    const Drive drive = read();
    std::vector<Json> results;
    const std::vector<Measured> points = testing::measured_of(jobs_of({drive}, Choice{}), &results);
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(results[0]["host"]["write"]["count"], 100);
    EXPECT_EQ(results[1]["host"]["write"]["count"], 200);
    const auto aged = [&results](std::size_t i) {
        return results[i]["precondition"]["host_bytes"].get<std::uint64_t>();
    };
    EXPECT_EQ(aged(1) - aged(0), (100U + 300U) * 4096U);
    EXPECT_EQ(points[0].derived["fitted"], "");
    EXPECT_EQ(points[1].derived["fitted"], "iops");
}

TEST_F(OwnDrive, ASeriesSaysAllThatIsWritten) {
    write("drive.toml", kDrive);
    const std::string series = kSeries;
    write("own.toml", std::string(series).replace(series.find("[2, 1, 3200]"), 12, "[4, 1, 3200]"));
    EXPECT_NE(mistakes().find("history: found no test of depth 2 with one job"), std::string::npos)
        << mistakes();
    write("own.toml", std::string(series).replace(series.find("[2, 1, 3200]"), 12, "[2, 1]"));
    EXPECT_NE(mistakes().find("allowed: [DEPTH, JOBS, WRITES], each above 0"), std::string::npos)
        << mistakes();
    write("own.toml", std::string(series).replace(series.find("state_figures"), 0, "requests = 10\n"));
    EXPECT_NE(mistakes().find("requests: found with a history"), std::string::npos) << mistakes();
}

TEST_F(OwnDrive, WhatABurstLacksIsAMistake) {
    write("drive.toml", kDrive);
    const std::string burst = kBurst;
    write("own.toml", std::string(burst).replace(burst.find("32ms"), 4, "soon"));
    EXPECT_NE(mistakes().find("lead_time: found soon; allowed: a duration"), std::string::npos) << mistakes();
    write("own.toml", std::string(burst).replace(burst.find("again = 0.005"), 13, "again = 1.0"));
    EXPECT_NE(mistakes().find("written, again: found 0.01 and 1"), std::string::npos) << mistakes();
    write("own.toml", std::string(burst).replace(burst.find("cliff_gb"), 8, "p99_us"));
    EXPECT_NE(mistakes().find("columns: found p99_us of a burst"), std::string::npos) << mistakes();
    const std::string reads = kMeasured;
    write("own.toml", std::string(reads).replace(reads.find("p50_us"), 6, "cliff_gb"));
    EXPECT_NE(mistakes().find("columns: found cliff_gb without a burst"), std::string::npos) << mistakes();
}

// 300 MB at 100 MB/s, then 100 MB at 20 MB/s, on a drive of one eighth of the size.
TEST(Bursts, HaveTheUnitsOfTheRealDrive) {
    constexpr std::uint32_t kTenMb = 10'000'384;  // whole sectors
    BurstSource source({kTenMb, std::uint64_t{40} * kTenMb, 0, Ps{0}, std::uint64_t{40} * kTenMb});
    Request request;
    std::int64_t ms = 0;
    for (int i = 0; i < 40; ++i) {
        EXPECT_TRUE(source.next(request));
        ms += i < 30 ? 100 : 500;
        source.completed(request.token, true, std::chrono::milliseconds(ms));
    }
    // A buffer of 8 MB takes 8 / (1 - 20 / 100) = 10 MB, of a small drive as of a whole one.
    const Json metrics = burst_metrics(source, {8.0, 1.0, 8e6, 1000.0});
    EXPECT_NEAR(metrics["cliff_gb"].get<double>(), 0.29 * 8.0 + 0.01, 0.001);
    EXPECT_NEAR(metrics["before_mb_per_s"].get<double>(), 100.0, 0.1);
    EXPECT_NEAR(metrics["behind_mb_per_s"].get<double>(), 20.0, 0.1);
    EXPECT_NEAR(metrics["mb_per_s"].get<double>(), 50.0, 0.1);
    EXPECT_NEAR(burst_metrics(source, {8.0, 8.0, 8e6, 1000.0})["cliff_gb"].get<double>(), 2.4, 0.001)
        << "the buffer is scaled, too";
    EXPECT_NEAR(burst_metrics(source, {8.0, 1.0, 8e6, 90.0})["cliff_gb"].get<double>(), 0.292 * 8.0 + 0.008,
                0.001)
        << "flash is slower than the host from the beginning";
}

TEST(Bursts, ASpeedThatDoesNotFallHasNoCliff) {
    constexpr std::uint32_t kTenMb = 10'000'384;
    BurstSource source({kTenMb, std::uint64_t{40} * kTenMb, 0, Ps{0}, std::uint64_t{40} * kTenMb});
    Request request;
    for (int i = 1; i <= 40; ++i) {
        EXPECT_TRUE(source.next(request));
        source.completed(request.token, true, std::chrono::milliseconds(i * 100));
    }
    const Json metrics = burst_metrics(source, {8.0, 1.0, 8e6, 1000.0});
    EXPECT_TRUE(metrics["cliff_gb"].is_null());
    EXPECT_NEAR(metrics["behind_mb_per_s"].get<double>(), 100.0, 0.1);
}

constexpr const char* kFill =
    "host = \"samsung-sheet\"\nsource = \"me\"\n"
    "[[test]]\nname = \"fill\"\nload = \"sequential,read=0,size=128k\"\nburst = { written = 0.05 }\n"
    "columns = [\"depth\", \"cliff_gb\"]\nfigures = [[32, 3]]\n";

/// The write buffer, which is not scaled, makes no difference to what is said of the whole drive.
TEST_F(OwnDrive, ASmallDriveHasTheCliffOfTheWholeOne) {
    write("own.toml", kFill);
    const auto cliff = [this](const char* scale) {
        write("drive.toml",
              (std::string("title = \"Mine\"\nbase = \"samsung-850-evo-120\"\n[scale]\n") + scale).c_str());
        Choice choice;
        choice.only = {"my-drive/own"};
        const std::vector<Measured> points = testing::measured_of(jobs_of({read()}, choice));
        return points.at(0).value("cliff_gb");
    };
    const double small = cliff(
        "\"nand.geometry.blocks\" = 2\n\"nand.geometry.pages\" = 4\n\"nand.timing.erase\" = 4\n"
        "\"firmware.slc_cache.size\" = 8\n");
    EXPECT_NEAR(small / cliff(""), 1.0, 0.01) << "it was 1.06 with a buffer that counted eightfold";
}

/// Flash that is faster than the link in normal mode, too.
TEST_F(OwnDrive, AFigureThatTheModelLacksIsShownAsNone) {
    write("own.toml", kFill);
    write("drive.toml",
          "title = \"Mine\"\nbase = \"samsung-850-evo-500\"\n[scale]\n\"nand.geometry.blocks\" = 8\n"
          "\"nand.geometry.pages\" = 2\n\"nand.timing.erase\" = 2\n\"firmware.slc_cache.size\" = 16\n");
    const Drive drive = read();
    Choice choice;
    choice.only = {"my-drive/own"};
    const std::vector<Measured> points = testing::measured_of(jobs_of({drive}, choice));
    const std::vector<Compared> figures = compared(select(points, Json::object()));
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_FALSE(figures[0].model.has_value());
    EXPECT_EQ(mean_error(figures, {"cliff_gb"}, false).figures, 0U);
    EXPECT_NE(tables(points, {drive}, true, TextStyle{}).find("none"), std::string::npos);
}

/// The order of requests that wait in the host changes no rate, only how long some of them wait.
TEST_F(OwnDrive, ASchedulerMakesSomeRequestsWait) {
    write("drive.toml", kDrive);
    write("host-mine.toml",
          "title = \"Mine\"\n[values]\n\"sata.generation\" = { is = \"gen2\", published = \"x\" }\n"
          "\"scheduler\" = { is = \"deadline\", guessed = \"x\", range = [\"fifo\"], mechanism = \"order\" "
          "}\n");
    const std::string reads = kMeasured;
    std::string deep = std::string(reads).replace(reads.find("ibm-m1015"), 9, "mine");
    deep.replace(deep.find("requests = 500"), 14, "requests = 4000");
    write("own.toml", deep.replace(deep.find("[4, 20000, 150]"), 15, "[64, 20000, 150]"));
    std::vector<Json> results;
    Choice choice;
    choice.only = {"my-drive/own/reads/64"};
    choice.guesses = true;
    const auto fifo = [](const StudyJob& job) {
        const std::string guess = job.parameters.value("guess", "");
        return !guess.empty() && guess != "scheduler=fifo";
    };
    std::vector<StudyJob> jobs = jobs_of({read()}, choice);
    std::erase_if(jobs, fifo);
    ASSERT_EQ(jobs.size(), 2U) << "with it, and with the guess that there is none";
    const std::vector<Measured> points = testing::measured_of(jobs, &results);
    const auto latency = [&results](std::size_t i, const char* which) {
        return results[i]["host"]["read"]["latency_us"][which].get<double>();
    };
    EXPECT_NEAR(points[0].value("iops") / points[1].value("iops"), 1.0, 0.02);
    EXPECT_NEAR(latency(0, "mean") / latency(1, "mean"), 1.0, 0.02);
    EXPECT_GT(latency(0, "p99"), 2.0 * latency(0, "p50"));
    EXPECT_LT(latency(1, "p99"), 1.5 * latency(1, "p50"));
    EXPECT_GT(results[0]["ledger"]["stages_us"]["host_queue"].get<double>(), 300.0);
}

Measured point_of(double published, double model, const std::string& fitted) {
    Measured point{{{"drive", "d"}, {"campaign", "c"}, {"test", "t"}, {"depth", 1}}};
    point.derived = {{"iops", model}, {"published_iops", published}, {"fitted", fitted}};
    return point;
}

TEST(Errors, FittedAndPredictedFiguresAreKeptApart) {
    const std::vector<Measured> points{point_of(100, 110, ""), point_of(200, 100, ""),
                                       point_of(50, 51, "iops")};
    const std::vector<Compared> figures = compared(select(points));
    ASSERT_EQ(figures.size(), 3U);
    EXPECT_EQ(figures[0].id(), "c/t/1/iops");
    EXPECT_NEAR(figures[1].error(), -0.5, 1e-12);
    EXPECT_NEAR(mean_error(figures, {"iops"}, false).error, 0.3, 1e-12);
    EXPECT_EQ(mean_error(figures, {"iops"}, false).figures, 2U);
    EXPECT_NEAR(mean_error(figures, {"iops"}, true).error, 0.02, 1e-12);
    EXPECT_EQ(mean_error(figures, {"p99_us"}, false).figures, 0U);
}

TEST(Errors, AFigureThatAGuessCanProduceIsNoEvidence) {
    EXPECT_TRUE((Spread{90, 120}.no_evidence(100)));
    EXPECT_FALSE((Spread{105, 120}.no_evidence(100))) << "no guess produces it";
    EXPECT_FALSE((Spread{97, 103}.no_evidence(100))) << "no guess moves it";
    std::vector<Measured> points{point_of(100, 110, ""), point_of(100, 80, ""), point_of(200, 220, "")};
    points[1].parameters["guess"] = "key=value";
    points[2].parameters["depth"] = 2;
    const Spreads spreads(points);
    const std::vector<Compared> figures = compared(select(points, {{"guess", nullptr}}));
    ASSERT_EQ(figures.size(), 2U);
    EXPECT_EQ(spreads.of(figures[0])->least, 80.0);
    EXPECT_EQ(spreads.of(figures[0])->most, 110.0);
    EXPECT_FALSE(spreads.of(figures[1])) << "no guess was varied there";
    const std::string text = tables(points, {}, false, TextStyle{});
    EXPECT_NE(text.find("predicted  10.0 /2"), std::string::npos) << text;
    EXPECT_NE(text.find("evidence   10.0 /1"), std::string::npos) << text;
}

TEST(Curves, RateOverWhatWasWritten) {
    const Json series{{"operations", {{"write", {{"bytes", {1'000'000, 3'000'000, 0}}}}}},
                      {"time_us", {0.0, 10'000.0, 20'000.0, 30'000.0}}};
    EXPECT_EQ(rate_over_written(series), Json({{0.001, 100.0}, {0.004, 300.0}, {0.004, 0.0}}));
    EXPECT_EQ(rate_over_written({{"operations", Json::object()}, {"time_us", {0.0}}}), Json::array());
}

/// 400 MB/s sequential and 100 random: 2 WA - 1 = 4.
TEST(Amplification, FollowsFromTwoPublishedRates) {
    Drive drive;
    drive.name = "d";
    drive.family = "of one";
    std::vector<Measured> points{point_of(24'414, 30'000, ""), point_of(400, 410, "")};
    points[0].parameters["test"] = "random-write-steady";
    points[0].more["published_bandwidth"] = 100.0;
    points[0].derived["write_amplification"] = 2.75;
    points[0].derived["over_provisioning"] = 0.2;
    points[1].parameters["test"] = "sequential-write";
    points[1].more = {{"published_bandwidth", 400.0}, {"link", 0.5}};
    EXPECT_NE(amplification_table(points, {drive}, TextStyle{}).find("2.50   2.75    +10.0"),
              std::string::npos)
        << amplification_table(points, {drive}, TextStyle{});
    points[1].more["link"] = 1.0;
    EXPECT_NE(amplification_table(points, {drive}, TextStyle{}).find("at least 2.50"), std::string::npos);
    drive.family.clear();
    EXPECT_EQ(amplification_table(points, {drive}, TextStyle{}), "");
}

}  // namespace
}  // namespace solidtlm::testbench::gallery
