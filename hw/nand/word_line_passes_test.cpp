// SPDX-License-Identifier: Apache-2.0
//
// Parts that program a word line in two or three passes: times, order, what reads and power cuts find. The
// orders are worked by hand for six word lines: "0a" is the first pass over word line 0.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "hw/nand/word_line_test_support.h"
#include "hw/tlm/test_printing.h"

namespace solidtlm::hw::passes {
namespace {

using namespace test;

constexpr unsigned kLines = 6;
const std::vector<Ps> kTwo{600us, 900us};
const std::vector<Ps> kThree{400us, 500us, 700us};
const std::string kTwoOrder = "0a 1a 0b 2a 1b 3a 2b 4a 3b 5a 4b 5b";
const std::string kThreeOrder = "0a 1a 0b 2a 1b 0c 3a 2b 1c 4a 3b 2c 5a 4b 3c 5b 4c 5c";

struct Step {
    unsigned line;
    unsigned pass;
};

std::vector<Step> steps_of(const std::string& order) {
    std::vector<Step> steps;
    std::istringstream words(order);
    for (std::string word; words >> word;) {
        steps.push_back({static_cast<unsigned>(word[0] - '0'), static_cast<unsigned>(word[1] - 'a')});
    }
    return steps;
}

/// The first `steps` of the order, without time.
void program(NandArray& array, const Part& part, unsigned block, const std::string& order,
             std::size_t steps) {
    PlaneOperations operations(array);
    const std::vector<Step> all = steps_of(order);
    for (const Step& step : std::span(all).first(steps)) {
        WordLine line(part, block, step.line, step.pass);
        ASSERT_TRUE(operations.program(line.op,
                                       [](const FlashPiece& /*piece*/, std::size_t /*offset*/) {
                                           return static_cast<std::byte*>(nullptr);
                                       }))
            << step.line << static_cast<char>('a' + step.pass);
        ASSERT_EQ(line.op.status, FlashStatus::ok);
    }
}

class InPasses : public WordLineTest {
  protected:
    [[nodiscard]] Ps bus() const { return part.pages() * kPageIn + kStatusRead; }
    [[nodiscard]] Ps busy() const { return (part.pages() - 1) * kPlaneBusy; }

    void expect_order(const std::vector<Ps>& times, const std::string& order) const {
        Bench bench(word_line_config(part, times));
        std::vector<unsigned> finished;
        for (const Step& step : steps_of(order)) {
            WordLine line(part, 1, step.line, step.pass);
            line.with_ledger();
            bench.expect_takes(line.op, bus() + busy() + times[step.pass]);
            EXPECT_EQ(line.op.status, FlashStatus::ok);
            EXPECT_EQ(line.ledger[Stage::array], busy() + times[step.pass]);
            EXPECT_EQ(line.ledger[Stage::channel_transfer], bus());
            if (step.pass + 1 == times.size()) {
                finished.push_back(step.line);
            }
            for (const unsigned each : finished) {
                expect_pages(bench, 1, each, kSound);
            }
        }
        EXPECT_EQ(finished.size(), kLines);
        EXPECT_EQ(bench.channel.violations(), 0U);
        const FlashControllerStatistics statistics = bench.channel.controller.statistics();
        EXPECT_EQ(statistics.programs[static_cast<std::size_t>(Cause::host)], kLines * part.pages())
            << "each page counts once";
        EXPECT_EQ(statistics.operations, kLines * times.size());
    }

    /// Every step that is not the next one is refused, wherever the block is, and changes nothing.
    void expect_no_other_order(const std::vector<Ps>& times, const std::string& order) const {
        const std::vector<Step> steps = steps_of(order);
        const NandConfig config = word_line_config(part, times);
        NandArray array(config, hal::Channel{0}, hal::Die{0});
        for (std::size_t done = 1; done < steps.size(); ++done) {
            const unsigned block = static_cast<unsigned>(done) % config.geometry.blocks;
            (void)array.erase(at(0, 0, block, 0));
            for (unsigned plane = 1; plane < part.planes; ++plane) {
                (void)array.erase(at(0, plane, block, 0));
            }
            program(array, part, block, order, done);
            PlaneOperations operations(array);
            for (unsigned line = 0; line < kLines; ++line) {
                for (unsigned pass = 0; pass < times.size(); ++pass) {
                    if (line == steps[done].line && pass == steps[done].pass) {
                        continue;
                    }
                    WordLine other(part, block, line, pass);
                    EXPECT_FALSE(operations.program(other.op,
                                                    [](const FlashPiece& /*piece*/, std::size_t /*offset*/) {
                                                        return static_cast<std::byte*>(nullptr);
                                                    }))
                        << line << static_cast<char>('a' + pass) << " after " << done << " steps";
                    EXPECT_EQ(other.op.status, FlashStatus::rule_violation);
                }
            }
            EXPECT_EQ(array.violations().count(Violation::pass_order), array.violations().total());
        }
    }
};

// Every page crosses the bus in each pass, and the array works for the time of the pass.
TEST_P(InPasses, EachOfTwoTakesItsTime) {
    expect_order(kTwo, kTwoOrder);
}

TEST_P(InPasses, EachOfThreeTakesItsTime) {
    expect_order(kThree, kThreeOrder);
}

TEST_P(InPasses, RefusesEveryOtherOrder) {
    expect_no_other_order(kTwo, kTwoOrder);
    expect_no_other_order(kThree, kThreeOrder);
}

TEST_P(InPasses, AreReadOnlyWhenFinished) {
    for (const bool garbage : {false, true}) {
        NandConfig config = word_line_config(part, kThree);
        config.rules.read_between_passes = garbage;
        NandArray array(config, hal::Channel{0}, hal::Die{0});
        program(array, part, 0, kThreeOrder, 6);  // 0 is finished, 1 and 2 are not
        EXPECT_EQ(status_of(array, at(0, 0, 0, 0)), FlashStatus::ok);
        EXPECT_EQ(array.violations().total(), 0U);
        const FlashStatus expected = garbage ? FlashStatus::uncorrectable : FlashStatus::rule_violation;
        EXPECT_EQ(status_of(array, at(0, 0, 0, part.word_line())), expected);
        EXPECT_EQ(status_of(array, at(0, 0, 0, 3 * part.word_line() - 1)), expected);
        EXPECT_EQ(array.violations().count(Violation::pass_order), garbage ? 0U : 2U);
        EXPECT_EQ(status_of(array, at(0, 0, 0, 3 * part.word_line())), FlashStatus::erased);
    }
}

// In the middle of 1b: word line 0 is finished, 1 is being programmed, 2 is between its passes. What follows
// is a new staircase.
TEST_P(InPasses, APowerCutTearsWhatIsNotFinished) {
    Bench bench(word_line_config(part, kTwo));
    program(bench.channel.array(hal::Die{0}), part, 3, kTwoOrder, 4);
    WordLine cut(part, 3, 1, 1);
    bench.core.submit(cut.op);
    bench.run_for(before_last() + kPageIn + kTwo[1] / 2);
    bench.power_cut();
    expect_pages(bench, 3, 0, kSound);
    expect_pages(bench, 3, 1, kTorn);
    expect_pages(bench, 3, 2, kTorn);
    expect_pages(bench, 3, 3, kErased);
    for (const Step& step : {Step{3, 0}, Step{4, 0}, Step{3, 1}}) {
        WordLine line(part, 3, step.line, step.pass);
        bench.run(line.op);
        EXPECT_EQ(line.op.status, FlashStatus::ok);
    }
    expect_pages(bench, 3, 3, kSound);
    EXPECT_EQ(bench.channel.violations(), 0U);
}

// A cut between two passes, while the die is idle, takes as much.
TEST_P(InPasses, APowerCutBetweenPassesTearsWhatIsNotFinished) {
    Bench bench(word_line_config(part, kTwo));
    program(bench.channel.array(hal::Die{0}), part, 3, kTwoOrder, 3);
    bench.power_cut();
    expect_pages(bench, 3, 0, kSound);
    expect_pages(bench, 3, 1, kTorn);
    expect_pages(bench, 3, 2, kErased);
}

// The scripted program fails in its first pass; the block takes nothing more, on that plane.
TEST_P(InPasses, AfterAFailureTheOthersFail) {
    NandConfig config = word_line_config(part, kTwo);
    config.faults.script.faults.push_back({ScriptedFault::Kind::program, at(0, 0, 2, 0), 2});
    Bench bench(config);
    const std::vector<Step> steps{{0, 0}, {1, 0}, {0, 1}};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        WordLine line(part, 2, steps[i].line, steps[i].pass);
        bench.run(line.op);
        EXPECT_EQ(line.op.plane_status[0], i == 0 ? FlashStatus::ok : FlashStatus::program_failed) << i;
        EXPECT_EQ(line.op.plane_status[part.planes - 1],
                  i == 0 || part.planes > 1 ? FlashStatus::ok : FlashStatus::program_failed)
            << i;
    }
    EXPECT_EQ(bench.channel.violations(), 0U);
}

// Map and log of a firmware write single pages: in SLC mode, in one pass.
TEST_P(InPasses, InSlcModePagesAreProgrammedOneByOne) {
    Bench bench(word_line_config(part, kThree));
    for (unsigned page = 0; page < kLines; ++page) {
        TestOp single(FlashOpcode::program, at(0, 0, 4, page));
        single.op.slc = true;
        single.piece(0, kPage, 0);
        bench.expect_takes(single.op, kCycle + kPageIn + 210us + kStatusRead);
        EXPECT_EQ(single.op.status, FlashStatus::ok);
    }
}

TEST_P(InPasses, AnErasedBlockBeginsFromTheFirstPass) {
    NandArray array(word_line_config(part, kTwo), hal::Channel{0}, hal::Die{0});
    program(array, part, 5, kTwoOrder, 5);
    for (unsigned plane = 0; plane < part.planes; ++plane) {
        EXPECT_EQ(array.erase(at(0, plane, 5, 0)), FlashStatus::ok);
    }
    program(array, part, 5, kTwoOrder, 12);
    EXPECT_EQ(array.violations().total(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Parts, InPasses,
                         testing::Values(Part{NandCell::mlc, 1}, Part{NandCell::mlc, 2},
                                         Part{NandCell::tlc, 2}, Part{NandCell::qlc, 4}));

}  // namespace
}  // namespace solidtlm::hw::passes
