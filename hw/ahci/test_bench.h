// SPDX-License-Identifier: Apache-2.0
//
// For tests: a host bus adapter with a processor, a memory, and drives or scripted devices at its ports.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include <tlm_utils/simple_target_socket.h>

#include "hw/ahci/hba.h"
#include "hw/ahci/registers.h"
#include "hw/sata/ata.h"
#include "hw/sata/test_doubles.h"
#include "hw/tlm/little_endian.h"
#include "hw/tlm/test_run.h"

namespace solidtlm::hw::ahci::test {

/// RAM from address 0; accesses beyond its end are refused.
struct Memory : sc_core::sc_module {
    struct Access {
        bool write;
        std::uint64_t address;
        std::uint32_t bytes;
    };
    tlm_utils::simple_target_socket<Memory> target{"target"};

    Memory(const sc_core::sc_module_name& name, std::size_t bytes) : sc_module(name), ram(bytes) {
        target.register_b_transport(this, &Memory::b_transport);
    }

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
        const std::uint64_t address = payload.get_address();
        const std::uint32_t bytes = payload.get_data_length();
        log.push_back({payload.is_write(), address, bytes});
        delay += to_sc_time(time);
        if (address > ram.size() || bytes > ram.size() - address) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (address < broken_end && address + bytes > broken_begin) {
            payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            return;
        }
        if (payload.is_write()) {
            std::memcpy(ram.data() + address, payload.get_data_ptr(), bytes);
        } else {
            std::memcpy(payload.get_data_ptr(), ram.data() + address, bytes);
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    void put(std::uint64_t address, std::uint64_t value, std::size_t bytes = 4) {
        put_little_endian(std::span(ram).subspan(address, bytes), value);
    }
    [[nodiscard]] std::uint64_t get(std::uint64_t address, std::size_t bytes = 4) const {
        return get_little_endian(std::span(ram).subspan(address, bytes));
    }

    std::vector<std::byte> ram;
    std::vector<Access> log;
    Ps time{0};  ///< per access
    std::uint64_t broken_begin = 0;
    std::uint64_t broken_end = 0;
};

/// Runs `program` in a thread.
struct Processor : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Processor> init{"init"};

    explicit Processor(const sc_core::sc_module_name& name) : sc_module(name) {
        SC_HAS_PROCESS(Processor);
        SC_THREAD(thread);
    }
    void thread() {
        while (true) {
            while (!program) {
                sc_core::wait(begin);
            }
            program();
            program = nullptr;
        }
    }
    /// Performs a transaction as an initiator does.
    tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t address, void* data,
                                       std::uint32_t bytes, sc_core::sc_time delay = {},
                                       std::uint32_t width = 0, unsigned char* enables = nullptr) {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(static_cast<unsigned char*>(data));
        payload.set_data_length(bytes);
        payload.set_streaming_width(width != 0 ? width : bytes);
        payload.set_byte_enable_ptr(enables);
        payload.set_byte_enable_length(enables != nullptr ? bytes : 0);
        init->b_transport(payload, delay);
        return payload.get_response_status();
    }
    std::uint64_t load(std::uint64_t address, std::uint32_t bytes = 4) {
        std::array<std::byte, 8> data{};
        EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, address, data.data(), bytes), tlm::TLM_OK_RESPONSE);
        return get_little_endian(std::span(data).first(bytes));
    }
    void store(std::uint64_t address, std::uint64_t value, std::uint32_t bytes = 4) {
        std::array<std::byte, 8> data{};
        put_little_endian(std::span(data).first(bytes), value);
        EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, address, data.data(), bytes), tlm::TLM_OK_RESPONSE);
    }

    std::function<void()> program;
    sc_core::sc_event begin{"begin"};
};

/// A real device on a real link, with a DRAM and a firmware of the test.
struct Drive {
    static constexpr std::uint64_t kSectors = 20000;
    explicit Drive(std::uint32_t port)
        : config(make_config()),
          link(name("link", port).c_str(), config),
          device(name("device", port).c_str(), config),
          dram(name("dram", port).c_str(), config.content, kSectors),
          firmware(name("firmware", port).c_str(), device) {}
    static std::string name(const char* what, std::uint32_t port) {
        return std::string(what) + "_" + std::to_string(port);
    }
    static SataConfig make_config() {
        SataConfig config;
        config.content = hal::ContentMode::bytes;
        config.exported_sectors = kSectors;
        return config;
    }
    SataConfig config;
    SataLink link;
    SataDevice device;
    hw::test::FakeDram dram;
    hw::test::FakeFirmware firmware;
};

/// A device that sends the frames that the test tells it to.
struct Puppet {
    explicit Puppet(std::uint32_t port)
        : link(Drive::name("link", port).c_str(), SataConfig{}),
          device(Drive::name("puppet", port).c_str(), hal::ContentMode::bytes) {}
    SataLink link;
    hw::test::ScriptHost device;
};

struct Prd {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    bool interrupt = false;
};

class AhciTest : public testing::Test {
  protected:
    static constexpr std::uint64_t kRam = 0x800000;

    /// Drives at the first ports, then puppets at the next ones.
    void build(const AhciConfig& config, std::uint32_t drive_count, std::uint32_t puppet_count = 0) {
        hba = std::make_unique<AhciHba>("hba", config);
        memory = std::make_unique<Memory>("memory", kRam);
        processor = std::make_unique<Processor>("processor");
        checkers.join(processor->init, hba->register_target);
        checkers.join(hba->dma_init, memory->target);
        hba->interrupt.bind(line);
        for (std::uint32_t i = 0; i < drive_count; ++i) {
            Drive& drive = *drives.emplace_back(std::make_unique<Drive>(i));
            join(i, drive.link);
            checkers.join(drive.device.link.init, drive.link.device.target);
            checkers.join(drive.link.device.init, drive.device.link.target);
            checkers.join(drive.device.dram_init, drive.dram.host_target);
        }
        for (std::uint32_t i = drive_count; i < drive_count + puppet_count; ++i) {
            Puppet& puppet = *puppets.emplace_back(std::make_unique<Puppet>(i));
            join(i, puppet.link);
            checkers.join(puppet.device.link_init, puppet.link.device.target);
            checkers.join(puppet.link.device.init, puppet.device.link_target);
        }
    }
    void join(std::uint32_t port, SataLink& link) {
        link.host.set_border();
        checkers.join(hba->link_init[port], link.host.target);
        checkers.join(link.host.init, hba->link_target[port]);
    }
    /// Runs `program` on the processor until it ends, for at most `most`.
    void go(std::function<void()> program, Ps most = std::chrono::seconds{2}) {
        bool done = false;
        processor->program = [&] {
            program();
            done = true;
        };
        processor->begin.notify(sc_core::SC_ZERO_TIME);
        const Ps end = kernel_now() + most;
        while (!done && kernel_now() < end) {
            run(std::chrono::microseconds{100});
        }
        ASSERT_TRUE(done) << "the driver's program has come to its end";
    }

    // For the driver's program.
    static void pause(Ps time) { sc_core::wait(to_sc_time(time)); }
    static std::uint64_t at(std::uint32_t port, PortRegister which) {
        return kPortBase + std::uint64_t{port} * kPortBytes + static_cast<std::uint32_t>(which);
    }
    Word load(std::uint32_t port, PortRegister which) const {
        return static_cast<Word>(processor->load(at(port, which)));
    }
    void store(std::uint32_t port, PortRegister which, Word value) const {
        processor->store(at(port, which), value);
    }
    Word load(Global which) const {
        return static_cast<Word>(processor->load(static_cast<std::uint32_t>(which)));
    }
    void store(Global which, Word value) const { processor->store(static_cast<std::uint32_t>(which), value); }
    /// False if the condition does not become true within a second.
    template <class Condition>
    static bool wait_for(Condition condition) {
        for (int i = 0; i < 100'000; ++i) {
            if (condition()) {
                return true;
            }
            pause(std::chrono::microseconds{10});
        }
        return false;
    }
    // Places of a port's structures.
    static std::uint64_t list(std::uint32_t port) { return 0x10000 * (port + 1U); }
    static std::uint64_t received(std::uint32_t port) { return list(port) + 0x400; }
    static std::uint64_t table(std::uint32_t port, std::uint32_t slot) {
        return list(port) + 0x1000 + slot * 0x400U;
    }
    static std::uint64_t buffer(std::uint32_t port) { return 0x100000 * (port + 1U); }

    /// Waits for the signature. False if it does not come.
    bool ready(std::uint32_t port) const {
        return wait_for([&] { return (load(port, PortRegister::tfd) & (ata::kBusy | ata::kDrq)) == 0; });
    }
    void start(std::uint32_t port, Word enable = 0) const {
        store(port, PortRegister::clb, static_cast<Word>(list(port)));
        store(port, PortRegister::fb, static_cast<Word>(received(port)));
        store(port, PortRegister::cmd, load(port, PortRegister::cmd) | kFre);
        EXPECT_TRUE(ready(port));
        store(port, PortRegister::serr, ~Word{0});
        store(port, PortRegister::is, ~Word{0});
        store(port, PortRegister::ie, enable);
        store(port, PortRegister::cmd, load(port, PortRegister::cmd) | kSt);
    }
    /// False if PxCMD.CR does not fall within 500 ms (10.3.2).
    bool stop(std::uint32_t port) const {
        store(port, PortRegister::cmd, load(port, PortRegister::cmd) & ~kSt);
        for (int i = 0; i < 50'000 && (load(port, PortRegister::cmd) & kCr) != 0; ++i) {
            pause(std::chrono::microseconds{10});
        }
        return (load(port, PortRegister::cmd) & kCr) == 0;
    }
    /// Writes header, command FIS and PRD table of a slot.
    void prepare(std::uint32_t port, std::uint32_t slot, const RegisterH2d& fis, const std::vector<Prd>& prds,
                 Word flags = 0) const {
        const std::uint64_t header = list(port) + slot * kHeaderBytes;
        memory->put(header, 5U | flags | static_cast<Word>(prds.size()) << kPrdtlShift);
        memory->put(header + 4, 0);
        memory->put(header + 8, table(port, slot), 8);
        const FisHeader bytes = encode(fis);
        std::memcpy(memory->ram.data() + table(port, slot), bytes.bytes.data(), bytes.length);
        std::uint64_t entry = table(port, slot) + kPrdtOffset;
        for (const Prd& prd : prds) {
            memory->put(entry, prd.address, 8);
            memory->put(entry + 12, (prd.bytes - 1) | (prd.interrupt ? kPrdInterrupt : 0));
            entry += kPrdBytes;
        }
    }
    void issue(std::uint32_t port, Word slots) const { store(port, PortRegister::ci, slots); }
    bool ended(std::uint32_t port, Word slots) const {
        return wait_for(
            [&] { return ((load(port, PortRegister::ci) | load(port, PortRegister::sact)) & slots) == 0; });
    }
    static RegisterH2d command(ata::Opcode opcode, std::uint64_t lba = 0, std::uint16_t count = 0) {
        RegisterH2d fis;
        fis.command = static_cast<std::uint8_t>(opcode);
        fis.lba = hal::Lba{lba};
        fis.device = ata::kDeviceLba;
        fis.count = count;
        return fis;
    }
    static RegisterH2d queued(ata::Opcode opcode, std::uint8_t tag, std::uint64_t lba,
                              std::uint16_t sectors) {
        RegisterH2d fis = command(opcode, lba, static_cast<std::uint16_t>(tag << 3U));
        fis.features = sectors;
        return fis;
    }
    /// Contents that differ from place to place.
    static std::byte pattern(std::uint64_t at) { return static_cast<std::byte>(at * 167 + at / 251); }
    void fill_medium(std::uint32_t port, std::uint64_t lba, std::uint32_t sectors) const {
        for (std::uint64_t i = lba * 512; i < (lba + sectors) * 512; ++i) {
            drives[port]->dram.store[i] = pattern(i);
        }
    }

    std::unique_ptr<AhciHba> hba;
    std::unique_ptr<Memory> memory;
    std::unique_ptr<Processor> processor;
    sc_core::sc_signal<bool> line{"line"};
    std::vector<std::unique_ptr<Drive>> drives;
    std::vector<std::unique_ptr<Puppet>> puppets;
    ProtocolCheckers checkers;
};

}  // namespace solidtlm::hw::ahci::test
