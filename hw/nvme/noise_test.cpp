// SPDX-License-Identifier: Apache-2.0
//
// A driver that writes anything anywhere, in memory full of noise: the controller must survive, must not
// hang, must touch no memory that the driver has not named, and must work after a reset.
#include <gtest/gtest.h>

#include "hw/nvme/noise.h"
#include "hw/nvme/test_bench.h"

namespace solidtlm::hw::nvme {
namespace {

/// A controller of any size.
NvmeConfig drawn_config(unsigned seed) {
    NvmeConfig config = small_config();
    std::mt19937 random(seed);
    config.queues = seed % 3 == 0 ? 64 : static_cast<std::uint32_t>(1 + random() % 6);
    config.queue_entries = seed % 4 == 0 ? 65536 : static_cast<std::uint32_t>(2 + random() % 64);
    config.command_slots = seed % 4 == 1 ? 1 : static_cast<std::uint32_t>(1 + random() % 40);
    config.vectors = static_cast<std::uint32_t>(1 + random() % 6);
    return config;
}

class NoiseTest : public NvmeTest, public ::testing::WithParamInterface<int> {
  protected:
    static constexpr int kSteps = 200;
    NoiseTest() : NvmeTest(drawn_config(seed())) {}

    static unsigned seed() { return static_cast<unsigned>(GetParam()); }

    void write_register(std::uint32_t offset, Word value) override {
        controller.write(offset, value);
        if (watch && offset <= static_cast<std::uint32_t>(Register::acq_high)) {
            watch->admin_queues(read(Register::asq) | std::uint64_t{read(Register::asq_high)} << 32U,
                                read(Register::acq) | std::uint64_t{read(Register::acq_high)} << 32U,
                                read(Register::aqa));
        }
    }

    void begin_script(int script) {
        watch.emplace();
        world.watch = &*watch;
        world.holes.clear();
        world.bad_sectors.clear();
        if (script % 10 == 0) {
            noise.fill(world.memory);
        }
        if (noise.draw(3) == 0) {
            for (std::uint32_t i = noise.draw(20); i > 0; --i) {
                world.holes.insert(0x20 + noise.draw(World::kMemory / kPageBytes - 0x20));
            }
            for (std::uint64_t sector = 0; sector < 20; ++sector) {
                world.bad_sectors[sector] = static_cast<hal::HostStatus>(1 + noise.draw(3));
            }
        }
        begin_queues();
        world.firmware_works = noise.draw(4) != 0;
    }

    /// The controller comes to rest.
    void stop() {
        world.firmware_works = true;
        write(Register::cc, 0);
        world.run();
        ASSERT_EQ(read(Register::csts) & (kCstsReady | kCstsFatal), 0U);
        ASSERT_EQ(controller.busy(), 0U);
        ASSERT_TRUE(world.accesses.empty() && world.commands.empty());
    }

    void begin_queues() {
        enable(2 + noise.draw(7), kOn | (noise.draw(2) == 0 ? kCcAms.put(kCcAmsWrr) : 0));
        const std::uint32_t entries = std::min(2 + noise.draw(15), drawn_config(seed()).queue_entries);
        world.firmware_works = true;
        const std::uint32_t queues = noise.draw(4);
        for (std::uint32_t queue = 1; queue <= queues; ++queue) {
            set_queue(queue, entries);
            for (const bool completion : {true, false}) {
                Command command = noise.create(completion);
                command.prp1 = completion ? pairs[queue].cq : pairs[queue].sq;
                command.words[0] = (entries - 1) << 16U | queue;
                command.words[1] = completion ? 3 : queue << 16U | noise.draw(4) << 1U | 1;
                put(0, command);
                ring(0);
                world.run();
                look(0);
            }
        }
    }

    std::uint32_t any_queue() {
        return noise.draw(4) == 0
                   ? 0
                   : std::next(pairs.begin(), noise.draw(static_cast<std::uint32_t>(pairs.size())))->first;
    }

    void step() {
        switch (noise.draw(10)) {
            case 0:
            case 1: {
                const std::uint32_t queue = any_queue();
                for (std::uint32_t count = 1 + noise.draw(3); count > 0; --count) {
                    put(queue, queue == 0 && noise.draw(3) == 0 ? noise.create(noise.draw(2) == 0)
                                                                : noise.command());
                }
                ring(queue);
                break;
            }
            case 2:
                if (noise.draw(4) == 0) {
                    write_register(noise.draw(kBarBytes / 4) * 4, noise.word());
                } else {
                    write_register(kDoorbells + noise.draw(14) * 4, noise.draw(18));
                }
                break;
            case 3:
                static_cast<void>(controller.read(noise.draw(kBarBytes / 4) * 4));
                break;
            case 4:
                controller.set_msix(noise.draw(2) == 0, noise.draw(4) == 0);
                break;
            case 5:
                world.clock += hal::Ps{noise.draw(200'000'000)};
                controller.alarm();
                break;
            case 6:
                if (noise.draw(20) == 0) {
                    write(Register::cc, noise.draw(3) == 0   ? noise.word()
                                        : noise.draw(3) == 0 ? kOn | kCcShn.put(1 + noise.draw(2))
                                                             : noise.draw(2) * kOn);
                } else if (noise.draw(40) == 0) {
                    controller.reset_function();
                }
                break;
            case 7:
                while (look(any_queue())) {
                }
                break;
            default:
                for (std::uint32_t i = noise.draw(10); i > 0; --i) {
                    if (!world.accesses.empty() && noise.draw(3) != 0) {
                        world.end_access();
                    } else if (!world.commands.empty()) {
                        world.end_command();
                    }
                }
                break;
        }
    }

    std::optional<MemoryWatch> watch;
    Noise noise{seed(), World::kMemory};
};

TEST_P(NoiseTest, IsSurvived) {
    const int scripts = noise_scripts(100);
    for (int script = 0; script < scripts; ++script) {
        begin_script(script);
        for (int i = 0; i < kSteps; ++i) {
            if (i % 20 == 0 && read(Register::csts) != kCstsReady) {
                stop();
                begin_queues();
            }
            step();
        }
        if (noise.draw(2) == 0) {
            controller.reset_function();
        }
        stop();
        ASSERT_FALSE(HasFailure()) << "in script " << script;
        controller.set_msix(false, false);
    }
    EXPECT_GT(world.done.size(), static_cast<std::size_t>(scripts)) << "firmware got commands";
    world.holes.clear();
    world.bad_sectors.clear();
    enable();
    create(1, 2);
    EXPECT_EQ(ask(1, io_command(IoOpcode::flush)).status, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, NoiseTest, ::testing::Range(1, 9));

}  // namespace
}  // namespace solidtlm::hw::nvme
