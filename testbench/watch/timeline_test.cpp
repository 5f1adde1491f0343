// SPDX-License-Identifier: Apache-2.0
//
// Timelines: a trace-event file as ui.perfetto.dev expects it, arrows from commands to the right dies, and
// agreement with the result file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "testbench/watch/record_test_support.h"

namespace solidtlm::testbench {
namespace {

struct Slice {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::size_t depth = 0;
    Json event;
};

/// A timeline, checked while it is read: on each track, begins and ends match, nest and are ordered by time.
class Timeline {
  public:
    explicit Timeline(const std::filesystem::path& path) {
        std::ifstream file(path);
        const Json document = Json::parse(file);
        EXPECT_EQ(document["displayTimeUnit"], "ns");
        for (const Json& event : document["traceEvents"]) {
            take(event);
        }
        for (const auto& [track, open] : open_) {
            EXPECT_TRUE(open.empty()) << "a slice of " << track << " has no end";
        }
        for (const std::string& track : used_) {
            EXPECT_TRUE(names_.contains(track)) << track << " has no name";
        }
    }

    /// The outermost slices of a track, given by the names of process and thread, ordered by time.
    [[nodiscard]] std::vector<Slice> slices(const std::string& process, const std::string& thread) const {
        std::vector<Slice> found;
        for (const auto& [key, slices] : slices_) {
            if (names_.at(key) != process + "/" + thread) {
                continue;
            }
            for (const Slice& slice : slices) {
                if (slice.depth == 0) {
                    found.push_back(slice);
                }
            }
        }
        return found;
    }
    [[nodiscard]] std::int64_t busy(const std::string& process, const std::string& thread) const {
        std::int64_t sum = 0;
        for (const Slice& slice : slices(process, thread)) {
            sum += slice.end - slice.begin;
        }
        return sum;
    }
    struct Arrow {
        Slice from;
        Slice to;
        std::string to_track;
    };
    [[nodiscard]] std::vector<Arrow> arrows() const {
        std::vector<Arrow> found;
        EXPECT_EQ(starts_.size(), finishes_.size());
        for (const auto& [id, start] : starts_) {
            const auto finish = finishes_.find(id);
            if (finish == finishes_.end()) {
                ADD_FAILURE() << "arrow " << id << " ends nowhere";
                continue;
            }
            EXPECT_LE(start.second, finish->second.second);
            const auto from = enclosing(start);
            const auto to = enclosing(finish->second);
            if (!from || !to) {
                ADD_FAILURE() << "arrow " << id << " hangs in the air";
                continue;
            }
            found.push_back(Arrow{*from, *to, names_.at(finish->second.first)});
        }
        return found;
    }
    std::int64_t first = INT64_MAX;
    std::int64_t last = 0;

  private:
    using Place = std::pair<std::string, std::int64_t>;  ///< track and instant

    void take(const Json& event) {
        const std::string kind = event["ph"];
        const std::string key =
            std::to_string(event["pid"].get<int>()) + "." + std::to_string(event["tid"].get<int>());
        if (kind == "M") {
            if (event["name"] == "process_name") {
                processes_[event["pid"]] = event["args"]["name"];
            } else if (event["name"] == "thread_name") {
                names_[key] = processes_.at(event["pid"]) + "/" + event["args"]["name"].get<std::string>();
            }
            return;
        }
        const auto at = static_cast<std::int64_t>(std::llround(event["ts"].get<double>() * 1e6));
        first = std::min(first, at);
        last = std::max(last, at);
        if (kind == "B") {
            std::vector<Slice>& open = open_[key];
            used_.insert(key);
            EXPECT_GE(at, open.empty() ? latest_[key] : open.back().begin) << key;
            open.push_back(Slice{at, 0, open.size(), event});
        } else if (kind == "E") {
            ASSERT_FALSE(open_[key].empty()) << "an end without a beginning";
            Slice slice = open_[key].back();
            open_[key].pop_back();
            slice.end = at;
            EXPECT_LT(slice.begin, slice.end) << slice.event;
            EXPECT_GE(slice.end, latest_[key]) << "an inner slice lasts longer";
            latest_[key] = at;
            slices_[key].push_back(slice);
        } else if (kind == "s") {
            EXPECT_TRUE(starts_.emplace(event["id"], Place{key, at}).second);
        } else if (kind == "f") {
            EXPECT_EQ(event["bp"], "e");
            EXPECT_TRUE(finishes_.emplace(event["id"], Place{key, at}).second);
        } else {
            EXPECT_EQ(kind, "C");
        }
    }
    [[nodiscard]] std::optional<Slice> enclosing(const Place& place) const {
        const auto track = slices_.find(place.first);
        if (track == slices_.end()) {
            return std::nullopt;
        }
        for (const Slice& slice : track->second) {
            if (slice.depth == 0 && slice.begin <= place.second && place.second < slice.end) {
                return slice;
            }
        }
        return std::nullopt;
    }

    std::map<int, std::string> processes_;
    std::map<std::string, std::string> names_;
    std::map<std::string, std::vector<Slice>> open_;
    std::map<std::string, std::vector<Slice>> slices_;
    std::map<std::string, std::int64_t> latest_;
    std::map<std::uint64_t, Place> starts_;
    std::map<std::uint64_t, Place> finishes_;
    std::set<std::string> used_;
};

RecorderSettings timeline_to(const std::filesystem::path& path) {
    RecorderSettings record;
    record.timeline = path;
    return record;
}

// Static allocation in the order channel, way, die, plane: logical page n lies on channel n mod 2, there on
// die (n / 2) mod 2.
TEST(Timeline, ArrowsLeadFromReadsToTheDieThatHoldsThePage) {
    constexpr std::uint64_t kPages = 16;
    const platform::Configuration configuration =
        preset("tiny", {"firmware.allocation.mode=static", "firmware.allocation.order=CWDP",
                        "firmware.write_buffer.policy=write_through", "nand.geometry.page_size=4KiB"});
    std::vector<Request> requests;
    for (const Operation operation : {Operation::write, Operation::read}) {
        for (std::uint64_t page = 0; page < kPages; ++page) {
            requests.push_back(request_of(operation, page * 8, 8));
        }
    }
    const RecordFolder folder;
    ListedSource source(requests);
    run_recorded(configuration, source, timeline_to(folder / "t.json"), 1);
    const Timeline timeline(folder / "t.json");
    std::map<std::uint64_t, Json> written;  // place by LBA
    std::size_t reads = 0;
    for (const Timeline::Arrow& arrow : timeline.arrows()) {
        const std::uint64_t lba = arrow.from.event["args"]["lba"];
        const Json& place = arrow.to.event["args"];
        EXPECT_EQ(arrow.from.event["name"], arrow.to.event["name"] == "program" ? "write" : "read");
        const std::uint64_t page = lba / 8;
        EXPECT_EQ(arrow.to_track,
                  "dies/channel " + std::to_string(page % 2) + " die " + std::to_string(page / 2 % 2));
        if (arrow.to.event["name"] == "program") {
            written[lba] = place;
        } else {
            ++reads;
            for (const char* field : {"plane", "block", "page"}) {
                EXPECT_EQ(place[field], written[lba][field]) << "LBA " << lba << " " << field;
            }
        }
    }
    EXPECT_EQ(written.size(), kPages);
    EXPECT_EQ(reads, kPages);
}

TEST(Timeline, ShowsEveryCommandOnTheTrackOfItsTag) {
    const RecordFolder folder;
    const platform::Configuration configuration = preset("tiny", {});
    RandomMix::Shares shares;
    shares.requests = 200;
    RandomMix source(3, configuration.firmware.exported_sectors, shares);
    const Json result = run_recorded(configuration, source, timeline_to(folder / "t.json"), 8);
    const Timeline timeline(folder / "t.json");
    std::set<std::uint64_t> sequences;
    for (int tag = 0; tag < 32; ++tag) {
        for (const Slice& slice : timeline.slices("host commands", "tag " + std::to_string(tag))) {
            EXPECT_TRUE(sequences.insert(slice.event["args"]["sequence"].get<std::uint64_t>()).second);
        }
    }
    for (const Slice& slice : timeline.slices("host commands", "non-queued")) {
        EXPECT_TRUE(sequences.insert(slice.event["args"]["sequence"].get<std::uint64_t>()).second);
    }
    EXPECT_EQ(sequences.size(), result["host"]["completed"].get<std::size_t>());
}

// Power is cut twice, the second time in the middle of the boot.
TEST(Timeline, ShowsTheStepsOfABoot) {
    constexpr Ps kUs{1'000'000};
    const RecordFolder folder;
    RunSpec run;
    run.configuration = preset("tiny", {"firmware.map_cache.policy=tafp"});
    run.record = timeline_to(folder / "t.json");
    run.power_cuts.at = {20'000 * kUs, 21'500 * kUs};
    run.power_cuts.off = 1'000 * kUs;
    RandomMix::Shares shares;
    shares.requests = 1000;
    RandomMix source(3, run.configuration.firmware.exported_sectors, shares);
    const SimulationOutcome outcome = simulate(run, source, ClosedLoop(8));
    EXPECT_TRUE(outcome.faults.empty());
    const Json& power = outcome.result["power"];
    ASSERT_EQ(power["interrupted_boots"], 1);
    ASSERT_EQ(power["boots"], 1);
    const Timeline timeline(folder / "t.json");
    const std::vector<Slice> steps = timeline.slices("firmware", "boot");
    ASSERT_EQ(steps.size(), 1 + power["boot_steps"].size());
    EXPECT_EQ(steps[0].begin, 21'000 * kUs.count());
    EXPECT_EQ(steps[0].end, 21'500 * kUs.count()) << "interrupted";
    for (std::size_t i = 1; i < steps.size(); ++i) {
        const Json& step = power["boot_steps"][i - 1];
        EXPECT_EQ(steps[i].event["name"], step["name"]);
        EXPECT_NEAR(static_cast<double>(steps[i].end - steps[i].begin) / 1e6, step["us"]["max"], 1e-6);
    }
}

TEST(Timeline, AWindowCutsSlicesAtItsEdges) {
    const RecordFolder folder;
    const platform::Configuration configuration = random_variant(5);
    RandomMix source(5, configuration.firmware.exported_sectors, RandomMix::Shares{});
    RecorderSettings record = timeline_to(folder / "t.json");
    record.timeline_window = RecordWindow{Ps{2'000'000'017}, Ps{4'000'000'000}};
    run_recorded(configuration, source, record, 8);
    const Timeline timeline(folder / "t.json");
    EXPECT_EQ(timeline.first, record.timeline_window.from.count());
    EXPECT_EQ(timeline.last, record.timeline_window.to.count());
    EXPECT_GT(timeline.arrows().size(), 5U);
}

// Each plane has a track, whose slices the reader has checked to nest and not to overlap.
TEST(Timeline, ShowsPlanesThatReadIndependently) {
    const RecordFolder folder;
    const platform::Configuration configuration =
        preset("tiny", {"nand.planes.read=independent", "nand.geometry.channels=1", "nand.geometry.dies=1",
                        "nand.geometry.dies_per_way=1"});
    const auto source = make_workload(
        parse_workload("random,read=0.7,size=4k,count=2000", configuration.firmware.exported_sectors));
    run_recorded(configuration, *source, timeline_to(folder / "t.json"), 16);
    const Timeline timeline(folder / "t.json");
    const std::vector<Slice> left = timeline.slices("dies", "channel 0 die 0 plane 0");
    const std::vector<Slice> right = timeline.slices("dies", "channel 0 die 0 plane 1");
    std::size_t beside = 0;
    for (const Slice& slice : left) {
        beside += static_cast<std::size_t>(std::ranges::count_if(right, [&slice](const Slice& other) {
            return other.begin > slice.begin && other.begin < slice.end;
        }));
    }
    EXPECT_GT(beside, 0U) << "two reads of the die at the same time";
    EXPECT_TRUE(timeline.slices("dies", "channel 0 die 0").empty());
}

// Errors abort all outstanding commands and the host issues them again: spans end and begin again.
TEST(Timeline, SurvivesQueueErrors) {
    const platform::Configuration configuration =
        preset("tiny", {"nand.rules.endurance_cycles=1", "ssd.over_provisioning=0.4"});
    const auto source =
        make_workload(parse_workload("random,read=0.2,count=10000", configuration.firmware.exported_sectors));
    const RecordFolder folder;
    RunSpec settings;
    settings.configuration = configuration;
    settings.record = timeline_to(folder / "t.json");
    settings.record.timeline_window = RecordWindow{Ps{300'000'000'000}, Ps{310'000'000'000}};
    const SimulationOutcome outcome = simulate(settings, *source, ClosedLoop(32));
    EXPECT_GT(outcome.result["host"]["failed"], 0);
    EXPECT_GT(outcome.result["host"]["retries"], 0);
    const Timeline timeline(folder / "t.json");
    EXPECT_GT(timeline.arrows().size(), 100U);
    std::map<std::uint64_t, std::size_t> spans;  // spans per command
    std::size_t most = 0;
    for (int tag = 0; tag < 32; ++tag) {
        for (const Slice& slice : timeline.slices("host commands", "tag " + std::to_string(tag))) {
            most = std::max(most, ++spans[slice.event["args"]["sequence"].get<std::uint64_t>()]);
        }
    }
    EXPECT_GT(most, 1U) << "some were issued again within the window";
}

class TimelineProperty : public ::testing::TestWithParam<int> {};

TEST_P(TimelineProperty, AgreesWithTheUtilisations) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    const platform::Configuration configuration = random_variant(seed);
    const RecordFolder folder;
    RandomMix::Shares shares;
    shares.requests = 300;
    RandomMix source(seed, configuration.firmware.exported_sectors, shares);
    const Json result = run_recorded(configuration, source, timeline_to(folder / "t.json"),
                                     1 + static_cast<std::uint32_t>(seed % 32));
    const Timeline timeline(folder / "t.json");
    const double run = result["sim_time_s"].get<double>() * 1e12;
    const auto end = static_cast<double>(timeline.last);
    ASSERT_GE(end, run);
    // A phase that is under way when the run ends counts fully in the result, but only up to the end on the
    // timeline.
    const double rest = 200e6 / end;
    constexpr double kExact = 1e-9;
    const auto share = [&](const std::string& process, const std::string& thread) {
        return static_cast<double>(timeline.busy(process, thread)) / end;
    };
    const Json& utilization = result["utilization"];
    EXPECT_NEAR(share("SATA link", "to device") + share("SATA link", "to host"),
                utilization["link"].get<double>(), rest);
    EXPECT_NEAR(share("firmware", "core"), utilization["core"].get<double>(), kExact);
    const std::uint32_t dies = configuration.nand.geometry.dies;
    for (std::uint32_t channel = 0; channel < configuration.nand.geometry.channels; ++channel) {
        const std::string name = "channel " + std::to_string(channel);
        EXPECT_NEAR(share("channels", name), utilization["channels"][channel].get<double>(), rest);
        for (std::uint32_t die = 0; die < dies; ++die) {
            EXPECT_NEAR(share("dies", name + " die " + std::to_string(die)),
                        utilization["dies"][channel * dies + die].get<double>(), kExact);
        }
    }
    for (const Timeline::Arrow& arrow : timeline.arrows()) {
        EXPECT_EQ(arrow.to.event["cat"], "host");
        EXPECT_GT(arrow.to.event["args"]["command"], 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TimelineProperty, ::testing::Range(1, 13));

}  // namespace
}  // namespace solidtlm::testbench
