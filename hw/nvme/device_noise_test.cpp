// SPDX-License-Identifier: Apache-2.0
//
// A driver that writes anything anywhere at any time, and a power supply that fails: the device must survive,
// must not hang, and must work afterwards.
#include <random>

#include "hw/nvme/device_bench.h"

namespace solidtlm::hw::nvme {
namespace {

class DeviceNoiseTest : public NvmeDeviceTest, public ::testing::WithParamInterface<int> {
  protected:
    /// Disables the controller, which must come to rest, and enables it again.
    void recover() {
        write(Register::cc, 0);
        hw::run(std::chrono::milliseconds(20));
        ASSERT_EQ(read(Register::csts) & (kCstsReady | kCstsFatal), 0U);
        ASSERT_FALSE(device->in_data_phase());
        ASSERT_EQ(device->not_fetched(), 0U);
        begin();
    }
};

TEST_P(DeviceNoiseTest, IsSurvived) {
    std::mt19937 random(static_cast<unsigned>(GetParam()));
    const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random()) % below; };
    start();
    const auto memory = static_cast<std::uint32_t>(host->memory.size());
    firmware->delay = Ps{2'000'000};
    firmware->part_sectors = 64;
    dram->ps_per_byte = Ps{100};
    for (int script = 0; script < 40; ++script) {
        dram->accept_only = draw(2) == 0;
        dram->wait = Ps{draw(500'000)};
        for (int step = 0; step < 200; ++step) {
            if (step % 20 == 0 && read(Register::csts) != kCstsReady) {
                recover();
            }
            switch (draw(10)) {
                case 0:
                case 1:
                case 2: {
                    const std::uint32_t queue = draw(4) == 0 ? 0 : 1;
                    put(queue, noise_command(random, memory));
                    ring(queue);
                    break;
                }
                case 3:
                    write_register(draw(20) == 0 ? draw(kBarBytes / 4) * 4 : kMsixTable + draw(20) * 4,
                                   draw(2) == 0 ? static_cast<Word>(kInterrupts) : random() & 0xFFFFFFFF);
                    break;
                case 4:
                    if (draw(10) == 0) {
                        write_register(kDoorbells + draw(12) * 4, draw(66));
                    }
                    break;
                case 5:
                    device->set_msix(draw(2) == 0, draw(4) == 0);
                    break;
                case 6:
                    if (draw(20) == 0) {
                        write(Register::cc, draw(3) == 0 ? random() & 0xFFFFFFFF : draw(2) * kOn);
                    } else if (draw(20) == 0) {
                        device->reset_function();
                    } else if (draw(20) == 0) {
                        power_cut();
                        firmware->attach();
                    }
                    break;
                default:
                    hw::run(std::chrono::nanoseconds(1 + draw(draw(4) == 0 ? 20'000 : 500)));
                    while (look(1)) {
                    }
                    break;
            }
        }
        if (draw(3) == 0) {
            power_cut();
            firmware->attach();
        }
        recover();
        ASSERT_EQ(ask(1, transfer(IoOpcode::read, 0, 256, kData, 0x60000)).status, 0) << "script " << script;
    }
    EXPECT_GT(device->statistics().firmware, 100U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DeviceNoiseTest, ::testing::Range(1, 9));

}  // namespace
}  // namespace solidtlm::hw::nvme
