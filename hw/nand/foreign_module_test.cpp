// SPDX-License-Identifier: Apache-2.0
//
// Foreign modules between the controller and its dies see every command at the same instant, whether the
// agenda runs ahead of the kernel or not, and whether the DRAM is called or gets payloads. run_ahead_test.cpp
// tests them in a whole drive.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "hw/nand/test_bench.h"
#include "hw/nand/test_tap.h"

namespace solidtlm::hw {
namespace {

using namespace test;

/// Serves one access after another, as FakeDram does, but by calls.
class CalledDram : public DramService {
  public:
    std::optional<DramTimes> access(const DramRequest& request, Ps at) override {
        const DramTimes times{std::max(free_at_ - at, Ps{0}), request.bytes * kByteTime};
        free_at_ = at + times.sum();
        return times;
    }
    static constexpr Ps kByteTime{300};

  private:
    Ps free_at_{0};
};

constexpr std::uint16_t kDies = 2;
constexpr std::uint32_t kOperations = 80;

NandConfig rig_config() {
    NandConfig config = small_config(kDies);
    config.controller.suspend_program = config.controller.suspend_erase = true;
    config.ecc = EccConfig{1024, 112, 1000.0, 1000.0, {}, {}};
    config.content = hal::ContentMode::none;
    return config;
}

/// One channel, and a kernel thread that submits operations to it at drawn instants after `begin`. Instants
/// count from `begin`. One rig works at a time, so that nothing else keeps its agenda from running ahead.
class Rig : public AgendaModule {
  public:
    Rig(const sc_core::sc_module_name& name, std::uint64_t seed, Ps begin, Ps run_ahead, bool calls)
        : AgendaModule(name), random_(seed), begin_(begin) {
        agenda().set_quantum(run_ahead);
        controller_.set_border();
        core_.controller_init.bind(controller_.core_target);
        core_.on_done = [this](FlashOp& op) { ended.emplace_back(op.command_id, now() - begin_); };
        controller_.dram_init.bind(dram_.port_target);
        dram_.byte_time = CalledDram::kByteTime;
        if (calls) {
            controller_.dram_init.call(called_);
        }
        for (std::uint16_t i = 0; i < kDies; ++i) {
            const std::string number = std::to_string(i);
            dies_.push_back(
                std::make_unique<Die>(("die_" + number).c_str(), rig_config(), hal::Channel{0}, hal::Die{i}));
            taps_.push_back(std::make_unique<Tap>(("tap_" + number).c_str(), seen, begin));
            controller_.die_init[i].bind(taps_.back()->controller_target);
            taps_.back()->die_init.bind(dies_.back()->channel_target);
            for (unsigned page = 0; page < 32; ++page) {
                dies_.back()->array().program_page(test::at(i, page / 16, 0, page % 16), {}, {});
            }
        }
        SC_HAS_PROCESS(Rig);
        SC_THREAD(submit_thread);
    }

    std::vector<Tap::Seen> seen;
    std::vector<std::pair<std::uint32_t, Ps>> ended;  ///< operation, instant

  private:
    void submit_thread() {
        wait(to_sc_time(begin_));
        for (std::uint32_t number = 0; number < kOperations; ++number) {
            wait(to_sc_time(Ps{static_cast<std::int64_t>(random_() % 200'000'000)}));
            ops_.push_back(draw(number));
            core_.submit(ops_.back()->op);
        }
    }
    /// Reads block 0, programs block 1 page by page, copies from block 0 to block 2, erases block 3.
    std::unique_ptr<TestOp> draw(std::uint32_t number) {
        const auto die = static_cast<unsigned>(random_() % kDies);
        const auto kind = static_cast<unsigned>(random_() % 8);
        const auto page = static_cast<unsigned>(random_() % 16);
        const auto length = static_cast<std::uint32_t>(512 * (1 + random_() % 8));
        const Cause cause = random_() % 3 == 0 ? Cause::gc : Cause::host;
        unsigned& next = next_page_[die];
        const bool writes = kind > 5 && next < 16;
        const FlashOpcode opcode = kind < 5    ? FlashOpcode::read
                                   : kind == 5 ? FlashOpcode::erase
                                   : !writes   ? FlashOpcode::read
                                   : kind == 6 ? FlashOpcode::program
                                               : FlashOpcode::copy_back;
        const unsigned block = kind == 5 ? 3 : writes ? kind - 5 : 0;
        auto made = std::make_unique<TestOp>(opcode, test::at(die, 0, block, writes ? next : page), cause);
        if (writes || length > 2048) {
            made->plane(test::at(die, 1, block, writes ? next : page));
        }
        next += writes ? 1 : 0;
        made->op.source = {test::at(die, 0, 0, page), test::at(die, 1, 0, page)};
        made->op.command_id = number;
        for (std::uint8_t slot = 0; slot < made->op.planes; ++slot) {
            if (opcode == FlashOpcode::read || opcode == FlashOpcode::program) {
                made->piece(0, length, std::uint64_t{number} * kPage, slot);
            }
        }
        return made;
    }

    FlashController controller_{"controller", rig_config(), hal::Channel{0}};
    FakeCore core_{"core"};
    FakeDram dram_{"dram", hal::ContentMode::none};
    CalledDram called_;
    std::vector<std::unique_ptr<Die>> dies_;
    std::vector<std::unique_ptr<Tap>> taps_;
    std::mt19937_64 random_;
    Ps begin_;
    std::array<unsigned, kDies> next_page_{};
    std::vector<std::unique_ptr<TestOp>> ops_;
};

TEST(ForeignModule, OnAFlashChannelSeesTheSameInstants) {
    constexpr Ps kRunAhead{1'000'000'000};
    constexpr Ps kApart{200'000'000'000};
    constexpr std::uint64_t kSeeds = 10;
    std::vector<std::array<std::unique_ptr<Rig>, 4>> rigs(kSeeds);
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        for (unsigned way = 0; way < 4; ++way) {
            const std::string name = "rig_" + std::to_string(seed) + "_" + std::to_string(way);
            rigs[seed][way] = std::make_unique<Rig>(name.c_str(), seed, (seed * 4 + way) * kApart,
                                                    way % 2 == 0 ? Ps{0} : kRunAhead, way >= 2);
        }
    }
    sc_core::sc_start(to_sc_time(4 * kSeeds * kApart));
    std::set<NandCommand> commands;
    std::array<std::uint64_t, 4> wake_ups{};
    for (const auto& ways : rigs) {
        EXPECT_EQ(ways[0]->ended.size(), kOperations);
        EXPECT_GT(ways[0]->seen.size(), kOperations);
        for (std::size_t way = 0; way < ways.size(); ++way) {
            EXPECT_EQ(ways[way]->seen, ways[0]->seen) << ways[way]->name();
            EXPECT_EQ(ways[way]->ended, ways[0]->ended) << ways[way]->name();
            wake_ups[way] += ways[way]->agenda().wake_ups();
        }
        for (const Tap::Seen& seen : ways[0]->seen) {
            commands.insert(static_cast<NandCommand>(seen[0]));
        }
    }
    EXPECT_LT(wake_ups[1], wake_ups[0]) << "it ran ahead";
    EXPECT_TRUE(commands.contains(NandCommand::suspend) && commands.contains(NandCommand::copy_back_program));
}

}  // namespace
}  // namespace solidtlm::hw
