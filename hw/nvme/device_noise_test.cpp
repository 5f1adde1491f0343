// SPDX-License-Identifier: Apache-2.0
//
// A driver that writes anything anywhere at any time, and a power supply that fails: the device must survive,
// must not hang, must touch no page that nothing has named, and must work afterwards.
#include <optional>

#include "hw/nvme/device_bench.h"
#include "hw/nvme/noise.h"

namespace solidtlm::hw::nvme {
namespace {

struct NoiseCase {
    int seed = 0;
    std::optional<Answers> answers;  ///< of memory
};
void PrintTo(const NoiseCase& noise, std::ostream* out) {
    *out << "seed " << noise.seed;
}

class DeviceNoiseTest : public NvmeDeviceTest, public ::testing::WithParamInterface<NoiseCase> {
  protected:
    static constexpr std::uint32_t kMemory = 32U << 20U;  // a script names a small part of it
    static constexpr int kSteps = 200;

    Noise noise{static_cast<unsigned>(GetParam().seed), kMemory};
    std::optional<NamedPages> named;

    void set_up() {
        answers = GetParam().answers;
        start();
        host->memory.resize(kMemory);
        for (std::uint64_t page = 0x100; page < kMemory / kPageBytes; page += 3) {
            noise.fill(at(page * kPageBytes, kPageBytes));
        }
        firmware->delay = Ps{2'000'000};
        firmware->part_sectors = 64;
        dram->ps_per_byte = Ps{100};
        named.emplace(*device);
        name_queues();
        host->seen = [this](bool write, std::uint64_t address, std::span<const std::byte> bytes) {
            EXPECT_TRUE(named->allow(write, address, bytes)) << address;
        };
    }
    void name_queues() {
        named->name(pairs[1].sq);
        named->name(pairs[1].cq);
        named->name_admin_queues();
        named->name_messages(config().vectors);
    }

    void write_register(std::uint32_t offset, Word value) override {
        NvmeDeviceTest::write_register(offset, value);
        if (named) {
            named->name_admin_queues();
            named->name_messages(config().vectors);
        }
    }

    /// Disables the controller, which must come to rest, and enables it again.
    void recover() {
        write(Register::cc, 0);
        hw::run(std::chrono::milliseconds(20));
        ASSERT_EQ(read(Register::csts) & (kCstsReady | kCstsFatal), 0U);
        ASSERT_FALSE(device->in_data_phase());
        ASSERT_EQ(device->not_fetched(), 0U);
        begin();
    }

    void step() {
        switch (noise.draw(10)) {
            case 0:
            case 1:
            case 2: {
                const std::uint32_t queue = noise.draw(4) == 0 ? 0 : 1;
                put(queue,
                    queue == 0 && noise.draw(3) == 0 ? noise.create(noise.draw(2) == 0) : noise.command());
                ring(queue);
                break;
            }
            case 3:
                write_register(
                    noise.draw(20) == 0 ? noise.draw(kBarBytes / 4) * 4 : kMsixTable + noise.draw(20) * 4,
                    noise.draw(2) == 0 ? static_cast<Word>(kInterrupts) : noise.word());
                break;
            case 4:
                if (noise.draw(10) == 0) {
                    write_register(kDoorbells + noise.draw(12) * 4, noise.draw(66));
                }
                break;
            case 5:
                device->set_msix(noise.draw(2) == 0, noise.draw(4) == 0);
                break;
            case 6:
                if (noise.draw(20) == 0) {
                    write(Register::cc, noise.draw(3) == 0 ? noise.word() : noise.draw(2) * kOn);
                } else if (noise.draw(20) == 0) {
                    device->reset_function();
                } else if (noise.draw(20) == 0) {
                    power_cut();
                    firmware->attach();
                }
                break;
            default:
                hw::run(std::chrono::nanoseconds(1 + noise.draw(noise.draw(4) == 0 ? 20'000 : 500)));
                while (look(1)) {
                }
                while (look(0)) {
                }
                break;
        }
    }
};

TEST_P(DeviceNoiseTest, IsSurvived) {
    set_up();
    const int scripts = noise_scripts(40);
    for (int script = 0; script < scripts; ++script) {
        dram->accept_only = noise.draw(2) == 0;
        dram->wait = Ps{noise.draw(500'000)};
        if (memory) {
            memory->latency = Ps{noise.draw(3'000'000)};
        }
        for (int i = 0; i < kSteps; ++i) {
            if (i % 20 == 0 && read(Register::csts) != kCstsReady) {
                recover();
            }
            step();
        }
        if (noise.draw(3) == 0) {
            power_cut();
            firmware->attach();
        }
        recover();
        ASSERT_EQ(ask(1, transfer(IoOpcode::read, 0, 256, kData, 0x60000)).status, 0) << "script " << script;
        ASSERT_FALSE(HasFailure()) << "script " << script;
        named->forget_pages();
        name_queues();
    }
    EXPECT_GT(device->statistics().firmware, 100U);
}

std::vector<NoiseCase> seeds() {
    std::vector<NoiseCase> cases;
    for (int seed = 1; seed <= 8; ++seed) {
        cases.push_back({seed, {}});
    }
    return cases;
}
/// Each way of answering but direct accesses, which cannot be seen.
std::vector<NoiseCase> memories() {
    std::vector<NoiseCase> cases;
    for (const Answers answers : kAllAnswers) {
        if (answers != Answers::direct && answers != Answers::direct_late) {
            cases.push_back({100 + static_cast<int>(answers), answers});
        }
    }
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Seeds, DeviceNoiseTest, ::testing::ValuesIn(seeds()));
INSTANTIATE_TEST_SUITE_P(Memories, DeviceNoiseTest, ::testing::ValuesIn(memories()));

}  // namespace
}  // namespace solidtlm::hw::nvme
