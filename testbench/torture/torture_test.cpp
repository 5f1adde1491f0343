// SPDX-License-Identifier: Apache-2.0
//
// Case files, shrinking, and the corpus: cases that once failed, or that test a corner case.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>

#include "fw/hal/check.h"
#include "fw/hal/zeroed_memory.h"
#include "fw/testing/places.h"
#include "testbench/programs/cli/run_file.h"
#include "testbench/sim/host/request.h"
#include "testbench/torture/campaign.h"
#include "testbench/torture/draw.h"
#include "testbench/torture/load.h"
#include "testbench/torture/sessions.h"
#include "testbench/torture/shrink.h"

namespace solidtlm::testbench {
namespace {

TEST(CaseFile, ReadsBackAsWritten) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        TortureCase torture = draw_case(seed, "tiny", {}).torture;
        const std::string toml = to_toml(torture, "two\nlines, \033[31mred");
        TortureCase read = parse_case(toml, "case.toml");
        for (TortureCase* each : {&torture, &read}) {
            std::ranges::sort(each->load);  // a file has the items of [run] first
        }
        EXPECT_EQ(read, torture) << toml;
    }
}

TEST(CaseFile, IsARunFileWithATableOfItsOwn) {
    const TortureCase torture{"tiny",
                              {"content=bytes", "nand.geometry.channels=1", "content=\"tags\""},
                              {"requests=20", "client=disk", "power_off=1ms"},
                              {"random", "read=0.5"},
                              {"fill=1", "random=2"},
                              {"at 3ms", "at 1ms"}};
    const std::string toml = to_toml(torture, "what it is");
    EXPECT_EQ(toml,
              "# what it is\n"
              "preset = \"tiny\"\n"
              "generated = true\n"
              "nand.geometry.channels = 1\n"
              "content = \"tags\"\n"
              "\n[run]\n"
              "precondition = \"fill=1,random=2\"\n"
              "workload = \"random,read=0.5\"\n"
              "limit = 20\n"
              "power_off = \"1ms\"\n"
              "power_cut_at = [\"3ms\", \"1ms\"]\n"
              "\n[torture]\n"
              "client = \"disk\"\n");
    const RunSpec run = parse_run(toml.substr(0, toml.find("\n[torture]")), "case.toml");
    EXPECT_EQ(run.workload, "random,read=0.5");
    EXPECT_EQ(run.limit, 20U);
    EXPECT_EQ(run.power_cuts.at.size(), 2U);
    EXPECT_EQ(to_toml(TortureCase{"tiny", {}, {}, {"mix", "reads=3"}, {}, {"every 3ms"}}, ""),
              "preset = \"tiny\"\n\n[run]\npower_cut_every = \"3ms\"\n\n[torture]\nmix = \"reads=3\"\n");
    EXPECT_EQ(to_toml(TortureCase{"tiny", {}, {}, {}, {}, {}, {"clean timed", "sleep"}}, ""),
              "preset = \"tiny\"\n\n[torture]\nsessions = [\"clean timed\", \"sleep\"]\n");
}

std::string message_of(const std::string& toml) {
    try {
        (void)prepare(parse_case(toml, "case.toml"));
    } catch (const InputError& error) {
        return error.what();
    } catch (const platform::ConfigurationError& error) {
        return error.what();
    }
    return {};
}

TEST(CaseFile, ReportsMistakes) {
    EXPECT_EQ(message_of(""), "");
    EXPECT_EQ(
        message_of("\n[torture]\ncut = []"),
        "case.toml:3: torture.cut: found what is no key of a case; allowed: max_sectors, unqueued, "
        "beyond, client, write_cache, error_log_by_dma, questions, uncorrectable, pauses, rewrites, compare, "
        "check_protocol, seed, mix, cuts, sessions; did you mean cuts?");
    EXPECT_EQ(message_of("[run]\ntrace = 'a'"),
              "case.toml:2: run.trace: found what is no key of a case; allowed: workload, precondition, "
              "queue_depth, limit, power_off, power_cut_at, power_cut_every");
    EXPECT_EQ(message_of("nand.geometry.chanels = 3"),
              "case.toml:1: nand.geometry.chanels: unknown key; did you mean nand.geometry.channels?");
    EXPECT_EQ(message_of("torture.cuts = 3"),
              "case.toml:1: torture.cuts: found no list; allowed: a list of strings");
    EXPECT_EQ(message_of("torture.cuts = [3]"),
              "case.toml:1: torture.cuts: found an element that is no string; allowed: strings");
    for (const char* wrong :
         {"preset = 3", "preset = 'none'", "x = 1", "seed = 'x'", "run.limit = 0", "torture.pauses = 7",
          "torture.mix = 'x=1'", "run.workload = 'mox'", "run.precondition = 'fill=2'",
          "torture.cuts = ['erase']", "run.power_cut_at = 'x'", "torture.sessions = ['off']",
          "torture.sessions = ['sleep', 'timed']", "torture.sessions = ['sleep'] \n torture.compare = true",
          "torture.sessions = ['sleep'] \n faults.program_failure = 0.1",
          "torture.sessions = ['cut'] \n firmware.translation = 'fast' \n firmware.unit = '8KiB'",
          "torture.cuts = ['erase 1'] \n firmware.translation = 'fast' \n firmware.unit = '8KiB'",
          "a = [1"}) {
        EXPECT_NE(message_of(wrong), "") << wrong;
    }
}

/// Fails as long as all of `needed` are present and the load has at least `requests` requests.
struct ArtificialFault {
    std::set<std::string> needed;
    std::uint64_t requests;

    [[nodiscard]] bool fails(const TortureCase& torture) const {
        std::set<std::string> items;
        for (const auto list : kCaseLists) {
            items.insert((torture.*list).begin(), (torture.*list).end());
        }
        return std::ranges::includes(items, needed) && prepare(torture).load.requests >= requests;
    }
};

// The smallest case has the four items and the fewest requests.
TEST(Shrink, FindsTheSmallestCase) {
    TortureCase torture;
    for (int i = 0; i < 40; ++i) {
        torture.settings.push_back("nand.bad_blocks.seed=" + std::to_string(i));
        torture.cuts.push_back("erase " + std::to_string(i));
    }
    torture.cuts.emplace_back("erase 5 +1ps");
    torture.load = {"seed=7", "requests=500", "queue_depth=3"};
    torture.workload = {"mix", "trims=3", "reads=1"};
    torture.precondition = {"fill=1"};
    const ArtificialFault fault{
        {"nand.bad_blocks.seed=13", "nand.bad_blocks.seed=37", "erase 5 +1ps", "fill=1"}, 77};
    ASSERT_TRUE(fault.fails(torture));
    for (const std::size_t at_once : {1, 2, 7}) {
        std::size_t tried = 0;
        const StillFails still_fails = [&](const std::vector<TortureCase>& cases) {
            EXPECT_LE(cases.size(), at_once);
            tried += cases.size();
            std::vector<bool> fails;
            for (const TortureCase& each : cases) {
                fails.push_back(fault.fails(each));
            }
            return fails;
        };
        const Shrunk shrunk = shrink(torture, still_fails, at_once, 2000);
        EXPECT_EQ(shrunk.tried, tried);
        const TortureCase least{"tiny",          {"nand.bad_blocks.seed=13", "nand.bad_blocks.seed=37"},
                                {"requests=77"}, {},
                                {"fill=1"},      {"erase 5 +1ps"}};
        EXPECT_EQ(shrunk.torture, least) << to_toml(shrunk.torture, "");
    }
}

TortureCase shrunk_with(const std::string& cut, const std::function<bool(const EventCut&)>& fails) {
    TortureCase torture;
    torture.cuts = {cut};
    const StillFails still_fails = [&](const std::vector<TortureCase>& cases) {
        std::vector<bool> found;
        for (const TortureCase& each : cases) {
            found.push_back(!each.cuts.empty() && fails(*parse_event_cut(each.cuts.front())));
        }
        return found;
    };
    return shrink(torture, still_fails, 2, 1000).torture;
}

// The default number of requests is made explicit, so that it can be reduced.
TEST(Shrink, MakesCutsEarlier) {
    const auto third = [](const EventCut& cut) { return cut.after >= 3; };
    const auto third_late = [](const EventCut& cut) { return cut.after >= 3 && cut.offset_ps == 1; };
    EXPECT_EQ(shrunk_with("erase 411 +1ps", third).cuts, std::vector<std::string>{"erase 3"});
    EXPECT_EQ(shrunk_with("erase 411 +1ps", third_late).cuts, std::vector<std::string>{"erase 3 +1ps"});
    EXPECT_EQ(shrunk_with("time 350us", [](const EventCut&) { return true; }).cuts,
              std::vector<std::string>{"time 1ps"});
    EXPECT_EQ(shrunk_with("erase 1", third).load, std::vector<std::string>{"requests=300"});
}

// Without protection, cuts that take word lines lose data: a case without it says nothing of the fault.
TEST(Shrink, KeepsProtectionWhereCutsTakeWordLines) {
    const std::string cut = "nand.power_cut=\"word_line\"";
    const std::string protect = "firmware.word_lines.protect=\"backup\"";
    const auto shrunk = [&](const std::string& needed) {
        TortureCase torture;
        torture.settings = {protect, "dram.size=\"64MiB\"", cut};
        const StillFails still_fails = [&](const std::vector<TortureCase>& cases) {
            std::vector<bool> fails;
            for (const TortureCase& each : cases) {
                fails.push_back(std::ranges::count(each.settings, needed) > 0);
            }
            return fails;
        };
        return shrink(torture, still_fails, 1, 1000).torture.settings;
    };
    EXPECT_EQ(shrunk(cut), (std::vector<std::string>{protect, cut}));
    EXPECT_EQ(shrunk("dram.size=\"64MiB\""), std::vector<std::string>{"dram.size=\"64MiB\""});
}

TEST(Shrink, StopsAtTheLimit) {
    TortureCase torture;
    torture.cuts.assign(1000, "erase 3");
    std::size_t tried = 0;
    const StillFails never = [&](const std::vector<TortureCase>& cases) {
        tried += cases.size();
        return std::vector<bool>(cases.size());
    };
    const TortureCase shrunk = shrink(torture, never, 3, 20).torture;
    torture.load = {"requests=300"};
    EXPECT_EQ(shrunk, torture);
    EXPECT_LE(tried, 22U);
}

TEST(Signature, LeavesNumbersOut) {
    EXPECT_EQ(signature_of({}), "");
    EXPECT_EQ(signature_of({"12 sectors did not read back", "LBA 3"}), "# sectors did not read back");
    EXPECT_EQ(signature_of({"check failed: a (b)\n  at f.cpp:12\n  in coroutine x"}),
              "check failed: a (b)\n  at f.cpp:#");
    EXPECT_EQ(
        signature_of({"\n==========\n==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n"}),
        "#==ERROR: AddressSanitizer: heap-use-after-free");
    EXPECT_EQ(signature_of({"5123 ns: error: x"}), signature_of({"5.25 us: error: x"}));
}

CampaignSettings campaign(std::uint64_t seeds, std::uint32_t jobs) {
    CampaignSettings settings;
    settings.last_seed = seeds;
    settings.jobs = jobs;
    settings.quiet = true;
    settings.out = ::testing::TempDir();
    return settings;
}

// Drawn cases and their outcomes do not depend on the number of parallel jobs.
TEST(Campaign, IsTheSameWithAnyNumberOfJobs) {
    constexpr std::uint64_t kSeeds = 40;
    const CampaignReport one = run_campaign(campaign(kSeeds, 1));
    const CampaignReport three = run_campaign(campaign(kSeeds, 3));
    EXPECT_EQ(one.seeds, kSeeds);
    EXPECT_EQ(one.coverage, three.coverage);
    EXPECT_EQ(one.coverage["cases"], kSeeds);
    EXPECT_GT(one.coverage["reads_checked"], 0);
    for (const CampaignReport& report : {one, three}) {
        for (const FoundFault& found : report.found) {
            ADD_FAILURE() << "seed " << found.seed << ": " << found.faults.front();
        }
    }
}

TEST(Children, ThatHangOrCrashAreFaults) {
    const CaseLimits limits{std::chrono::seconds(1), 1U << 30U};
    const std::vector<CaseJob> jobs{
        {"hangs",
         [] {
             volatile bool forever = true;
             while (forever) {
             }
             return SimulationOutcome{};
         }},
        {"fails",
         [] {
             hal::check_failed("a", "that this holds", __FILE__, __LINE__);
             return SimulationOutcome{};
         }},
        {"sound", [] { return SimulationOutcome{}; }},
    };
    const std::vector<CaseOutcome> outcomes = run_in_children(jobs, 3, limits);
    ASSERT_EQ(outcomes[0].faults.size(), 2U);
    EXPECT_EQ(signature_of(outcomes[0].faults), "hang");
    EXPECT_NE(outcomes[0].faults[1].find("Profiling timer expired"), std::string::npos);
    ASSERT_EQ(outcomes[1].faults.size(), 2U);
    EXPECT_TRUE(outcomes[1].faults[0].starts_with("check failed: that this holds"));
    EXPECT_TRUE(outcomes[2].faults.empty());
}

TEST(Children, ThatTakeTooMuchMemoryReportIt) {
    constexpr std::size_t kBytes = std::size_t{2} << 30U;
    const std::vector<CaseJob> jobs{
        {"allocates",
         [] {
             const std::vector<char> memory(kBytes);
             return SimulationOutcome{{{"bytes", memory.size()}}, {}};
         }},
        {"maps",
         [] {
             hal::ZeroedMemory<std::uint64_t> memory(kBytes / sizeof(std::uint64_t), "a test");
             return SimulationOutcome{{{"first", memory[0]}}, {}};
         }},
    };
    for (const CaseOutcome& outcome : run_in_children(jobs, 2)) {
        ASSERT_EQ(outcome.faults.size(), 2U);
        EXPECT_EQ(signature_of(outcome.faults), kOutOfMemory);
        EXPECT_NE(outcome.faults[0].find("with 1024 MiB of addresses allowed"), std::string::npos)
            << outcome.faults[0];
    }
}

// The way the model is computed does not change a result, with power cuts or without.
TEST(Compare, InStepTheResultIsTheSame) {
    TortureCase torture;
    torture.settings = {"run_ahead=77us", "firmware.read_segment=131072", "dram.size=16777216"};
    torture.load = {"requests=60", "compare=true"};
    torture.workload = {"mix", "sectors=600"};
    TortureCase cut = torture;
    cut.settings.emplace_back("ssd.over_provisioning=0.6");
    cut.cuts = {"program 3 -1ps", "recovery 1", "promise 2", "promise 0 +1ps"};
    const std::vector<CaseJob> jobs{{"whole", [&torture] { return run_case(torture); }},
                                    {"cut", [&cut] { return run_case(cut); }}};
    for (const CaseOutcome& outcome : run_in_children(jobs, 2)) {
        EXPECT_EQ(outcome.faults, std::vector<std::string>());
        EXPECT_TRUE(outcome.result.contains("end_ps"));
    }
}

// At one instant blocks report in another order: a frame begins, after which a cut no longer waits for its
// event, and the DRAM serves an access, which the next cut counts.
TEST(Compare, ACutAtAnEventComesAtTheSameInstant) {
    TortureCase torture;
    torture.load = {"requests=1", "compare=true"};
    torture.workload = {"hotcold"};
    torture.cuts = {"collection 0", "hash_job 0", "dram_host 0"};
    const std::vector<CaseJob> jobs{{"cut", [&torture] { return run_case(torture); }}};
    const CaseOutcome outcome = run_in_children(jobs, 1).front();
    EXPECT_EQ(outcome.faults, std::vector<std::string>());
    EXPECT_EQ(outcome.result.at("cuts").size(), 1U);
}

// On flash where a cut takes earlier pages and nothing protects them, only a drive at rest loses nothing. The
// first session alone fills the drive.
TEST(Sessions, GoOnWithTheDriveOfTheOneBefore) {
    TortureCase torture;
    torture.settings = {"nand.cell=\"mlc\"", "nand.power_cut=\"word_line\"", "nand.geometry.blocks=8",
                        "ssd.over_provisioning=0.4"};
    torture.load = {"requests=60"};
    TortureCase sleeping = torture;
    torture.sessions = {"clean timed", "sleep", "clean", "sleep timed"};
    sleeping.settings = {"firmware.translation=\"fast\"", "firmware.unit=\"8KiB\""};
    sleeping.sessions = {"sleep", "sleep"};
    for (const TortureCase& each : {torture, sleeping}) {
        const std::vector<CaseJob> jobs{{"alone",
                                         [each] {
                                             TortureCase alone = each;
                                             alone.sessions.clear();
                                             return run_case(alone);
                                         }},
                                        {"chain", [each] { return run_case(each); }}};
        const std::vector<CaseOutcome> outcomes = run_in_children(jobs, 2);
        for (const CaseOutcome& outcome : outcomes) {
            EXPECT_EQ(outcome.faults, std::vector<std::string>());
        }
        const Json& alone = outcomes[0].result.at("commands");
        const Json& chain = outcomes[1].result.at("commands");
        EXPECT_GT(alone["write"], 60) << "it fills the drive";
        EXPECT_LE(chain["write"], 60);
        EXPECT_GT(chain["write"], 0);
    }
}

TEST(Sessions, SayWhichOneHasFailed) {
    PreparedCase prepared;
    prepared.sessions = {SessionEnd{}, SessionEnd{Shutdown::cut, true}};
    std::vector<std::string> expected{"a fault", "in session 2 of 3"};
    const SimulationOutcome outcome = run_sessions(prepared, [](const PreparedCase& session) {
        SimulationOutcome result;
        EXPECT_EQ(session.run.load_state.empty(), session.run.shutdown == Shutdown::sleep);
        if (session.run.shutdown == Shutdown::cut) {
            result.faults.emplace_back("a fault");
        }
        return result;
    });
    EXPECT_EQ(outcome.faults, expected);
}

}  // namespace
}  // namespace solidtlm::testbench
