// SPDX-License-Identifier: Apache-2.0
//
// TRIM on the whole drive: random ranges against the shadow model for every map and translation layer, with
// every promise about the contents of trimmed sectors; and the time of a command on an idle drive against
// data sheets and cycle counts.
#include "testbench/sim/child_runs.h"
#include "testbench/sim/host/listed_source.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

using Pointer = Json::json_pointer;

/// Runs in a process of its own, because SystemC elaborates once per process.
SimulationOutcome run_alone(const std::function<SimulationOutcome()>& run) {
    const std::vector<PointJob> jobs{{"run", run}};
    return run_points(jobs, PointPool{1, true}).front().outcome;
}

/// Reads, writes and TRIMs of every kind that the host can send: overlapping and unaligned ranges, empty
/// ranges, several blocks of ranges, and ranges that end after the last sector, which the device must refuse.
class TrimStorm : public RequestSource {
  public:
    TrimStorm(std::uint64_t seed, std::uint64_t sectors, std::uint64_t requests)
        : random_(seed), sectors_(sectors), left_(requests) {}

    bool next(Request& request) override {
        request.clear();
        if (filled_ < sectors_) {
            request.operation = Operation::write;
            request.lba = Lba{filled_};
            request.sectors = std::min<std::uint64_t>(128, sectors_ - filled_);
            filled_ += request.sectors;
            return true;
        }
        if (left_-- == 0) {
            return false;
        }
        request.queued = random_() % 2 == 0;
        const std::uint64_t kind = random_() % 20;
        if (kind < 13) {
            request.operation = kind < 7 ? Operation::read : Operation::write;
            request.sectors = 1 + random_() % 96;
            request.lba = Lba{random_() % (sectors_ - request.sectors + 1)};
        } else if (kind < 19) {
            trim(request);
        } else {
            request.operation = Operation::flush;
        }
        return true;
    }

    [[nodiscard]] std::uint64_t refused() const { return refused_; }

  private:
    void trim(Request& request) {
        request.operation = Operation::trim;
        const bool several_blocks = random_() % 8 == 0;
        const std::uint64_t ranges = 1 + random_() % (several_blocks ? 300 : 64);
        std::uint64_t first = random_() % sectors_;
        for (std::uint64_t i = 0; i < ranges; ++i) {
            switch (random_() % 4) {
                case 0:  // overlaps or touches the previous range
                    first = std::min(first + random_() % 32, sectors_ - 1);
                    break;
                case 1:  // whole units
                    first = random_() % sectors_ / 32 * 32;
                    break;
                default:
                    first = random_() % sectors_;
            }
            const std::uint64_t length = random_() % 5 == 0 ? 0 : random_() % 200;
            add(request, first, std::min(length, sectors_ - first));
        }
        if (random_() % 10 == 0) {
            request.ranges.back() = TrimRange{Lba{sectors_ - 5}, 5};  // up to the very end
        } else if (random_() % 15 == 0 && request.ranges.size() < 64) {
            request.ranges.push_back(TrimRange{Lba{sectors_ - 5}, 6});
            ++refused_;
        }
    }
    static void add(Request& request, std::uint64_t first, std::uint64_t sectors) {
        request.ranges.push_back(TrimRange{Lba{first}, static_cast<std::uint32_t>(sectors)});
    }

    std::mt19937_64 random_;
    std::uint64_t sectors_;
    std::uint64_t left_;
    std::uint64_t filled_ = 0;
    std::uint64_t refused_ = 0;
};

struct Kind {
    const char* name;
    std::vector<std::string> settings;
};

void PrintTo(const Kind& kind, std::ostream* out) {
    *out << kind.name;
}

std::vector<Kind> kinds() {
    std::vector<Kind> all{{"page_map", {}}};
    for (const char* policy : {"full_page", "half_page", "tafp", "dftl", "bsb", "sftl", "cftl", "tpftl"}) {
        all.push_back({policy,
                       {"firmware.map_cache.policy=" + std::string(policy), "firmware.map_cache.size=3KiB",
                        "firmware.map_cache.translation_page=1KiB", "ssd.over_provisioning=0.45"}});
    }
    for (const char* layer : {"fmax", "bast", "fast", "mtbs"}) {
        all.push_back({layer, {"firmware.translation=" + std::string(layer), "ssd.over_provisioning=0.6"}});
    }
    return all;
}

struct Promise {
    const char* deterministic;
    const char* zeros;
    const char* write_cache;
};

class TrimDrive : public ::testing::TestWithParam<Kind> {};

TEST_P(TrimDrive, KeepsItsPromisesUnderAStorm) {
    std::uint64_t seed = 1;
    for (const Promise& promise : {Promise{"true", "true", "true"}, Promise{"true", "false", "true"},
                                   Promise{"false", "false", "true"}, Promise{"true", "true", "false"}}) {
        std::vector<std::string> settings = GetParam().settings;
        settings.push_back("sata.deterministic_after_trim=" + std::string(promise.deterministic));
        settings.push_back("sata.zeros_after_trim=" + std::string(promise.zeros));
        settings.push_back("sata.write_cache=" + std::string(promise.write_cache));
        RunSpec run;
        run.configuration = preset("tiny", settings);
        TrimStorm storm(seed++, run.configuration.firmware.exported_sectors, 700);
        const SimulationOutcome outcome = run_alone([&run, storm]() mutable {  // consumes its copy
            return simulate(run, storm, ClosedLoop(32));
        });
        for (Request request; storm.next(request);) {
        }
        ASSERT_GT(storm.refused(), 0U);
        // The device must refuse trims beyond its end: they count as failed commands, not as faults.
        ASSERT_TRUE(outcome.faults.empty()) << outcome.faults.front();
        EXPECT_EQ(outcome.result.at(Pointer("/host/failed")), storm.refused());
        EXPECT_EQ(outcome.result.at(Pointer("/verify/mismatches")), 0);
        EXPECT_GT(outcome.result.at(Pointer("/verify/reads_checked")), 0);
        EXPECT_GT(outcome.result.at(Pointer("/firmware/host.trimmed_units")), 0);
        const Json& partial = outcome.result.at(Pointer("/firmware/host.trimmed_partial_units"));
        EXPECT_EQ(partial > 0, std::string(promise.zeros) == "true") << "zeroed, or kept";
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, TrimDrive, ::testing::ValuesIn(kinds()),
                         [](const auto& test) { return std::string(test.param.name); });

constexpr std::uint64_t kWrittenSectors = 1U << 18U;  // at least this many

/// Stages of one TRIM on an idle drive of preset default, us; `latency` is measured by the host.
struct Stages {
    Json us;
    double latency = 0.0;
    double operator[](const char* stage) const { return us.at(stage).get<double>(); }
};

Stages time_trim(const std::vector<TrimRange>& ranges, std::vector<std::string> settings = {}) {
    RunSpec run;
    run.configuration = preset("default", std::move(settings));
    run.precondition = parse_preconditioning("fill=0.005,random=0");
    const SimulationOutcome outcome = run_alone([&run, &ranges] {
        Request trim = request_of(Operation::trim, 0, 0);
        trim.ranges = ranges;
        trim.queued = false;
        ListedSource source({trim});
        return simulate(run, source, ClosedLoop(1));
    });
    EXPECT_TRUE(outcome.faults.empty()) << outcome.faults.front();
    const Json& result = outcome.result;
    EXPECT_GE(result.at(Pointer("/precondition/host_bytes")), kWrittenSectors * 512);
    EXPECT_EQ(result.at(Pointer("/host/trim/count")), 1);
    return {result.at(Pointer("/ledger/by_operation/trim")),
            result.at(Pointer("/host/trim/latency_us/mean")).get<double>()};
}

TrimRange units(std::uint64_t first, std::uint32_t count) {
    return {Lba{first * 8}, count * 8};
}

/// Ranges of one unit, 32 units apart: each is in a different line of the map.
std::vector<TrimRange> scattered(std::uint32_t count) {
    std::vector<TrimRange> ranges;
    for (std::uint32_t i = 0; i < count; ++i) {
        ranges.push_back(units(std::uint64_t{i} * 32, 1));
    }
    return ranges;
}

constexpr double kCore = 1.0 / 500.0;  // us per cycle at 500 MHz
/// DDR3-1600 x16: CL 13.75 ns, 16 bytes in 5 ns. One entry of the map is written, and a line of 64 bytes is
/// read.
constexpr double kWriteEntry = 0.01875;
constexpr double kReadLine = 0.03375;

/// The link's model: framing of 3 dwords, two ALIGN in 256, 95 dwords of turnaround; 150 MHz.
double frame_us(double dwords) {
    return ((dwords + 3.0) * 256.0 / 254.0 + 95.0) / 150.0;
}

TEST(TrimTime, IsTheSumOfItsStages) {
    for (const std::vector<TrimRange>& ranges :
         {scattered(1), scattered(64), std::vector{units(0, 4096)}, std::vector{TrimRange{Lba{3}, 1000}}}) {
        const Stages stages = time_trim(ranges);
        double sum = 0.0;
        for (const auto& [stage, us] : stages.us.items()) {
            sum += us.get<double>();
        }
        EXPECT_NEAR(sum, stages.latency, 1e-5);
    }
}

/// Command, DMA Activate, one block of data, final status; nothing else is on the link.
TEST(TrimTime, OnTheLinkIsThatOfFourFrames) {
    const Stages stages = time_trim(scattered(1));
    EXPECT_NEAR(stages["link_transfer"] + stages["completion"],
                frame_us(5) + frame_us(1) + frame_us(1 + 128) + frame_us(5), 1e-3);
    EXPECT_EQ(stages["host_queue"], 0.0);
    EXPECT_EQ(stages["command_queue"], 0.0);
    EXPECT_EQ(stages["write_buffer_stall"], 0.0);
}

/// command_fetch 150, trim_range 60, trim_unit 8 and map_update 30 per unit, command_complete 100.
TEST(TrimTime, OnTheCoreIsThatOfItsSteps) {
    EXPECT_NEAR(time_trim({units(0, 1)})["firmware_execute"], (150 + 60 + 8 + 30 + 100) * kCore, 1e-4);
    EXPECT_NEAR(time_trim({units(0, 48)})["firmware_execute"], (150 + 60 + 48 * 38 + 100) * kCore, 1e-4);
    EXPECT_NEAR(time_trim(scattered(64))["firmware_execute"], (150 + 64 * 98 + 100) * kCore, 1e-4);
}

/// firmware.cycles.trim_command is paid once per command with any number of ranges, and nowhere else.
TEST(TrimTime, TheFixedWorkOfACommandIsPaidOnce) {
    const std::vector<std::string> fixed{"firmware.cycles.trim_command=25000"};
    for (const std::uint32_t ranges : {1U, 64U}) {
        const Stages without = time_trim(scattered(ranges));
        const Stages with = time_trim(scattered(ranges), fixed);
        EXPECT_NEAR(with["firmware_execute"] - without["firmware_execute"], 25'000 * kCore, 1e-4);
        EXPECT_NEAR(with.latency - without.latency, 25'000 * kCore, 1e-4);
    }
}

/// Each changed entry is written; each line of 16 entries is read, however few of its entries are needed.
TEST(TrimTime, InDramIsThatOfTheMap) {
    const double few = time_trim({units(0, 16)})["dram_transfer"];
    const double many = time_trim({units(0, 48)})["dram_transfer"];
    EXPECT_NEAR(many - few, 32 * kWriteEntry + 2 * kReadLine, 1e-4);
    const double one = time_trim(scattered(1))["dram_transfer"];
    const double eight = time_trim(scattered(8))["dram_transfer"];
    EXPECT_NEAR(eight - one, 7 * (kWriteEntry + kReadLine), 1e-4);
}

/// Unwritten units cost a lookup but no update.
TEST(TrimTime, UnwrittenUnitsCostOnlyLookups) {
    const std::uint64_t beyond = std::uint64_t{1} << 26U;
    const Stages stages = time_trim({TrimRange{Lba{beyond}, 48 * 8}});
    EXPECT_NEAR(stages["firmware_execute"], (150 + 60 + 48 * 8 + 100) * kCore, 1e-4);
    EXPECT_LT(stages["dram_transfer"], 3 * (kReadLine + 0.0275) + 1e-4)
        << "three lines; the first one opens a row";
}

/// Three sectors of a unit that is on flash: zeros go to the write buffer (buffer_lookup 30, unit_lookup 40,
/// buffer_insert 60; 1,536 bytes take 480 ns). If RZAT is not promised, nothing needs to be done.
TEST(TrimTime, CoversPartialUnits) {
    const std::vector<TrimRange> part{TrimRange{Lba{8002}, 3}};
    const Stages zeroed = time_trim(part);
    EXPECT_NEAR(zeroed["firmware_execute"], (150 + 60 + 30 + 40 + 60 + 100) * kCore, 1e-4);
    EXPECT_GT(zeroed["dram_transfer"], 0.48 + kReadLine);
    EXPECT_LT(zeroed["dram_transfer"], 0.48 + kReadLine + 3 * 0.0275) << "rows are opened";
    const Stages kept = time_trim(part, {"sata.zeros_after_trim=false"});
    EXPECT_NEAR(kept["firmware_execute"], (150 + 60 + 100) * kCore, 1e-4);
    EXPECT_EQ(kept["dram_transfer"], 0.0);
}

/// Without a write cache, the zeros are on flash when the command ends: the rest of the unit is read, and the
/// superpage is programmed.
TEST(TrimTime, WithoutAWriteCacheIncludesReadModifyWrite) {
    const std::vector<TrimRange> part{TrimRange{Lba{8002}, 3}};
    const double cached = time_trim(part).latency;
    const double written = time_trim(part, {"sata.write_cache=false"}).latency;
    EXPECT_GT(written - cached, 50.0 + 500.0) << "tR and tPROG";
    EXPECT_LT(written - cached, 50.0 + 500.0 + 200.0) << "and the bus, twice";
    EXPECT_NEAR(time_trim({units(0, 1)}, {"sata.write_cache=false"}).latency,
                time_trim({units(0, 1)}).latency, 0.01)
        << "whole units need no write";
}

/// Reads that are outstanding when a non-queued TRIM arrives are finished first (ata_std_qc_defer).
class TrimAmongReads : public RequestSource {
  public:
    explicit TrimAmongReads(bool queued) : queued_(queued) {}
    bool next(Request& request) override {
        request.clear();
        if (step_ < 64) {
            request.operation = Operation::write;
            request.lba = Lba{step_ * 256};
            request.sectors = 256;
        } else if (step_ == 64) {
            request.operation = Operation::flush;
        } else if (step_ == 80) {
            request.operation = Operation::trim;
            request.ranges = {units(2000, 4)};
            request.queued = queued_;
        } else {
            request.lba = Lba{(step_ - 65) * 256};
            request.sectors = 8;
        }
        return step_++ < 96;
    }

  private:
    bool queued_;
    std::uint64_t step_ = 0;
};

TEST(TrimTime, ANonQueuedTrimWaitsForTheQueueAndHoldsItBack) {
    for (const bool queued : {false, true}) {
        RunSpec run;
        run.configuration = preset("default", {});
        const Json result = run_alone([&run, queued] {
                                TrimAmongReads source(queued);
                                return simulate(run, source, ClosedLoop(16));
                            }).result;
        const double held = result.at(Pointer("/ledger/by_operation/trim/host_queue")).get<double>();
        if (queued) {
            EXPECT_LT(held, 50.0) << "for the frames of earlier commands, not for a tR";
        } else {
            EXPECT_GT(held, 50.0) << "at least the tR of the reads before it";
        }
    }
}

}  // namespace
}  // namespace solidtlm::testbench
