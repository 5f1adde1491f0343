// SPDX-License-Identifier: Apache-2.0
//
// What a driver may do to the NVMe device: an input is a list of steps. Firmware and DRAM are doubles.
//
// However the driver behaves, the device touches no memory that the driver has not named, comes to rest when
// it is disabled, and works when it is enabled again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <systemc>
#include <vector>

#include "fw/hal/check.h"
#include "hw/nvme/driver_pair.h"
#include "hw/nvme/test_host_side.h"
#include "hw/tlm/protocol_checker.h"
#include "hw/tlm/test_drive.h"
#include "testbench/torture/fuzz/fuzz_target.h"

namespace solidtlm::fuzz {
namespace {

using hw::nvme::AdminOpcode;
using hw::nvme::Command;
using hw::nvme::DriverPair;
using hw::nvme::IoOpcode;
using hw::nvme::Register;
using hw::nvme::Word;

constexpr std::uint64_t kSectors = 2048;
constexpr int kMostSteps = 100;
/// Longer than anything takes that steps ask for.
constexpr hal::Ps kRest{100'000'000'000};

// Memory: three pairs of queues with two pages each, one page of lists, and data. A driver that this program
// does not play may name any other page.
constexpr std::uint64_t kQueues = 0x10000;
constexpr std::uint64_t kLists = 0x20000;
constexpr std::uint64_t kData = 0x40000;
constexpr std::uint64_t kMemory = 0x80000;

constexpr std::uint64_t sq_at(std::uint32_t queue) {
    return kQueues + queue * std::uint64_t{2} * hw::nvme::kPageBytes;
}
constexpr std::uint64_t cq_at(std::uint32_t queue) {
    return sq_at(queue) + hw::nvme::kPageBytes;
}

class Bench {
  public:
    Bench() {
        host_.memory.resize(kMemory);
        checkers_.join(host_.registers, device_.register_target);
        checkers_.join(device_.dma_init, host_.target);
        checkers_.join(device_.dram_init, dram_.host_target);
        device_.interrupt.bind(host_.line);
        host_.seen = [this](bool write, std::uint64_t address, std::span<const std::byte> bytes) {
            SOLIDTLM_CHECK(named_.allow(write, address, bytes), "memory that the driver has named");
        };
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }

    void run(Input input) {
        set_up(input);
        for (int steps = 0; !input.empty() && steps < kMostSteps; ++steps) {
            step(input);
        }
        expect_rest();
        expect_work();
        cut_power();
    }

  private:
    static hw::NvmeConfig configuration() {
        hw::NvmeConfig config;
        config.queues = 2;
        config.queue_entries = 64;
        config.command_slots = 6;
        config.vectors = 3;
        config.exported_sectors = kSectors;
        return config;
    }

    void set_up(Input& input) {
        const std::uint8_t times = input.byte();
        firmware_.delay = hal::Ps{(times & 0x0F) * 3'000'000};  // up to 45 us
        firmware_.between_parts = hal::Ps{(times >> 4) * 1'000'000};
        const std::uint8_t sizes = input.byte();
        firmware_.part_sectors = 1 + (sizes & 0x0F) * 5;
        firmware_.piece_sectors = 1 + (sizes >> 4);
        dram_.accept_only = (input.byte() & 1) != 0;
        dram_.wait = hal::Ps{input.byte() * 10'000};
        firmware_.fail_after_sectors = 0;
        firmware_.failures.clear();
        std::ranges::fill(host_.memory, std::byte{0});
        host_.holes.clear();
        enable();
        create(1, 8);
    }

    void step(Input& input) {
        const std::uint8_t what = input.byte();
        switch (what % 8) {
            case 0:
                return wait(hal::Ps{input.number<std::uint16_t>() * 10'000});
            case 1:
                return any_register(input);
            case 2:
                return write(hw::nvme::kDoorbells + what / 8 % 8 * 4, input.byte());
            case 3:
                return list_entry(input);
            case 4:
                return disturb(input);
            case 5:
                return consume(what / 8 % 3);
            default:
                return command(what, input);
        }
    }

    /// A register, or a dword of the table of MSI-X.
    void any_register(Input& input) {
        const std::uint8_t which = input.byte();
        const std::uint32_t offset = which < 0x40 ? which % 0x10 * 4
                                     : which < 0x80
                                         ? hw::nvme::kMsixTable + which % 0x10 * 4
                                         : input.number<std::uint16_t>() % hw::nvme::kBarBytes / 4 * 4;
        write(offset, input.number<Word>());
    }

    /// A place in the page of lists becomes a pointer to a page, or to nothing.
    void list_entry(Input& input) {
        const std::uint64_t at = kLists + input.byte() * std::uint64_t{16} % hw::nvme::kPageBytes;
        hw::put_little_endian(std::span(host_.memory).subspan(at, 8),
                              input.byte() * std::uint64_t{hw::nvme::kPageBytes} + input.byte());
    }

    /// Puts a command into a queue, nearly a good one or any, and rings the doorbell.
    void command(std::uint8_t what, Input& input) {
        const std::uint32_t queue = what / 8 % 3;
        Command command;
        command.opcode = input.byte();
        command.id = next_id_++;
        command.nsid = queue == 0 ? 0 : 1;
        const std::uint8_t pages = input.byte();
        command.prp1 = kData + (pages & 0x0F) * std::uint64_t{hw::nvme::kPageBytes};
        command.prp2 = (pages & 0x80) != 0 ? kLists + (pages & 0x70) * std::uint64_t{8}
                                           : command.prp1 + hw::nvme::kPageBytes;
        command.words[0] = input.number<std::uint16_t>();
        command.words[2] = queue == 0 ? 0 : input.byte();
        if (queue == 0) {
            command.words[1] = input.number<std::uint16_t>();
            if (command.opcode == static_cast<std::uint8_t>(AdminOpcode::create_sq) ||
                command.opcode == static_cast<std::uint8_t>(AdminOpcode::create_cq)) {
                describe_queue(command);
            }
        }
        if ((what & 0x80) != 0) {  // every field
            command.flags = input.byte();
            command.id = input.number<std::uint16_t>();
            command.nsid = input.number<std::uint32_t>();
            command.prp1 = input.number<std::uint32_t>();
            command.prp2 = input.number<std::uint32_t>();
            std::ranges::generate(command.words, [&input] { return input.number<Word>(); });
        }
        put(queue, command);
    }

    /// Dword 10 has a queue and a size; its memory is that of this program's ring.
    void describe_queue(Command& command) {
        const std::uint32_t queue = command.words[0] & 0x3;
        const std::uint32_t size = command.words[0] >> 8U & 0x3F;
        const bool completion = command.opcode == static_cast<std::uint8_t>(AdminOpcode::create_cq);
        command.words[0] = size << 16U | queue;
        command.words[1] = (completion ? command.words[1] % 4 : queue) << 16U | 3U;
        command.prp1 = completion ? cq_at(queue) : sq_at(queue);
        if (queue < rings_.size() && queue > 0) {
            rings_.at(queue) = DriverPair{size + 1};
        }
    }

    void disturb(Input& input) {
        const std::uint8_t what = input.byte();
        switch (what % 6) {
            case 0:
                firmware_.failures[input.byte()] = static_cast<hal::HostStatus>(1 + what / 6 % 3);
                firmware_.fail_once = (what & 0x80) != 0;
                firmware_.fail_after_sectors = input.byte() % 32;
                return;
            case 1:
                return device_.reset_function();
            case 2:
                return cut_power();
            case 3:
                return device_.set_msix((what & 0x40) != 0, (what & 0x80) != 0);
            case 4:
                host_.holes.insert(input.byte());
                return;
            default:
                return enable();
        }
    }

    /// Takes the completions of a queue, and rings the doorbell.
    void consume(std::uint32_t queue) {
        DriverPair& ring = rings_.at(queue);
        const std::uint32_t before = ring.head;
        while (ring.entries > 0 && ring.take(completion(queue))) {
        }
        if (ring.head != before) {
            write(hw::nvme::kDoorbells + 8 * queue + 4, ring.head);
        }
    }

    [[nodiscard]] std::span<std::byte> completion(std::uint32_t queue) {
        return std::span(host_.memory)
            .subspan(cq_at(queue) + std::uint64_t{rings_.at(queue).head} * hw::nvme::kCqeBytes,
                     hw::nvme::kCqeBytes);
    }

    void put(std::uint32_t queue, const Command& command) {
        DriverPair& ring = rings_.at(queue);
        const auto entry = std::span(host_.memory)
                               .subspan(sq_at(queue) + std::uint64_t{ring.tail} * hw::nvme::kSqeBytes)
                               .first<hw::nvme::kSqeBytes>();
        hw::nvme::encode(command, entry);
        if (ring.entries > 0) {
            ring.put();
        }
        write(hw::nvme::kDoorbells + 8 * queue, ring.tail);
    }

    void write(Register where, Word value) { write(static_cast<std::uint32_t>(where), value); }
    void write(std::uint32_t offset, Word value) {
        host_.access(tlm::TLM_WRITE_COMMAND, offset, value);
        named_.name_admin_queues();
        named_.name_messages(configuration().vectors);
    }
    [[nodiscard]] Word status() {
        Word value = 0;
        host_.access(tlm::TLM_READ_COMMAND, static_cast<std::uint32_t>(Register::csts), value);
        return value;
    }

    /// With admin queues of 16 entries, and messages of MSI-X.
    void enable() {
        constexpr Word kSize = 15;
        std::ranges::fill(std::span(host_.memory).subspan(kQueues, kLists - kQueues), std::byte{0});
        rings_ = {DriverPair{kSize + 1}, DriverPair{}, DriverPair{}};
        device_.set_msix(true, false);
        for (Word vector = 0; vector < configuration().vectors; ++vector) {
            const std::uint32_t entry = hw::nvme::kMsixTable + vector * 16;
            write(entry, static_cast<Word>(hw::nvme::kInterrupts));
            write(entry + 12, 0);
        }
        write(Register::aqa, kSize << 16U | kSize);
        write(Register::asq, static_cast<Word>(sq_at(0)));
        write(Register::asq_high, 0);
        write(Register::acq, static_cast<Word>(cq_at(0)));
        write(Register::acq_high, 0);
        write(Register::cc, hw::nvme::kCcOn);
    }
    void create(std::uint32_t queue, std::uint32_t entries) {
        rings_.at(queue) = DriverPair{entries};
        for (const AdminOpcode opcode : {AdminOpcode::create_cq, AdminOpcode::create_sq}) {
            Command command;
            command.opcode = static_cast<std::uint8_t>(opcode);
            command.id = next_id_++;
            command.prp1 = opcode == AdminOpcode::create_cq ? cq_at(queue) : sq_at(queue);
            command.words = {(entries - 1) << 16U | queue, queue << 16U | 3U};
            put(0, command);
            wait(hal::Ps{10'000'000});
            consume(0);
        }
    }

    static void wait(hal::Ps time) {
        if (time > hal::Ps{0}) {
            sc_core::sc_start(hw::to_sc_time(time));
        }
    }

    /// Disabled, the controller has nothing under way.
    void expect_rest() {
        write(Register::cc, 0);
        wait(kRest);
        SOLIDTLM_CHECK((status() & (hw::nvme::kCstsReady | hw::nvme::kCstsFatal)) == 0,
                       "a controller that is disabled becomes not ready");
        SOLIDTLM_CHECK(!device_.in_data_phase() && device_.not_fetched() == 0, "a reset ends everything");
    }

    /// The device identifies itself, makes queues, writes and reads.
    void expect_work() {
        firmware_.failures.clear();
        host_.holes.clear();
        enable();
        SOLIDTLM_CHECK(status() == hw::nvme::kCstsReady, "it can be enabled again");
        create(1, 4);
        for (const IoOpcode opcode : {IoOpcode::write, IoOpcode::read}) {
            Command command;
            command.opcode = static_cast<std::uint8_t>(opcode);
            command.id = next_id_++;
            command.nsid = 1;
            command.prp1 = kData;
            command.words[2] = 7;  // eight sectors
            const std::span<std::byte> entry = completion(1);
            put(1, command);
            wait(kRest);
            SOLIDTLM_CHECK(hw::get_little_endian(entry.subspan(12, 2)) == command.id &&
                               hw::get_little_endian(entry.subspan(14, 2)) == 1,
                           "a command ends well after a reset");
            consume(1);
        }
    }

    void cut_power() {
        device_.power_cut();
        dram_.power_cut();
        firmware_.power_cut();
        checkers_.power_cut();
        firmware_.seen.clear();
        firmware_.attach();
        device_.power_on();
        wait(kRest);
        host_.messages.clear();
        host_.written.clear();
        named_.forget_pages();
        named_.name_admin_queues();
    }

    hw::nvme::HostSide host_{"host"};
    hw::NvmeDevice device_{"device", configuration(), hw::PcieConfig{}};
    hw::test::FakeDram dram_{"dram", hal::ContentMode::bytes, kSectors};
    hw::test::FakeFirmware firmware_{"firmware", device_};
    hw::ProtocolCheckers checkers_;
    hw::nvme::NamedPages named_{device_};
    std::array<DriverPair, 3> rings_{};
    std::uint16_t next_id_ = 1;
};

}  // namespace
}  // namespace solidtlm::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // SystemC elaborates once per process, and is not taken down.
    static auto& bench = *new solidtlm::fuzz::Bench;  // NOLINT(cppcoreguidelines-owning-memory)
    bench.run(solidtlm::fuzz::Input(data, size));
    return 0;
}

/// The library of SystemC wants one; main() is libFuzzer's or that of run_seeds.cpp.
int sc_main(int, char**) {  // NOLINT(readability-identifier-naming)
    return 0;
}
