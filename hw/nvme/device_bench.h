// SPDX-License-Identifier: Apache-2.0
//
// For tests: the device between a host with memory and doubles of firmware and DRAM.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "hw/nvme/device.h"
#include "hw/nvme/test_driver.h"
#include "hw/nvme/test_host_side.h"
#include "hw/nvme/test_memory.h"
#include "hw/tlm/protocol_checker.h"
#include "hw/tlm/test_drive.h"
#include "hw/tlm/test_run.h"

namespace solidtlm::hw::nvme {

constexpr std::uint64_t kCapacity = 1U << 16U;

class NvmeDeviceTest : public ::testing::Test, protected TestDriver {
  protected:
    std::unique_ptr<HostSide> host;
    std::unique_ptr<NvmeDevice> device;
    std::unique_ptr<test::FakeDram> dram;
    std::unique_ptr<test::FakeFirmware> firmware;
    ProtocolCheckers checkers;
    std::optional<Answers> answers;  ///< how memory answers; nothing: it is the host's own
    std::unique_ptr<OtherMemory> memory;

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
        join_memory();
        checkers.join(device->dram_init, dram->host_target);
        device->interrupt.bind(host->line);
        begin();
    }
    void join_memory() {
        const auto join = [this](auto& target) {
            checkers.join(device->dma_init, target, TimeOrder::socket, PowerOf::initiator);
        };
        if (!answers) {
            join(host->target);
            return;
        }
        memory = std::make_unique<OtherMemory>("memory", *host, *answers);
        if (*answers == Answers::b_unconverted) {
            device->dma_init.use_b_transport();
            join(memory->unconverted_target);
        } else {
            join(memory->target);
        }
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
    Command transfer(IoOpcode opcode, std::uint64_t lba, std::uint32_t sectors, std::uint64_t place,
                     std::uint64_t list) {
        Command command = io_command(opcode, lba, sectors);
        command.prp1 = place;
        const std::uint64_t next = (place / kPageBytes + 1) * kPageBytes;
        const std::uint64_t end = place + sectors * std::uint64_t{hal::kSectorBytes};
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
