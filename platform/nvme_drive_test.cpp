// SPDX-License-Identifier: Apache-2.0
//
// A whole drive with an NVMe interface, and hosts that do not share its agenda.
#include <chrono>

#include "hw/nvme/device_bench.h"
#include "platform/ssd.h"

namespace solidtlm::platform {
namespace {

using hw::kernel_now;
using hw::nvme::Command;
using hw::nvme::IoOpcode;
using hw::nvme::Word;
using namespace std::chrono_literals;

/// A drive, the host's memory, and a driver that uses the interrupt pin.
struct Computer final : sc_core::sc_module, hw::nvme::TestDriver {
    using TestDriver::kData;
    static constexpr std::uint64_t kCopy = kData + 0x10000;
    static constexpr std::uint64_t kPage = hw::nvme::kPageBytes;
    hw::nvme::HostSide host{"host"};
    Ssd ssd;
    std::vector<hal::Ps> edges;  // of the interrupt pin

    Computer(const sc_core::sc_module_name& name, const std::string& run_ahead)
        : sc_module(name), ssd("ssd", drive(run_ahead), ProtocolChecks::on) {
        ssd.nvme().bind_host(host.registers, host.target);
        SC_HAS_PROCESS(Computer);
        SC_METHOD(edge_method);
        sensitive << ssd.nvme().interrupt;
        dont_initialize();
    }
    static Configuration drive(const std::string& run_ahead) {
        ConfigurationSources sources;
        sources.preset = "tiny";
        sources.settings = {"host.interface=nvme", "content=bytes", "run_ahead=" + run_ahead};
        return load_configuration(sources);
    }
    void begin() {
        enable();
        run();
        create(1, 2);
    }
    /// Reads or writes two pages from sector 0 on; their memory is at `memory`.
    std::uint16_t send(IoOpcode opcode, std::uint64_t memory = 0) {
        Command command = hw::nvme::io_command(opcode, 0, 2 * kPage / hal::kSectorBytes);
        command.prp1 = memory;
        command.prp2 = memory + kPage;
        const std::uint16_t id = put(1, command);
        ring(1);
        return id;
    }
    [[nodiscard]] bool answered_well(std::uint16_t id) {
        const auto answer = look(1);
        return answer && answer->id == id && answer->status == 0;
    }
    [[nodiscard]] bool pin() { return ssd.nvme().interrupt.read(); }
    std::span<std::byte> pages(std::uint64_t memory) { return at(memory, 2 * kPage); }

  private:
    void edge_method() { edges.push_back(kernel_now()); }

    Word read_register(std::uint32_t offset) override {
        Word value = 0;
        host.access(tlm::TLM_READ_COMMAND, offset, value);
        return value;
    }
    void write_register(std::uint32_t offset, Word value) override {
        host.access(tlm::TLM_WRITE_COMMAND, offset, value);
    }
    std::span<std::byte> at(std::uint64_t address, std::size_t bytes) override {
        return std::span(host.memory).subspan(address, bytes);
    }
    void run() override { hw::run(50ms); }
};

/// What the host observes of three commands, with times since each command was sent.
struct Seen {
    std::vector<hal::Ps> edges;
    std::vector<std::pair<std::uint64_t, hal::Ps>> written;  // address and time
    bool operator==(const Seen&) const = default;
};

Seen work(Computer& computer) {
    Seen seen;
    std::uint8_t value = 0;
    computer.begin();
    for (std::byte& byte : computer.pages(Computer::kData)) {
        byte = std::byte{value = static_cast<std::uint8_t>(value * 5 + 1)};
    }
    for (const auto& [opcode, memory] :
         {std::pair{IoOpcode::write, Computer::kData}, std::pair{IoOpcode::flush, std::uint64_t{0}},
          std::pair{IoOpcode::read, Computer::kCopy}}) {
        computer.host.written.clear();
        computer.edges.clear();
        const hal::Ps start = kernel_now();
        const std::uint16_t id = computer.send(opcode, memory);
        hw::run(50ms);
        EXPECT_TRUE(computer.pin());
        EXPECT_TRUE(computer.answered_well(id));
        hw::run(50ms);
        EXPECT_FALSE(computer.pin());
        EXPECT_EQ(computer.edges.size(), 2U);
        for (const hal::Ps edge : computer.edges) {
            seen.edges.push_back(edge - start);
        }
        for (const auto& [address, at] : computer.host.written) {
            seen.written.emplace_back(address, at - start);
        }
    }
    EXPECT_TRUE(std::ranges::equal(computer.pages(Computer::kData), computer.pages(Computer::kCopy)));
    return seen;
}

// Memory and the pin change at the kernel's time, even if the drive could run ahead of it. Queues of two
// entries wrap at each command.
TEST(NvmeDriveTest, AHostWithAProcessorSeesChangesAtTheKernelsTime) {
    Computer in_step("in_step", "0ms");
    Computer ahead("ahead", "1ms");
    const Seen seen = work(in_step);
    EXPECT_EQ(seen.edges.size(), 6U);
    EXPECT_GT(seen.written.size(), 3U);
    EXPECT_EQ(seen, work(ahead));
}

}  // namespace
}  // namespace solidtlm::platform
