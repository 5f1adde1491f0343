// SPDX-License-Identifier: Apache-2.0
//
// A virtual platform in one file: a processor that runs a driver in C, a memory, a bus, an AHCI host bus
// adapter, and two simulated drives behind its ports.
//
//   processor -- bus --+-- memory --+
//      ^               |            |
//      |               +-- registers of the adapter -- link -- drive 0
//      +---- interrupt -----------------+   |
//                                           +--------- link -- drive 1
//
// It writes to one drive, copies that to the other with 32 commands at a time, compares, and asks for
// something that fails. It prints what happens and when; exit code 1 if anything is not as it should be.
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <systemc>
#include <vector>

#include "ahci_driver.h"
#include "board.h"
#include "hw/ahci/hba.h"
#include "hw/ahci/registers.h"
#include "hw/tlm/protocol_checker.h"
#include "platform/configuration.h"
#include "platform/ssd.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMemoryBytes = 16U << 20U;
constexpr std::uint64_t kDriverMemory = 0x100000;
constexpr std::uint64_t kBuffer = 0x200000;
constexpr std::uint64_t kAbar = 0xFEBF0000;

/// The processor: its SC_THREAD runs the C program. Each load and store of the driver becomes a bus access.
class Processor : public sc_core::sc_module {
  public:
    tlm_utils::simple_initiator_socket<Processor> bus_init{"bus_init"};
    sc_core::sc_in<bool> interrupt{"interrupt"};

    explicit Processor(const sc_core::sc_module_name& name) : sc_module(name) {
        SC_HAS_PROCESS(Processor);
        SC_THREAD(program_thread);
    }
    [[nodiscard]] bool good() const { return ended_ && good_; }

  private:
    void access(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes) {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(static_cast<unsigned char*>(data));
        payload.set_data_length(static_cast<unsigned>(bytes));
        payload.set_streaming_width(static_cast<unsigned>(bytes));
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        bus_init->b_transport(payload, delay);
        wait(delay);
        if (payload.is_response_error()) {
            SC_REPORT_FATAL("/example", payload.get_response_string().c_str());
        }
    }

    // The driver's callbacks. `context` is this processor.
    static std::uint32_t load(void* context, std::uint64_t address) {
        std::uint32_t value = 0;
        get(context, address, &value, sizeof value);
        return value;
    }
    static void store(void* context, std::uint64_t address, std::uint32_t value) {
        put(context, address, &value, sizeof value);
    }
    static void get(void* context, std::uint64_t address, void* bytes, std::size_t count) {
        static_cast<Processor*>(context)->access(tlm::TLM_READ_COMMAND, address, bytes, count);
    }
    static void put(void* context, std::uint64_t address, const void* bytes, std::size_t count) {
        static_cast<Processor*>(context)->access(tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(bytes),
                                                 count);
    }
    static void delay_us(void*, std::uint32_t time) { sc_core::wait(time, sc_core::SC_US); }
    static int wait_for_interrupt(void* context) {
        auto& self = *static_cast<Processor*>(context);
        if (!self.interrupt->read()) {
            sc_core::wait(sc_core::sc_time(1, sc_core::SC_SEC), self.interrupt->posedge_event());
        }
        return self.interrupt->read() ? 1 : 0;
    }

    static void say(const std::string& what) {
        std::printf("%12.3f us  %s\n", sc_core::sc_time_stamp().to_seconds() * 1e6, what.c_str());
    }
    void expect(bool condition, const char* what) {
        if (!condition) {
            say(std::string("NOT AS IT SHOULD BE: ") + what);
            good_ = false;
        }
    }

    void program_thread() {
        const ahci_machine machine{this, load, store, get, put, delay_us, wait_for_interrupt};
        const int found = ahci_begin(&hba_, &machine, kAbar, kDriverMemory);
        say(std::to_string(found) + " drives found");
        expect(found == 2, "two drives");
        for (const unsigned port : {0U, 1U}) {
            const ahci_port& drive = hba_.port[port];
            say("port " + std::to_string(port) + ": " + drive.model + ", " + std::to_string(drive.sectors) +
                " sectors, queue of " + std::to_string(drive.depth));
        }
        fill_first_drive();
        copy_and_compare();
        fail();
        say(good_ ? "all is well" : "something is wrong");
        ended_ = true;
        sc_core::sc_stop();
    }

    static constexpr std::uint32_t kParts = 64;
    static constexpr std::uint32_t kPartSectors = 32;
    static constexpr std::uint32_t kPartBytes = kPartSectors * 512;
    static std::uint64_t part_buffer(std::uint32_t part) {
        return kBuffer + std::uint64_t{part} * kPartBytes;
    }

    /// A pattern that says where each dword belongs.
    static std::vector<std::uint32_t> pattern(std::uint32_t part) {
        std::vector<std::uint32_t> words(kPartBytes / 4);
        for (std::uint32_t i = 0; i < words.size(); ++i) {
            words[i] = part << 20U ^ i * 2654435761U;
        }
        return words;
    }
    /// Reads or writes all parts, with as many commands outstanding as the drive takes.
    void all_parts(unsigned port, bool write) {
        for (std::uint32_t part = 0; part < kParts; ++part) {
            while (ahci_submit(&hba_, port, write ? 1 : 0, std::uint64_t{part} * kPartSectors, kPartSectors,
                               part_buffer(part)) < 0) {
                // no slot is free: wait for the oldest command
                const std::uint32_t outstanding = hba_.port[port].outstanding;
                expect(ahci_wait(&hba_, port, outstanding & (~outstanding + 1)) == 0, "data move");
            }
        }
        expect(ahci_wait(&hba_, port, hba_.port[port].outstanding) == 0, "data move");
    }
    void fill_first_drive() {
        for (std::uint32_t part = 0; part < kParts; ++part) {
            const std::vector<std::uint32_t> words = pattern(part);
            put(this, part_buffer(part), words.data(), kPartBytes);
        }
        all_parts(0, true);
        expect(ahci_flush(&hba_, 0) == 0, "FLUSH");
        say("1 MiB written to drive 0, and flushed");
    }
    void copy_and_compare() {
        const std::vector<std::uint32_t> zeros(kPartBytes / 4);
        const auto clear = [&] {
            for (std::uint32_t part = 0; part < kParts; ++part) {
                put(this, part_buffer(part), zeros.data(), kPartBytes);
            }
        };
        clear();
        all_parts(0, false);
        say("read again from drive 0");
        all_parts(1, true);
        say("written to drive 1");
        clear();
        all_parts(1, false);
        std::vector<std::uint32_t> words(kPartBytes / 4);
        for (std::uint32_t part = 0; part < kParts; ++part) {
            get(this, part_buffer(part), words.data(), kPartBytes);
            expect(words == pattern(part), "drive 1 has what drive 0 had");
        }
        say("compared");
    }
    /// Reads a sector that does not exist, then one that does.
    void fail() {
        const std::uint64_t end = hba_.port[0].sectors;
        const int slot = ahci_submit(&hba_, 0, 0, end, 1, kBuffer);
        expect(slot >= 0 && ahci_wait(&hba_, 0, 1U << slot) == -1, "a read behind the end fails");
        say("a read behind the end of drive 0 has failed, as it should");
        const int next = ahci_submit(&hba_, 0, 0, end - 1, 1, kBuffer);
        expect(next >= 0 && ahci_wait(&hba_, 0, 1U << next) == 0, "the last sector is read");
        say("the last sector was read: the port has recovered");
    }

    ahci hba_{};
    bool good_ = true;
    bool ended_ = false;
};

platform::Configuration drive_configuration() {
    platform::ConfigurationSources sources;
    sources.preset = "tiny";
    sources.settings = {"content=bytes"};  // the driver moves real bytes, so drives must store them
    return platform::load_configuration(sources);
}

int run() {
    hw::AhciConfig config;
    config.ports = 2;
    Processor processor("processor");
    Bus bus("bus", kAbar, hw::ahci::kRegisterBytes);
    Ram memory("memory", kMemoryBytes, 50ns);
    hw::AhciHba hba("hba", config);
    sc_core::sc_signal<bool> line("line");
    platform::Ssd first("drive_0", drive_configuration(), platform::ProtocolChecks::on);
    platform::Ssd second("drive_1", drive_configuration(), platform::ProtocolChecks::on);

    hw::ProtocolCheckers checkers;  // optional: reports sockets that break the rules of TLM-2.0
    checkers.join(processor.bus_init, bus.processor_target);
    checkers.join(bus.memory_init, memory.target);
    checkers.join(bus.register_init, hba.register_target);
    checkers.join(hba.dma_init, memory.dma_target);
    hba.interrupt.bind(line);
    processor.interrupt.bind(line);
    first.sata().bind_host(hba.link_init[0], hba.link_target[0]);
    second.sata().bind_host(hba.link_init[1], hba.link_target[1]);

    sc_core::sc_start();
    return processor.good() ? 0 : 1;
}

}  // namespace
}  // namespace solidtlm::testbench

int sc_main(int, char*[]) {
    return solidtlm::testbench::run();
}
