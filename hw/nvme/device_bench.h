// SPDX-License-Identifier: Apache-2.0
//
// For tests: the device between a host with memory and doubles of firmware and DRAM.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <tlm_utils/simple_target_socket.h>

#include "hw/nvme/device.h"
#include "hw/nvme/test_driver.h"
#include "hw/tlm/blocking_access.h"
#include "hw/tlm/protocol_checker.h"
#include "hw/tlm/test_drive.h"
#include "hw/tlm/test_run.h"

namespace solidtlm::hw::nvme {

constexpr std::uint64_t kAlias = std::uint64_t{1} << 32U;  // memory is there, too: TLPs with 64-bit addresses
constexpr std::uint64_t kInterrupts = 0xFEE00000;
constexpr std::uint64_t kCapacity = 1U << 16U;

/// Memory of the host, and an interrupt controller.
struct HostSide : sc_core::sc_module {
    tlm_utils::simple_target_socket<HostSide> target{"target"};
    tlm_utils::simple_initiator_socket<HostSide> registers{"registers"};
    sc_core::sc_signal<bool> line{"line"};
    std::vector<std::byte> memory = std::vector<std::byte>(2U << 20U);
    std::set<std::uint64_t> holes;  // pages
    std::map<std::uint64_t, Ps> written;
    std::vector<std::pair<Ps, Word>> messages;
    Ps delay{0};  // that the last access to a register returned
    std::function<void(bool write, std::uint64_t address, std::span<const std::byte> bytes)> seen;

    explicit HostSide(const sc_core::sc_module_name& name) : sc_module(name) {
        target.register_nb_transport_fw(this, &HostSide::nb_transport_fw);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& /*phase*/,
                                       sc_core::sc_time& /*delay*/) {
        const std::span bytes(reinterpret_cast<std::byte*>(payload.get_data_ptr()),
                              payload.get_data_length());
        const std::uint64_t address = payload.get_address() % kAlias;
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        if (payload.get_address() == kInterrupts) {
            messages.emplace_back(kernel_now(), static_cast<Word>(get_little_endian(bytes)));
        } else if (address + bytes.size() > memory.size() || holes.contains(address / kPageBytes)) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        } else if (payload.is_write()) {
            std::ranges::copy(bytes, memory.begin() + static_cast<std::ptrdiff_t>(address));
            written[address] = kernel_now();
        } else {
            std::ranges::copy(std::span(memory).subspan(address, bytes.size()), bytes.begin());
        }
        if (seen) {
            seen(payload.is_write(), payload.get_address(), bytes);
        }
        return tlm::TLM_COMPLETED;
    }
    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t offset, Word& value,
                                    unsigned bytes = sizeof(Word)) {
        sc_core::sc_time time = sc_core::SC_ZERO_TIME;
        const tlm::tlm_response_status status =
            blocking_access(registers, command, offset, {reinterpret_cast<std::byte*>(&value), bytes}, time);
        delay = to_ps(time);
        return status;
    }
};

class NvmeDeviceTest : public ::testing::Test, protected TestDriver {
  protected:
    std::unique_ptr<HostSide> host;
    std::unique_ptr<NvmeDevice> device;
    std::unique_ptr<test::FakeDram> dram;
    std::unique_ptr<test::FakeFirmware> firmware;
    ProtocolCheckers checkers;

    static NvmeConfig config(hal::ContentMode content = hal::ContentMode::bytes) {
        NvmeConfig config;
        config.queues = 4;
        config.queue_entries = 64;
        config.command_slots = 16;
        config.vectors = 5;
        config.exported_sectors = kCapacity;
        config.content = content;
        return config;
    }
    void start(const PcieConfig& link = exact_link(), hal::ContentMode content = hal::ContentMode::bytes) {
        host = std::make_unique<HostSide>("host");
        device = std::make_unique<NvmeDevice>("device", config(content), link);
        dram = std::make_unique<test::FakeDram>("dram", content, kCapacity);
        firmware = std::make_unique<test::FakeFirmware>("firmware", *device);
        checkers.join(host->registers, device->register_target);
        checkers.join(device->dma_init, host->target);
        checkers.join(device->dram_init, dram->host_target);
        device->interrupt.bind(host->line);
        begin();
    }
    /// Enables the controller, with a pair of I/O queues and MSI-X.
    void begin() {
        device->set_msix(true, false);
        for (const Word vector : {0U, 1U}) {
            const std::uint32_t entry = kMsixTable + vector * 16;
            write_register(entry, static_cast<Word>(kInterrupts));
            write_register(entry + 4, 0);
            write_register(entry + 8, 0x40 + vector);
            write_register(entry + 12, 0);
        }
        enable();
        create(1, 64, 1);
        host->messages.clear();
    }
    /// Generation 3, four lanes, MPS 256, without DLLPs: a byte takes 253.90625 ps.
    static PcieConfig exact_link() {
        PcieConfig link;
        link.dllps = PcieDllps::none;
        return link;
    }

    Word read_register(std::uint32_t offset) override {
        Word value = 0;
        access(tlm::TLM_READ_COMMAND, offset, value);
        return value;
    }
    void write_register(std::uint32_t offset, Word value) override {
        access(tlm::TLM_WRITE_COMMAND, offset, value);
    }
    std::span<std::byte> at(std::uint64_t address, std::size_t bytes) override {
        return std::span(host->memory).subspan(address, bytes);
    }
    void power_cut() {
        device->power_cut();
        firmware->power_cut();
        dram->power_cut();
        checkers.power_cut();
    }
    void run() override { hw::run(std::chrono::milliseconds(1)); }

    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t offset, Word& value,
                                    unsigned bytes = sizeof(Word)) {
        return host->access(command, offset, value, bytes);
    }
    /// A transfer whose pages lie one behind the other from `memory` on, with a list at `list`.
    Command transfer(IoOpcode opcode, std::uint64_t lba, std::uint32_t sectors, std::uint64_t memory,
                     std::uint64_t list) {
        Command command = io_command(opcode, lba, sectors);
        command.prp1 = memory;
        const std::uint64_t next = (memory / kPageBytes + 1) * kPageBytes;
        const std::uint64_t end = memory + sectors * std::uint64_t{hal::kSectorBytes};
        command.prp2 = end > next + kPageBytes ? list : next;
        for (std::uint64_t page = next, i = 0; page < end; page += kPageBytes, ++i) {
            put_little_endian(at(list + 8 * i, 8), page);
        }
        return command;
    }
    std::span<std::byte> medium(std::uint64_t lba, std::uint64_t sectors) {
        const std::size_t stride = hal::content_stride(dram->content_mode);
        return std::span(dram->store).subspan(lba * stride, sectors * stride);
    }
    static void fill(std::span<std::byte> bytes, unsigned seed) {
        for (std::byte& byte : bytes) {
            seed = seed * 1'103'515'245U + 12'345U;
            byte = std::byte(seed >> 24U);
        }
    }
};

}  // namespace solidtlm::hw::nvme
