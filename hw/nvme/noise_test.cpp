// SPDX-License-Identifier: Apache-2.0
//
// A driver that writes anything anywhere, in memory full of noise: the controller must survive, must not
// hang, and must work after a reset.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "hw/nvme/test_bench.h"

namespace solidtlm::hw::nvme {
namespace {

class NoiseTest : public NvmeTest, public ::testing::WithParamInterface<int> {};

TEST_P(NoiseTest, IsSurvived) {
    std::mt19937 random(static_cast<unsigned>(GetParam()));
    const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random()) % below; };
    for (int script = 0; script < 100; ++script) {
        enable(2 + draw(7));
        create(1 + draw(2), 2 + draw(15), draw(5));
        world.firmware_works = draw(4) != 0;
        for (int step = 0; step < 200; ++step) {
            switch (draw(8)) {
                case 0: {
                    const auto queue = pairs.begin()->first + draw(2);
                    if (pairs.contains(queue)) {
                        put(queue, noise_command(random, World::kMemory));
                        ring(queue);
                    }
                    break;
                }
                case 1:
                    controller.write(draw(kBarBytes / 4) * 4, static_cast<Word>(random()));
                    break;
                case 2:
                    controller.write(kDoorbells + draw(12) * 4, draw(18));
                    break;
                case 3:
                    static_cast<void>(controller.read(draw(kBarBytes / 4) * 4));
                    break;
                case 4:
                    controller.set_msix(draw(2) == 0, draw(4) == 0);
                    break;
                case 5:
                    world.clock += hal::Ps{draw(200'000'000)};
                    controller.alarm();
                    break;
                case 6:
                    if (draw(20) == 0) {
                        write(Register::cc, draw(3) == 0 ? static_cast<Word>(random()) : draw(2) * kOn);
                    }
                    break;
                default:
                    for (std::uint32_t i = draw(10); i > 0; --i) {
                        if (!world.accesses.empty() && draw(3) != 0) {
                            world.end_access();
                        } else if (!world.commands.empty()) {
                            world.end_command();
                        }
                    }
                    break;
            }
        }
        world.firmware_works = true;
        if (draw(2) == 0) {
            controller.reset_function();
        }
        write(Register::cc, 0);
        world.run();
        ASSERT_EQ(read(Register::csts) & (kCstsReady | kCstsFatal), 0U) << "script " << script;
        ASSERT_EQ(controller.busy(), 0U);
        ASSERT_TRUE(world.accesses.empty() && world.commands.empty());
        controller.set_msix(false, false);
    }
    enable();
    create(1, 4);
    EXPECT_EQ(ask(1, io_command(IoOpcode::flush)).status, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, NoiseTest, ::testing::Range(1, 9));

}  // namespace
}  // namespace solidtlm::hw::nvme
