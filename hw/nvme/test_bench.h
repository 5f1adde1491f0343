// SPDX-License-Identifier: Apache-2.0
//
// For tests: a controller with memory and firmware that take no time. Accesses and commands wait in the order
// asked for until run() ends them, so a test may look in between.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "hw/nvme/controller.h"
#include "hw/nvme/noise.h"
#include "hw/nvme/test_driver.h"

namespace solidtlm::hw::nvme {

inline NvmeConfig small_config() {
    NvmeConfig config;
    config.queues = 4;
    config.queue_entries = 64;
    config.command_slots = 16;
    config.vectors = 5;
    config.exported_sectors = 4096;
    return config;
}

class World : public Surroundings {
  public:
    static constexpr std::uint32_t kMemory = 1U << 20U;
    std::vector<std::byte> memory = std::vector<std::byte>(kMemory);
    std::vector<std::byte> media;
    Controller* controller = nullptr;

    std::deque<Access*> accesses;
    std::deque<Slot*> commands;                            ///< that firmware has
    bool firmware_works = true;                            ///< false: commands stay
    std::map<std::uint64_t, hal::HostStatus> bad_sectors;  ///< how commands end that begin there
    std::vector<hal::HostOpcode> done;
    std::set<std::uint64_t> holes;  ///< pages that nothing answers at
    std::vector<std::pair<std::uint64_t, Word>> messages;
    bool level = false;
    std::optional<hal::Ps> alarm_at;
    hal::Ps clock{0};
    hal::HealthReport health;
    std::uint64_t memory_reads = 0;
    MemoryWatch* watch = nullptr;

    void start(Access& access) override {
        accesses.push_back(&access);
        if (watch != nullptr) {
            watch->start(access, owner(access));
        }
    }
    void submit(Slot& slot) override { commands.push_back(&slot); }
    void message(std::uint64_t address, Word data) override { messages.emplace_back(address, data); }
    void pin(bool to) override {
        EXPECT_NE(to, level) << "told when it changes";
        level = to;
    }
    void wake(hal::Ps at) override { alarm_at = at; }
    [[nodiscard]] hal::Ps time() const override { return clock; }

    [[nodiscard]] std::span<std::byte> at(std::uint64_t address, std::size_t bytes) {
        return std::span(memory).subspan(address, bytes);
    }
    bool answers(std::uint64_t address, std::size_t bytes) const {
        return address < kMemory && bytes <= kMemory - address && !holes.contains(address / kPageBytes);
    }
    void end_access() {
        Access& access = *accesses.front();
        accesses.pop_front();
        const bool ok = answers(access.address, access.bytes.size());
        if (ok && access.write) {
            std::ranges::copy(access.bytes, at(access.address, access.bytes.size()).begin());
        } else if (ok) {
            std::ranges::copy(at(access.address, access.bytes.size()), access.bytes.begin());
            ++memory_reads;
            if (watch != nullptr) {
                watch->read(access, owner(access));
            }
        }
        controller->ended(access, ok);
    }
    void end_command() {
        Slot& slot = *commands.front();
        commands.pop_front();
        const auto bad = bad_sectors.find(slot.lba.value);
        const hal::HostStatus status = bad != bad_sectors.end() ? bad->second : hal::HostStatus::ok;
        if (status == hal::HostStatus::ok) {
            carry_out(slot);
        }
        done.push_back(slot.opcode);
        controller->completed(slot, status);
    }
    void run() {
        while (!accesses.empty() || (firmware_works && !commands.empty())) {
            if (!accesses.empty()) {
                end_access();
            } else {
                end_command();
            }
        }
    }

  private:
    [[nodiscard]] const Slot* owner(const Access& access) const {
        return access.kind == Access::Kind::fetch ? nullptr : &controller->slot(access.owner);
    }
    void carry_out(Slot& slot) {
        if (slot.opcode == hal::HostOpcode::report_health) {
            *slot.health = health;
        } else if (slot.opcode == hal::HostOpcode::trim) {
            for (const hal::TrimRange& range : slot.ranges) {
                std::ranges::fill(sectors(range.lba.value, range.sectors), std::byte{0});
            }
        } else if (slot.opcode == hal::HostOpcode::read || slot.opcode == hal::HostOpcode::write) {
            const auto data = sectors(slot.lba.value, slot.sectors);
            for (std::uint32_t moved = 0; moved < slot.host_bytes;) {
                const PrpWalk::Piece piece = slot.pages.piece(moved, slot.host_bytes);
                if (watch != nullptr) {
                    watch->expect_named(slot, piece.address, piece.bytes);
                }
                if (answers(piece.address, piece.bytes)) {
                    const auto here = at(piece.address, piece.bytes);
                    const auto there = data.subspan(moved, piece.bytes);
                    slot.opcode == hal::HostOpcode::read ? std::ranges::copy(there, here.begin())
                                                         : std::ranges::copy(here, there.begin());
                }
                moved += piece.bytes;
            }
        }
    }
    std::span<std::byte> sectors(std::uint64_t lba, std::uint32_t count) {
        return std::span(media).subspan(lba * hal::kSectorBytes, std::size_t{count} * hal::kSectorBytes);
    }
};

class NvmeTest : public ::testing::Test, protected TestDriver {
  protected:
    explicit NvmeTest(const NvmeConfig& config = small_config()) : controller(config, world) {
        world.controller = &controller;
        world.media.resize(config.exported_sectors * hal::kSectorBytes);
    }

    World world;
    Controller controller;

    Word read_register(std::uint32_t offset) override { return controller.read(offset); }
    void write_register(std::uint32_t offset, Word value) override { controller.write(offset, value); }
    std::span<std::byte> at(std::uint64_t address, std::size_t bytes) override {
        return world.at(address, bytes);
    }
    void run() override { world.run(); }
};

}  // namespace solidtlm::hw::nvme
