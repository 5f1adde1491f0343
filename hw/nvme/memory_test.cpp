// SPDX-License-Identifier: Apache-2.0
//
// The device with memories of other platforms: each way of answering that the base protocol allows.
#include <map>

#include "hw/nvme/device_bench.h"

namespace solidtlm::hw::nvme {
namespace {

class NvmeMemory : public NvmeDeviceTest, public ::testing::WithParamInterface<Answers> {
  protected:
    NvmeMemory() { answers = GetParam(); }

    [[nodiscard]] static bool late() {
        return GetParam() != Answers::at_once && GetParam() != Answers::direct;
    }
    [[nodiscard]] static bool offers_dmi() {
        return GetParam() == Answers::direct || GetParam() == Answers::direct_late;
    }
    /// It moves when it responds, not when it is called.
    [[nodiscard]] static bool moves_late() {
        return late() && GetParam() != Answers::with_delay && GetParam() != Answers::b_with_delay &&
               GetParam() != Answers::early_response;
    }
    static std::uint64_t place_of(std::uint64_t i) { return kData + i * 0x8000; }
    /// Commands at once, each with 16 KiB of memory and of the medium of its own.
    void put_all(std::uint64_t commands, std::uint64_t first_lba = 0) {
        for (std::uint64_t i = 0; i < commands; ++i) {
            put(1, transfer(i % 2 == 0 ? IoOpcode::read : IoOpcode::write, first_lba + 64 * i, 32,
                            place_of(i) + (i % 3) * 0x204, 0x60000 + i * 0x200));
        }
        ring(1);
    }
    /// Takes the completions.
    std::map<std::uint16_t, std::uint16_t> take_all() {
        std::map<std::uint16_t, std::uint16_t> status;
        while (const auto answer = look(1)) {
            status[answer->id] = answer->status;
        }
        return status;
    }
};

TEST_P(NvmeMemory, MovesDataInBothDirections) {
    start();
    dram->ps_per_byte = Ps{20};
    fill(dram->store, 1);
    for (std::uint64_t round = 0; round < 8; ++round) {
        constexpr std::uint64_t kCommands = 12;
        for (std::uint64_t i = 0; i < kCommands; ++i) {
            fill(at(place_of(i), 0x8000), static_cast<unsigned>(round * 100 + i));
        }
        put_all(kCommands, round * 1024);
        run();
        const auto status = take_all();
        ASSERT_EQ(status.size(), kCommands);
        for (std::uint64_t i = 0; i < kCommands; ++i) {
            ASSERT_TRUE(std::ranges::equal(at(place_of(i) + (i % 3) * 0x204, 32 * 512),
                                           medium(round * 1024 + 64 * i, 32)))
                << round << " " << i;
        }
        ASSERT_TRUE(std::ranges::all_of(status, [](const auto& one) { return one.second == 0; }));
    }
    EXPECT_EQ(device->statistics().transfer_errors, 0U);
    EXPECT_EQ(device->dma_init.refused_writes(), 0U);
    EXPECT_EQ(device->dma_init.direct_accesses() > 0, offers_dmi());
    EXPECT_EQ(memory->under_way, 0U);
}

// As ReadOfDepthOneToThePicosecond in device_test.cpp. The host waits for the fetch. The data and the
// completion are posted, in this order, and so is the message: each waits for the answer to the one before.
TEST_P(NvmeMemory, AddsItsLatencyToThePicosecond) {
    start();
    dram->wait = Ps{100'000};
    dram->ps_per_byte = Ps{100};
    firmware->delay = Ps{3'000'000};
    memory->latency = Ps{2'000'000};
    if (GetParam() == Answers::in_any_order) {
        GTEST_SKIP() << "its latencies differ";
    }
    const bool direct = offers_dmi();
    memory->dmi_latency = Ps{300};
    memory->dmi_write_latency = Ps{200};  // longer for the data than the link takes for what follows them
    if (direct) {                         // a known region, with its latency
        memory->end_dmi();
        run();
        EXPECT_EQ(ask(1, io_command(IoOpcode::flush)).status, 0);
        host->messages.clear();
    }
    Command command = io_command(IoOpcode::read, 8, 8);
    command.prp1 = kData;
    put(1, command);
    const Ps begin = now();
    ring(1);
    run();

    constexpr Ps kFetch{5'078 + 500'000 + 21'328};  // 20 bytes up, the root, 20 + 64 bytes down
    constexpr Ps kData4K{1'121'250};                // 16 TLPs of 20 + 256 bytes up
    constexpr Ps kCompletion{9'141};                // 20 + 16 bytes
    constexpr Ps kMessage{6'094};                   // 20 + 4 bytes
    const Ps latency = late() ? memory->latency : Ps{0};
    const Ps of_fetch = direct ? Ps{64 * 300} : latency;
    const Ps data = begin + Ps{6'094} + kFetch + of_fetch + Ps{3'000'000} + Ps{100'000 + 409'600} + kData4K;
    ASSERT_EQ(host->messages.size(), 1U);
    const Ps message = host->messages[0].first;
    if (direct) {
        EXPECT_EQ(message, data + Ps{(4096 + 16) * 200} + latency) << "the message alone is not direct";
    } else if (late()) {
        EXPECT_EQ(host->written.at(pairs[1].cq), data + latency + (moves_late() ? latency : Ps{0}));
        EXPECT_EQ(message, data + 2 * latency + (moves_late() ? latency : Ps{0}));
    } else {
        EXPECT_EQ(host->written.at(pairs[1].cq), data + kCompletion);
        EXPECT_EQ(message, data + kCompletion + kMessage);
    }
    EXPECT_EQ(look(1).value_or(Answer{0, 0, 0, 0, 1}).status, 0);
}

// As above, without a latency of writes: nothing waits for the one before.
TEST_P(NvmeMemory, DirectWritesWithoutLatencyEndAtOnce) {
    if (!offers_dmi()) {
        GTEST_SKIP() << "it is not direct";
    }
    start();
    dram->wait = Ps{100'000};
    dram->ps_per_byte = Ps{100};
    memory->latency = Ps{2'000'000};
    EXPECT_EQ(ask(1, io_command(IoOpcode::flush)).status, 0);
    host->messages.clear();
    Command command = io_command(IoOpcode::read, 8, 8);
    command.prp1 = kData;
    put(1, command);
    const Ps begin = now();
    ring(1);
    run();
    const Ps fetched = begin + Ps{6'094} + Ps{5'078 + 500'000 + 21'328};
    const Ps data = fetched + firmware->delay + Ps{100'000 + 409'600} + Ps{1'121'250};
    ASSERT_EQ(host->messages.size(), 1U);
    EXPECT_EQ(host->messages[0].first, data + Ps{9'141 + 6'094} + (late() ? memory->latency : Ps{0}));
}

// Whichever write memory ends first.
TEST_P(NvmeMemory, ACompletionIsNeverVisibleBeforeItsData) {
    start();
    fill(dram->store, 7);
    std::uint64_t completions = 0;
    std::map<std::uint16_t, std::uint64_t> lba_of;
    const auto check = [&](std::uint16_t id) {
        const std::uint64_t lba = lba_of.at(id);
        EXPECT_TRUE(std::ranges::equal(at(place_of(lba / 64), 32 * 512), medium(lba, 32))) << id;
        ++completions;
    };
    host->seen = [&](bool write, std::uint64_t address, std::span<const std::byte> bytes) {
        if (write && address / 0x2000 == pairs[1].cq / 0x2000) {
            check(static_cast<std::uint16_t>(get_little_endian(bytes.subspan(12, 2))));
        }
    };
    for (std::uint64_t i = 0; i < 12; ++i) {
        lba_of[put(1, transfer(IoOpcode::read, 64 * i, 32, place_of(i), 0x60000 + i * 0x200))] = 64 * i;
    }
    ring(1);
    run();
    if (!offers_dmi()) {  // nothing sees direct accesses
        EXPECT_EQ(completions, 12U);
    }
    EXPECT_EQ(take_all().size(), 12U);
}

// The link brings 256 pages in about 280 us. Memory takes 120 us for each, many at a time or one; a
// completion waits for the pages of its command, and what comes after it. The drive waits when all places are
// taken. Where memory is direct, only messages are slow.
TEST_P(NvmeMemory, SlowMemoryHoldsTheDriveUp) {
    start();
    memory->latency = Ps{120'000'000};
    fill(dram->store, 3);
    constexpr std::uint64_t kCommands = 8;
    for (std::uint64_t i = 0; i < kCommands; ++i) {
        put(1, transfer(IoOpcode::read, 256 * i, 256, kData + i * 0x20000, 0x60000 + i * 0x200));
    }
    ring(1);
    int data_phase_us = 0;
    for (int us = 0; us < 60'000; us += 10) {
        hw::run(std::chrono::microseconds(10));
        data_phase_us += device->in_data_phase() ? 10 : 0;
    }
    if (late()) {
        EXPECT_GE(data_phase_us, 8 * 120);
    } else {
        EXPECT_LE(data_phase_us, 300);
    }
    EXPECT_EQ(take_all().size(), kCommands);
    for (std::uint64_t i = 0; i < kCommands; ++i) {
        EXPECT_TRUE(std::ranges::equal(at(kData + i * 0x20000, 256 * 512), medium(256 * i, 256)));
    }
    EXPECT_LE(memory->most_under_way, MemorySocket::kPlaces);
    if (GetParam() == Answers::early_end || GetParam() == Answers::in_any_order ||
        GetParam() == Answers::b_unconverted) {
        EXPECT_GE(memory->most_under_way, 32U) << "the pages of a command at once";
    }
}

// Memory that holds a payload for longer than its access (IEEE 1666-2011 14.5): the next one has another.
TEST_P(NvmeMemory, MemoryMayKeepPayloads) {
    start();
    fill(dram->store, 5);
    memory->keeps = Ps{3'000'000};
    constexpr std::uint64_t kCommands = 6;
    put_all(kCommands);
    run();
    const auto status = take_all();
    EXPECT_EQ(status.size(), kCommands);
    EXPECT_TRUE(std::ranges::all_of(status, [](const auto& one) { return one.second == 0; }));
    for (std::uint64_t i = 0; i < kCommands; ++i) {
        EXPECT_TRUE(std::ranges::equal(at(place_of(i) + (i % 3) * 0x204, 32 * 512), medium(64 * i, 32))) << i;
    }
    if (!offers_dmi()) {  // most of its accesses have no payload
        EXPECT_GT(memory->kept, kCommands * 6) << "an entry, at least four pages, a completion";
    }
}

TEST_P(NvmeMemory, WhatMemoryRefuses) {
    start();
    if (offers_dmi()) {
        GTEST_SKIP() << "memory without holes";
    }
    host->holes.insert(kData / kPageBytes + 1);
    EXPECT_EQ(ask(1, transfer(IoOpcode::write, 0, 24, kData, 0x60000)).status, 0x0004);
    // A write that is refused later is known to the root alone.
    EXPECT_EQ(ask(1, transfer(IoOpcode::read, 0, 24, kData, 0x60000)).status, late() ? 0x0000 : 0x0004);
    EXPECT_EQ(device->dma_init.refused_writes(), late() ? 1U : 0U);
    EXPECT_EQ(ask(1, transfer(IoOpcode::write, 0, 8, kData, 0x60000)).status, 0);
}

// A reset waits for what is under way (NVMe 1.4, 3.1.6: CSTS.RDY).
TEST_P(NvmeMemory, AResetWaitsForAnswers) {
    start();
    memory->latency = Ps{5'000'000};
    put_all(8);
    hw::run(std::chrono::nanoseconds(800));  // late memory has not given the entries
    write(Register::cc, 0);
    EXPECT_EQ(read(Register::csts) & kCstsReady, kCstsReady);
    run();
    EXPECT_EQ(read(Register::csts), 0U);
    begin();
    EXPECT_EQ(ask(1, transfer(IoOpcode::read, 0, 256, kData, 0x60000)).status, 0);
}

// Power is cut at any instant, while memory owes answers; it gives them afterwards.
TEST_P(NvmeMemory, APowerCutForgetsWhoAsked) {
    start();
    dram->ps_per_byte = Ps{20};
    memory->latency = Ps{700'000};
    int late_answers = 0;
    for (int ns = 1; ns < 12'000; ns = ns * 5 / 4 + 1) {
        put_all(8);
        hw::run(std::chrono::nanoseconds(ns));
        const bool owes = memory->under_way > 0;
        power_cut();
        EXPECT_FALSE(device->in_data_phase());
        firmware->attach();
        const std::uint64_t completed = firmware->completed;
        if (ns % 2 == 0) {  // the driver is there before the answers are
            begin();
        } else {
            run();
            EXPECT_EQ(read(Register::csts), 0U);
            begin();
        }
        late_answers += owes ? 1 : 0;
        EXPECT_EQ(firmware->completed, completed) << "nothing goes on";
        fill(at(kData, 256 * 512), static_cast<unsigned>(ns));
        ASSERT_EQ(ask(1, transfer(IoOpcode::write, 0, 256, kData, 0x60000)).status, 0) << ns;
        ASSERT_TRUE(std::ranges::equal(at(kData, 256 * 512), medium(0, 256))) << ns;
        fill(medium(0, 256), static_cast<unsigned>(ns + 1));
        ASSERT_EQ(ask(1, transfer(IoOpcode::read, 0, 256, kData, 0x60000)).status, 0) << ns;
        ASSERT_TRUE(std::ranges::equal(at(kData, 256 * 512), medium(0, 256))) << ns;
    }
    EXPECT_EQ(late_answers > 0, moves_late());
    EXPECT_EQ(memory->under_way, 0U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NvmeMemory, ::testing::ValuesIn(kAllAnswers),
                         [](const auto& kind) { return ::testing::PrintToString(kind.param); });

}  // namespace
}  // namespace solidtlm::hw::nvme
