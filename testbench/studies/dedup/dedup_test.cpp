// SPDX-License-Identifier: Apache-2.0
//
// Loads, the drive that fits them, the requests of the power loss, and verdicts on made-up measurements.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "platform/configuration.h"
#include "testbench/studies/dedup/dedup.h"

namespace solidtlm::testbench::dedup {
namespace {

Measured run(const char* load, const char* system, Json derived) {
    return Measured{{{"part", "systems"}, {"load", load}, {"system", system}}, std::move(derived)};
}

Measured cut(const char* system, const char* protection, const char* moment, int lost) {
    Json parameters{{"part", "power"}, {"system", system}, {"moment", moment}};
    if (*protection != 0) {
        parameters["protection"] = protection;
    }
    return Measured{std::move(parameters), {{"lost_pages", lost}, {"pages_at_risk", 16}}};
}

const Claim* claim(const std::vector<Claim>& claims, const std::string& id) {
    const auto found = std::ranges::find(claims, id, &Claim::id);
    return found == claims.end() ? nullptr : &*found;
}

std::string verdict(const std::vector<Measured>& points, const std::string& id) {
    const std::vector<Claim> claims = claims_of(points);
    const Claim* found = claim(claims, id);
    return found == nullptr ? "none" : std::string(verdict_name(found->verdict));
}

TEST(DedupClaims, AreLeftOutWithoutMeasurements) {
    EXPECT_TRUE(claims_of({}).empty());
    EXPECT_TRUE(claims_of(std::vector<Measured>{run("webvm", "none", {{"write_mean_us", 300.0}})}).empty());
    const std::vector<Measured> other{run("mine", "online", {{"write_mean_us", 100.0}}),
                                      run("mine", "offline_crc32", {{"write_mean_us", 50.0}})};
    EXPECT_EQ(verdict(other, "C1"), "none") << "the study says nothing about this load";
}

/// -15 and -12 % are within 5 points.
TEST(DedupClaims, ResponseIsComparedWithOnline) {
    const auto both = [](double webvm, double install) {
        return std::vector<Measured>{
            run("webvm", "online", {{"write_mean_us", 400.0}}),
            run("webvm", "offline_crc32", {{"write_mean_us", 400.0 * webvm}}),
            run("app_install", "online", {{"write_mean_us", 1000.0}}),
            run("app_install", "offline_crc32", {{"write_mean_us", 1000.0 * install}})};
    };
    EXPECT_EQ(verdict(both(0.85, 0.88), "C1"), "reproduced");
    EXPECT_EQ(verdict(both(0.801, 0.929), "C1"), "reproduced");
    EXPECT_EQ(verdict(both(0.79, 0.88), "C1"), "partly");
    EXPECT_EQ(verdict(both(0.85, 1.2), "C1"), "partly");
    EXPECT_EQ(verdict(both(1.01, 1.2), "C1"), "not reproduced");
    EXPECT_EQ(claim(claims_of(both(0.85, 0.88)), "C1")->measured, "webvm -15 %; app_install -12 %");
}

TEST(DedupClaims, TimesAreComparedWithOffline) {
    const auto times = [](double crc32, double separated) {
        return std::vector<Measured>{run("webvm", "offline", {{"dedup_total_s", 10.0}}),
                                     run("webvm", "offline_crc32", {{"dedup_total_s", crc32}}),
                                     run("webvm", "offline_separated", {{"dedup_total_s", separated}})};
    };
    std::vector<Measured> cut_short = times(11.0, 12.0);
    cut_short[0].derived["dedup_page_us"] = 250.0;
    cut_short[1].derived["dedup_page_us"] = 60.0;
    EXPECT_EQ(verdict(cut_short, "C2"), "partly") << "more time in total, for many more pages";
    EXPECT_EQ(verdict(times(3.0, 11.0), "C2"), "reproduced");
    EXPECT_EQ(verdict(times(3.1, 11.0), "C2"), "partly");
    EXPECT_EQ(verdict(times(7.0, 11.0), "C2"), "not reproduced");
    EXPECT_EQ(verdict(times(3.0, 10.1), "C3"), "reproduced");
    EXPECT_EQ(verdict(times(3.0, 9.9), "C3"), "not reproduced");
}

TEST(DedupClaims, CandidatesAreComparedWithWrittenPages) {
    const auto share = [](int candidates) {
        return std::vector<Measured>{
            run("webvm", "offline_crc32", {{"candidates", candidates}, {"written_pages", 1000}})};
    };
    EXPECT_EQ(verdict(share(500), "C4"), "reproduced");
    EXPECT_EQ(verdict(share(399), "C4"), "partly");
    EXPECT_EQ(verdict(share(200), "C4"), "not reproduced");
    EXPECT_EQ(claim(claims_of(share(352)), "C4")->measured, "webvm 35 %");
}

TEST(DedupClaims, MovesAreFewestWithCrc32AndMostOfAllOnInstall) {
    const auto moves = [](int webvm, int install, int separated) {
        return std::vector<Measured>{run("webvm", "offline", {{"gc_moved_pages", webvm}}),
                                     run("webvm", "offline_crc32", {{"gc_moved_pages", 100}}),
                                     run("app_install", "offline", {{"gc_moved_pages", install}}),
                                     run("app_install", "offline_separated", {{"gc_moved_pages", separated}}),
                                     run("app_install", "offline_crc32", {{"gc_moved_pages", 100}})};
    };
    EXPECT_EQ(verdict(moves(150, 385, 200), "C5"), "reproduced");
    EXPECT_EQ(verdict(moves(385, 150, 120), "C5"), "partly");
    EXPECT_EQ(verdict(moves(150, 385, 90), "C5"), "not reproduced");
    const std::vector<Measured> none{run("webvm", "offline", {{"gc_moved_pages", 0}}),
                                     run("webvm", "offline_crc32", {{"gc_moved_pages", 0}})};
    EXPECT_EQ(verdict(none, "C5"), "none") << "no superblock was collected";
}

TEST(DedupClaims, OnlyOnlineWithoutProtectionMayLose) {
    const auto losses = [](int bare, int journal, int offline) {
        return std::vector<Measured>{
            cut("online", "none", "at_once", bare), cut("online", "none", "idle", bare),
            cut("online", "journal", "at_once", journal), cut("offline", "", "idle", offline)};
    };
    EXPECT_EQ(verdict(losses(16, 0, 0), "C6"), "reproduced");
    EXPECT_EQ(verdict(losses(0, 0, 0), "C6"), "partly");
    EXPECT_EQ(verdict(losses(16, 0, 1), "C6"), "partly");
    EXPECT_EQ(verdict(losses(0, 1, 0), "C6"), "not reproduced");
    EXPECT_EQ(verdict({cut("offline", "", "idle", 0)}, "C6"), "none");
}

Request request(Operation operation, std::uint64_t lba, std::uint64_t sectors) {
    Request made;
    made.operation = operation;
    made.lba = Lba{lba};
    made.sectors = sectors;
    return made;
}

Request trim(std::uint64_t lba, std::uint32_t sectors) {
    Request made;
    made.operation = Operation::trim;
    made.ranges.push_back(TrimRange{Lba{lba}, sectors});
    return made;
}

/// Pages 10, 11, 12 (sectors 80 to 103) and 100 (800 to 807) are touched: they become 0 to 3.
class Compacted : public ::testing::Test {
  protected:
    Compacted() {
        compaction.touch(request(Operation::read, 800, 8));
        // the end of page 10, all of 11, the beginning of 12
        compaction.touch(request(Operation::write, 86, 12));
        compaction.touch(request(Operation::write, 88, 8));
        compaction.touch(trim(4000, 800));
        compaction.seal();
    }
    /// First sector and number of sectors after compaction.
    std::pair<std::uint64_t, std::uint64_t> moved(Request made) {
        EXPECT_TRUE(compaction.apply(made));
        return made.operation == Operation::trim
                   ? std::pair<std::uint64_t, std::uint64_t>{made.ranges.at(0).lba.value,
                                                             made.ranges.at(0).sectors}
                   : std::pair<std::uint64_t, std::uint64_t>{made.lba.value, made.sectors};
    }
    Compaction compaction;
};

using Sectors = std::pair<std::uint64_t, std::uint64_t>;

TEST_F(Compacted, KeepsOrderOffsetsAndLengths) {
    EXPECT_EQ(compaction.pages(), 4U);
    EXPECT_EQ(moved(request(Operation::write, 86, 12)), (Sectors{6, 12}));
    EXPECT_EQ(moved(request(Operation::write, 88, 8)), (Sectors{8, 8}));
    EXPECT_EQ(moved(request(Operation::read, 803, 4)), (Sectors{27, 4}));
}

TEST_F(Compacted, TrimsTouchedPages) {
    EXPECT_EQ(moved(trim(0, 1000)), (Sectors{0, 32}));
    EXPECT_EQ(moved(trim(88, 8)), (Sectors{8, 8}));
    EXPECT_EQ(moved(trim(98, 704)), (Sectors{18, 8})) << "6 sectors of page 12, 2 of page 100";
    Request elsewhere = trim(4000, 800);
    EXPECT_FALSE(compaction.apply(elsewhere));
}

/// study_c exports 85 %: a load of 17 MiB that takes half of the exported capacity needs 40 MiB of flash.
TEST(DedupDrive, FitsTheLoad) {
    const platform::Configuration base = platform::parse_configuration(
        "preset = \"study_c\"\n[nand.geometry]\nchannels = 1\ndies = 1\ndies_per_way = 1\nplanes = 1\nblocks "
        "= 1000\n",
        "test", {});
    Load load;
    load.touched_bytes = 17ULL << 20U;
    const platform::Configuration fitted = drive_for(load, 0.5, base);
    EXPECT_NEAR(fitted.nand.geometry.blocks, 160, 1) << "of 256 KiB";
    EXPECT_GE(fitted.exported_bytes(), 34ULL << 20U);
    load.touched_bytes = 4096;
    EXPECT_EQ(drive_for(load, 1.0, base).nand.geometry.blocks, kLeastBlocks);
}

TEST(DedupLoads, GiveTheirRequestsInOrder) {
    const std::vector<Request> requests{request(Operation::write, 0, 8), request(Operation::read, 8, 8)};
    LoadSource source(requests);
    Request given;
    ASSERT_TRUE(source.next(given));
    EXPECT_EQ(given.operation, Operation::write);
    ASSERT_TRUE(source.next(given));
    EXPECT_EQ(given.lba.value, 8U);
    EXPECT_FALSE(source.next(given));
}

/// Before the cut, every content is written to one place and then to another, and each write is followed by a
/// FLUSH. The request after the cut touches none of these places.
TEST(DedupPowerLoss, EveryPageIsWrittenTwiceAndFlushed) {
    std::map<std::uint64_t, std::set<std::uint64_t>> places;
    Ps last_write{0};
    Ps last_flush{0};
    for (const Request& request : power_loss_requests()) {
        if (request.operation == Operation::write) {
            ASSERT_EQ(request.content.size(), 1U);
            EXPECT_NE(request.content[0], 0U) << "zeros";
            places[request.content[0]].insert(request.lba.value);
            last_write = request.arrival;
        } else if (request.operation == Operation::flush) {
            last_flush = request.arrival;
        } else {
            EXPECT_GT(request.arrival, power_loss_at(Moment::idle));
            EXPECT_GE(request.lba.value, 2U * kPowerLossPages * 8);
        }
    }
    EXPECT_EQ(places.size(), kPowerLossPages);
    for (const auto& [content, of] : places) {
        EXPECT_EQ(of.size(), 2U) << content;
    }
    EXPECT_GE(last_flush, last_write);
    EXPECT_LT(power_loss_at(Moment::at_once), last_flush + kIdleThreshold)
        << "nothing is deduplicated by then";
    EXPECT_GT(power_loss_at(Moment::idle), last_flush + kIdleThreshold);
}

}  // namespace
}  // namespace solidtlm::testbench::dedup
