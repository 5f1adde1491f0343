// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/device_bench.h"

namespace solidtlm::hw::nvme {
namespace {

using hal::Stage;

// From the store to the doorbell until the completion entry and the interrupt, by hand.
TEST_F(NvmeDeviceTest, ReadOfDepthOneToThePicosecond) {
    hal::Ledger ledger;
    start();
    device->set_ledgers([&ledger](std::uint16_t queue, std::uint16_t id) {
        return queue == 1 && id == 77 ? &ledger : nullptr;
    });
    dram->wait = Ps{100'000};
    dram->ps_per_byte = Ps{100};
    firmware->delay = Ps{3'000'000};
    Command command = io_command(IoOpcode::read, 8, 8);
    command.id = 77;
    command.prp1 = kAlias + kData;
    put(1, command);
    const Ps begin = now();
    ledger.start(Stage::doorbell, begin);
    ring(1);
    EXPECT_EQ(host->delay, Ps{6'094}) << "20 + 4 bytes";
    ledger.enter(Stage::sq_fetch, begin + host->delay);
    run();

    constexpr Ps kFetch{5'078 + 500'000 + 21'328};  // 20 bytes up, the root, 20 + 64 bytes down
    constexpr Ps kData4K{1'137'500};                // 16 TLPs of 24 + 256 bytes up
    constexpr Ps kCompletion{9'141};                // 20 + 16 bytes
    const Ps visible =
        begin + Ps{6'094} + kFetch + Ps{3'000'000} + Ps{100'000 + 409'600} + kData4K + kCompletion;
    EXPECT_EQ(host->written.at(pairs[1].cq), visible);
    ASSERT_EQ(host->messages.size(), 1U);
    EXPECT_EQ(host->messages[0].first, visible + Ps{6'094}) << "20 + 4 bytes";
    EXPECT_EQ(host->messages[0].second, 0x41U);
    const auto answer = look(1);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 0);

    EXPECT_EQ(ledger[Stage::doorbell], Ps{6'094});
    EXPECT_EQ(ledger[Stage::sq_fetch], kFetch);
    EXPECT_EQ(ledger[Stage::firmware_execute], Ps{3'000'000});
    EXPECT_EQ(ledger[Stage::dram_wait], Ps{100'000});
    EXPECT_EQ(ledger[Stage::dram_transfer], Ps{409'600});
    EXPECT_EQ(ledger[Stage::link_transfer], kData4K);
    EXPECT_EQ(ledger[Stage::completion], kCompletion);
    EXPECT_EQ(ledger.total(), visible - begin) << "nothing is left over";
}

// A list of pages is one more read of host memory.
TEST_F(NvmeDeviceTest, WriteWithAListToThePicosecond) {
    hal::Ledger ledger;
    start();
    device->set_ledgers(
        [&ledger](std::uint16_t queue, std::uint16_t /*id*/) { return queue == 1 ? &ledger : nullptr; });
    dram->ps_per_byte = Ps{100};
    put(1, transfer(IoOpcode::write, 0, 24, kData, 0x60000));
    const Ps begin = now();
    ledger.start(Stage::doorbell, begin);
    ring(1);
    ledger.enter(Stage::sq_fetch, begin + host->delay);
    run();
    EXPECT_EQ(look(1).value_or(Answer{}).status, 0);
    EXPECT_EQ(ledger[Stage::prp_fetch], Ps{5'078 + 500'000 + 9'141}) << "20 bytes up, 20 + 16 bytes down";
    // Requests of all three pages go up at once, 8 of 20 bytes each; the first is answered after the latency.
    EXPECT_EQ(ledger[Stage::link_wait], Ps{5'078 + 500'000});
    // Three pages come down behind each other, 16 completions of 20 + 256 bytes each. While one goes to DRAM,
    // the next one is on the link already.
    EXPECT_EQ(ledger[Stage::dram_transfer], Ps{3 * 409'600});
    EXPECT_EQ(ledger[Stage::link_transfer], Ps{3 * 1'121'250 - 2 * 409'600});
    EXPECT_EQ(ledger.total(), host->written.at(pairs[1].cq) - begin);
}

// What lies in memory is what lies on the medium.
TEST_F(NvmeDeviceTest, MovesBytesBetweenMemoryAndMedium) {
    start();
    firmware->part_sectors = 16;
    firmware->piece_sectors = 3;
    fill(dram->store, 1);
    std::uint64_t lba = 1;
    for (const std::uint64_t offset : {0x0U, 0x200U, 0x204U, 0xE00U, 0xFFCU}) {
        for (const std::uint32_t sectors : {1U, 7U, 8U, 9U, 31U, 256U}) {
            const std::uint64_t place = kData + offset;
            ASSERT_EQ(ask(1, transfer(IoOpcode::read, lba, sectors, place, 0x60008)).status, 0);
            ASSERT_TRUE(std::ranges::equal(at(place, sectors * 512), medium(lba, sectors))) << offset;
            fill(at(place, sectors * 512), sectors);
            ASSERT_EQ(ask(1, transfer(IoOpcode::write, lba, sectors, place, 0x60008)).status, 0);
            ASSERT_TRUE(std::ranges::equal(at(place, sectors * 512), medium(lba, sectors))) << offset;
            lba += sectors;
        }
    }
    EXPECT_EQ(device->statistics().read_bytes, 5 * 312 * 512U);
    EXPECT_EQ(device->statistics().written_bytes, 5 * 312 * 512U);
    EXPECT_EQ(device->statistics().failed, 0U);
}

TEST_F(NvmeDeviceTest, TagsLieWhereTheirSectorsBegin) {
    start(exact_link(), hal::ContentMode::tags);
    fill(dram->store, 1);
    ASSERT_EQ(ask(1, transfer(IoOpcode::read, 4, 16, kData + 0x204, 0x60000)).status, 0);
    for (std::uint64_t sector = 0; sector < 16; ++sector) {
        EXPECT_TRUE(std::ranges::equal(at(kData + 0x204 + 512 * sector, 8), medium(4 + sector, 1)));
    }
    ASSERT_EQ(ask(1, transfer(IoOpcode::write, 100, 16, kData + 0x204, 0x60000)).status, 0);
    EXPECT_TRUE(std::ranges::equal(medium(4, 16), medium(100, 16)));
}

TEST_F(NvmeDeviceTest, DataThatMemoryDoesNotTakeOrGive) {
    start();
    host->holes.insert(kData / kPageBytes + 1);
    for (const IoOpcode opcode : {IoOpcode::read, IoOpcode::write}) {
        EXPECT_EQ(ask(1, transfer(opcode, 0, 24, kData, 0x60000)).status, 0x0004);
        EXPECT_EQ(ask(1, transfer(opcode, 0, 8, kData, 0x60000)).status, 0) << "the others are not concerned";
    }
    EXPECT_EQ(device->statistics().transfer_errors, 2U);
    EXPECT_EQ(firmware->completed, 4U);
    firmware->failures[8] = hal::HostStatus::uncorrectable;
    EXPECT_EQ(ask(1, transfer(IoOpcode::read, 8, 24, kData, 0x60000)).status, 0x0281) << "firmware's own";
}

// A completion that nothing takes cannot be told of in any other way.
TEST_F(NvmeDeviceTest, QueuesThatMemoryDoesNotHave) {
    start();
    host->holes.insert(pairs[1].cq / kPageBytes);
    put(1, io_command(IoOpcode::flush));
    ring(1);
    run();
    EXPECT_EQ(read(Register::csts) & kCstsFatal, kCstsFatal);
}

TEST_F(NvmeDeviceTest, TakesWholeWordsOfRegisters) {
    start();
    std::array<Word, 2> value{};
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, 0, value[0], 8), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(value[0], read(Register::cap));
    EXPECT_EQ(value[1], read(Register::cap_high));
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, 4, value[0], 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, kBarBytes, value[0]), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, kDoorbells, value[0], 2), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(host->delay, Ps{0});
}

TEST_F(NvmeDeviceTest, PinFollowsTheCompletionQueues) {
    start();
    device->set_msix(false, false);
    put(1, io_command(IoOpcode::flush));
    ring(1);
    run();
    EXPECT_TRUE(host->line.read());
    EXPECT_TRUE(look(1));
    run();
    EXPECT_FALSE(host->line.read());
    EXPECT_TRUE(host->messages.empty());
}

struct AcceptedCommands : hal::Probe {
    std::vector<std::uint32_t> ids;
    void command_accepted(Ps /*at*/, const hal::HostCommand& command) override { ids.push_back(command.id); }
};

TEST_F(NvmeDeviceTest, TellsWhatIsUnderWay) {
    start();
    AcceptedCommands probe;
    device->set_probe(&probe);
    firmware->delay = Ps{2'000'000};
    std::vector<std::uint16_t> ids;
    for (int i = 0; i < 3; ++i) {
        ids.push_back(put(1, transfer(IoOpcode::read, 8, 8, kData, 0x60000)));
    }
    ring(1);
    hw::run(std::chrono::microseconds(1));
    EXPECT_EQ(probe.ids, (std::vector<std::uint32_t>{1, 2, 3}));
    EXPECT_EQ(device->not_fetched(), 0U) << "firmware has them";
    EXPECT_FALSE(device->in_data_phase());
    for (const std::uint16_t id : ids) {
        const hal::HostCommand* command = device->command(id);
        ASSERT_NE(command, nullptr);
        EXPECT_EQ(command->slot, id);
        EXPECT_EQ(command->lba, hal::Lba{8});
    }
    EXPECT_EQ(device->command(1000), nullptr);
    hw::run(std::chrono::nanoseconds(2'600));
    EXPECT_TRUE(device->in_data_phase());
    run();
    hal::Metrics metrics;
    device->statistics().tell(metrics);
    EXPECT_EQ(metrics.count("nvme.commands"), 3U);
    EXPECT_EQ(metrics.count("nvme.read_bytes"), 3 * 4096U);
    EXPECT_GT(device->link().up_busy(), Ps{3 * 1'121'250});
    EXPECT_GT(device->link().down_busy(), Ps{0});
}

TEST_F(NvmeDeviceTest, ResetOfTheFunctionForgetsRegisters) {
    start();
    EXPECT_EQ(read(Register::csts), kCstsReady);
    device->reset_function();
    run();
    EXPECT_EQ(read(Register::csts), 0U);
    EXPECT_EQ(read(Register::aqa), 0U);
    begin();
    EXPECT_EQ(ask(1, io_command(IoOpcode::flush)).status, 0);
}

// At any instant: nothing is answered nor moved any more, and the controller can be enabled again.
TEST_F(NvmeDeviceTest, PowerCutForgetsEverything) {
    start();
    dram->ps_per_byte = Ps{100};
    firmware->delay = Ps{500'000};
    for (const int ns : {3, 20, 400, 520, 530, 1'200, 1'500, 2'500, 4'000, 20'000}) {
        for (std::uint64_t i = 0; i < 8; ++i) {
            const IoOpcode opcode = i % 2 == 0 ? IoOpcode::read : IoOpcode::write;
            put(1, transfer(opcode, 64 * i, 64, kData + i * 0x8000, 0x60000 + i * 0x200));
        }
        ring(1);
        hw::run(std::chrono::nanoseconds(ns));
        power_cut();
        firmware->attach();
        host->written.clear();
        host->messages.clear();
        run();
        EXPECT_TRUE(host->written.empty() && host->messages.empty()) << ns;
        EXPECT_FALSE(device->in_data_phase());
        EXPECT_EQ(read(Register::csts), 0U);
        begin();
        EXPECT_EQ(ask(1, transfer(IoOpcode::read, 0, 256, kData, 0x60000)).status, 0) << ns;
    }
}

// The driver starts while the firmware boots, which has not asked for commands yet.
TEST_F(NvmeDeviceTest, CommandsWaitForTheFirmwareAfterAPowerCut) {
    start();
    power_cut();
    begin();
    put(1, transfer(IoOpcode::read, 0, 8, kData, 0x60000));
    ring(1);
    run();
    EXPECT_EQ(device->not_fetched(), 1U);
    EXPECT_EQ(firmware->completed, 0U);
    firmware->attach();
    firmware->fetch_all();
    run();
    EXPECT_EQ(look(1).value_or(Answer{0, 0, 0, 0, 1}).status, 0);
}

struct Rate {
    std::uint32_t max_payload = 0;
    double to_host = 0;    // MB/s of the model of pcie-bench, 4 KiB, 64-bit addresses
    double from_host = 0;  // with MRRS 512
};
void PrintTo(const Rate& rate, std::ostream* out) {
    *out << "MPS " << rate.max_payload;
}

class NvmeRate : public NvmeDeviceTest, public ::testing::WithParamInterface<Rate> {
  protected:
    /// MB/s of transfers of 128 KiB, eight at once, from the first completion to the last.
    double measure(IoOpcode opcode) {
        constexpr std::uint32_t kSectors = 256;
        constexpr std::uint64_t kCommands = 40;
        std::vector<Ps> ends;
        std::uint64_t sent = 0;
        const auto send = [&] {
            const std::uint64_t list = 0x60000 + sent % 8 * 0x200;
            Command command = transfer(opcode, sent * kSectors, kSectors, kData, list);
            command.prp1 += kAlias;
            for (std::uint64_t i = 0; i < 31; ++i) {
                put_little_endian(at(list + 8 * i, 8), kAlias + kData + (i + 1) * kPageBytes);
            }
            put(1, command);
            ++sent;
        };
        while (sent < 8) {
            send();
        }
        ring(1);
        while (ends.size() < kCommands) {
            hw::run(std::chrono::microseconds(1));
            const std::uint64_t place = pairs[1].cq + std::uint64_t{pairs[1].head} * kCqeBytes;
            if (const auto answer = look(1)) {
                EXPECT_EQ(answer->status, 0);
                ends.push_back(host->written.at(place));
                if (sent < kCommands) {
                    send();
                    ring(1);
                }
            }
        }
        const double bytes = static_cast<double>((kCommands - 1) * kSectors) * hal::kSectorBytes;
        return bytes / static_cast<double>((ends.back() - ends.front()).count()) * 1e6;
    }
};

TEST_P(NvmeRate, IsThatOfTheLink) {
    PcieConfig link;
    link.max_payload = GetParam().max_payload;
    start(link, hal::ContentMode::none);
    dram->ps_per_byte = Ps{50};
    EXPECT_NEAR(measure(IoOpcode::read), GetParam().to_host, GetParam().to_host * 0.01);
    EXPECT_NEAR(measure(IoOpcode::write), GetParam().from_host, GetParam().from_host * 0.01);
}

INSTANTIATE_TEST_SUITE_P(Gen3x4, NvmeRate,
                         ::testing::Values(Rate{128, 2994, 3075}, Rate{256, 3322, 3370},
                                           Rate{512, 3512, 3538}));

}  // namespace
}  // namespace solidtlm::hw::nvme
