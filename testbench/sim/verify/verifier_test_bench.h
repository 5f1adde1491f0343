// SPDX-License-Identifier: Apache-2.0
//
// A perfect device for tests of the verifier, and commands for it.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "hw/tlm/content.h"
#include "testbench/sim/verify/verifier.h"

namespace solidtlm::testbench {

/// Executes commands at once, sector by sector. Trimmed sectors read zeros.
struct PerfectDevice {
    explicit PerfectDevice(hal::ContentMode content_mode)
        : mode(content_mode), stride(hal::content_stride(content_mode)) {}

    void execute(Command& command) {
        switch (command.operation) {
            case Operation::write:
                write(command, 0, command.sectors);
                break;
            case Operation::read:
                command.content.assign(command.sectors * stride, std::byte{0});
                for (std::uint32_t sector = 0; sector < command.sectors; ++sector) {
                    if (const auto it = store.find(command.lba.value + sector); it != store.end()) {
                        std::copy(it->second.begin(), it->second.end(),
                                  command.content.begin() + static_cast<std::ptrdiff_t>(sector * stride));
                    }
                }
                break;
            case Operation::trim:
                for (const TrimRange& range : command.ranges) {
                    store.erase(store.lower_bound(range.lba.value),
                                store.lower_bound(range.lba.value + range.sectors));
                }
                break;
            case Operation::flush:
                break;
        }
    }
    /// Sectors [first, end) of the command's data.
    void write(const Command& command, std::uint32_t first, std::uint32_t end) {
        for (std::uint32_t sector = first; sector < end; ++sector) {
            const std::byte* data = command.content.data() + sector * stride;
            store[command.lba.value + sector].assign(data, data + stride);
        }
    }
    void put(std::uint64_t lba, std::uint64_t identity) {
        std::vector<std::byte> data(stride);
        if (mode == hal::ContentMode::tags) {
            std::memcpy(data.data(), &identity, sizeof identity);
        } else {
            hw::expand_content(identity, std::span<std::byte, 512>(data.data(), 512));
        }
        store[lba] = data;
    }

    hal::ContentMode mode;
    std::size_t stride;
    std::map<std::uint64_t, std::vector<std::byte>> store;
};

/// A verifier and a device that execute one command at a time.
struct VerifierBench {
    explicit VerifierBench(hal::ContentMode mode = hal::ContentMode::tags, bool deterministic = true,
                           bool zeros = true, std::uint64_t sectors = 1U << 20U)
        : VerifierBench(VerifierConfig{mode, sectors, deterministic, zeros}) {}
    explicit VerifierBench(const VerifierConfig& config) : device(config.content), verifier(config) {}

    [[nodiscard]] std::unique_ptr<Command> make(Operation operation, std::uint64_t lba,
                                                std::uint32_t sectors) {
        auto command = std::make_unique<Command>();
        command->sequence = next_sequence++;
        command->operation = operation;
        command->lba = Lba{lba};
        command->sectors = sectors;
        if (operation == Operation::trim) {
            command->ranges = {TrimRange{Lba{lba}, sectors}};
        }
        return command;
    }
    std::unique_ptr<Command> issue(Operation operation, std::uint64_t lba, std::uint32_t sectors) {
        auto command = make(operation, lba, sectors);
        verifier.issued(*command);
        return command;
    }
    void finish(Command& command, CommandStatus status = CommandStatus::ok) {
        command.status = status;
        verifier.completed(command);
    }
    /// Runs a command on the perfect device from issue to completion.
    std::unique_ptr<Command> run(Operation operation, std::uint64_t lba, std::uint32_t sectors) {
        auto command = issue(operation, lba, sectors);
        device.execute(*command);
        finish(*command);
        return command;
    }
    std::unique_ptr<Command> write(std::uint64_t lba, std::uint32_t sectors) {
        return run(Operation::write, lba, sectors);
    }
    std::unique_ptr<Command> read(std::uint64_t lba, std::uint32_t sectors) {
        return run(Operation::read, lba, sectors);
    }
    std::unique_ptr<Command> trim(std::uint64_t lba, std::uint32_t sectors) {
        return run(Operation::trim, lba, sectors);
    }

    PerfectDevice device;
    Verifier verifier;
    std::uint64_t next_sequence = 0;
};

}  // namespace solidtlm::testbench
