// SPDX-License-Identifier: Apache-2.0
//
// A controller with memory and firmware that take no time, and a driver: queues in memory, commands,
// doorbells. Accesses and commands wait in the order asked for until run() ends them, so a test may look in
// between.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hw/nvme/controller.h"
#include "hw/nvme/identify.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::nvme {

struct Answer {
    Word result = 0;
    std::uint16_t sq_head = 0;
    std::uint16_t sq = 0;
    std::uint16_t id = 0;
    std::uint16_t status = 0;  ///< SCT, SC and DNR (bit 14)
};

inline Command admin_command(AdminOpcode opcode, std::array<Word, 6> words = {}, std::uint32_t nsid = 0) {
    Command command;
    command.opcode = static_cast<std::uint8_t>(opcode);
    command.nsid = nsid;
    command.words = words;
    return command;
}
inline Command io_command(IoOpcode opcode, std::uint64_t lba = 0, std::uint32_t sectors = 1) {
    Command command;
    command.opcode = static_cast<std::uint8_t>(opcode);
    command.nsid = 1;
    command.words = {static_cast<Word>(lba), static_cast<Word>(lba >> 32U), sectors - 1};
    return command;
}

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

    void start(Access& access) override { accesses.push_back(&access); }
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

class NvmeTest : public ::testing::Test {
  protected:
    static constexpr Word kOn = 0x00460001;  // SQEs of 2^6, CQEs of 2^4 bytes
    static constexpr Word kDnr = 0x4000;
    static constexpr std::uint64_t kData = 0x80000;

    explicit NvmeTest(const NvmeConfig& config = small_config()) : controller(config, world) {
        world.controller = &controller;
        world.media.resize(config.exported_sectors * hal::kSectorBytes);
    }

    struct Pair {
        std::uint64_t sq = 0;
        std::uint64_t cq = 0;
        std::uint32_t size = 0;
        std::uint32_t tail = 0;
        std::uint32_t head = 0;
        bool phase = true;
    };
    World world;
    Controller controller;
    std::map<std::uint32_t, Pair> pairs;
    std::uint16_t next_id = 1;

    [[nodiscard]] Word read(Register where) const {
        return controller.read(static_cast<std::uint32_t>(where));
    }
    void write(Register where, Word value) { controller.write(static_cast<std::uint32_t>(where), value); }
    static std::uint64_t place(std::uint32_t queue) { return 0x10000 + queue * std::uint64_t{0x4000}; }

    void enable(std::uint32_t size = 8, Word control = kOn) {
        pairs.clear();
        set_queue(0, size);
        write(Register::aqa, (size - 1) << 16U | (size - 1));
        write(Register::asq, static_cast<Word>(pairs[0].sq));
        write(Register::asq_high, 0);
        write(Register::acq_high, 0);
        write(Register::acq, static_cast<Word>(pairs[0].cq));
        write(Register::cc, control);
    }
    void set_queue(std::uint32_t queue, std::uint32_t size) {
        pairs[queue] = Pair{place(queue), place(queue) + 0x2000, size};
        std::ranges::fill(world.at(place(queue), 0x4000), std::byte{0});
    }
    /// Creates I/O queues, with the completion queue of the same number.
    void create(std::uint32_t queue, std::uint32_t size, Word vector = 0,
                Priority priority = Priority::urgent) {
        set_queue(queue, size);
        Command cq = admin_command(AdminOpcode::create_cq, {(size - 1) << 16U | queue, vector << 16U | 3});
        cq.prp1 = pairs[queue].cq;
        ASSERT_EQ(ask(0, cq).status, 0);
        Command sq =
            admin_command(AdminOpcode::create_sq,
                          {(size - 1) << 16U | queue, queue << 16U | static_cast<Word>(priority) << 1U | 1});
        sq.prp1 = pairs[queue].sq;
        ASSERT_EQ(ask(0, sq).status, 0);
    }

    /// Puts a command into the queue and returns its id; the doorbell is not rung.
    std::uint16_t put(std::uint32_t queue, Command command) {
        Pair& pair = pairs[queue];
        const auto entry = world.at(pair.sq + std::uint64_t{pair.tail} * kSqeBytes, kSqeBytes);
        if (command.id == 0) {
            command.id = next_id++;
        }
        std::ranges::fill(entry, std::byte{0});
        put_little_endian(entry.subspan(0, 4),
                          command.opcode | command.flags << 8U | std::uint32_t{command.id} << 16U);
        put_little_endian(entry.subspan(4, 4), command.nsid);
        put_little_endian(entry.subspan(24, 8), command.prp1);
        put_little_endian(entry.subspan(32, 8), command.prp2);
        for (std::size_t i = 0; i < command.words.size(); ++i) {
            put_little_endian(entry.subspan(40 + 4 * i, 4), command.words.at(i));
        }
        pair.tail = (pair.tail + 1) % pair.size;
        return command.id;
    }
    void ring(std::uint32_t queue) { controller.write(kDoorbells + 8 * queue, pairs[queue].tail); }
    /// The next completion of the queue, if there is one; its doorbell is rung.
    std::optional<Answer> look(std::uint32_t queue) {
        Pair& pair = pairs[queue];
        const auto entry = world.at(pair.cq + std::uint64_t{pair.head} * kCqeBytes, kCqeBytes);
        const auto last = static_cast<std::uint16_t>(get_little_endian(entry.subspan(14, 2)));
        if ((last & 1) != (pair.phase ? 1 : 0)) {
            return std::nullopt;
        }
        pair.head = (pair.head + 1) % pair.size;
        pair.phase = pair.phase != (pair.head == 0);
        const Answer answer{static_cast<Word>(get_little_endian(entry.subspan(0, 4))),
                            static_cast<std::uint16_t>(get_little_endian(entry.subspan(8, 2))),
                            static_cast<std::uint16_t>(get_little_endian(entry.subspan(10, 2))),
                            static_cast<std::uint16_t>(get_little_endian(entry.subspan(12, 2))),
                            static_cast<std::uint16_t>(last >> 1U)};
        controller.write(kDoorbells + 8 * queue + 4, pair.head);
        return answer;
    }
    /// Sends a command and takes its completion.
    Answer ask(std::uint32_t queue, const Command& command) {
        const std::uint16_t id = put(queue, command);
        ring(queue);
        world.run();
        const auto answer = look(queue);
        world.run();
        EXPECT_TRUE(answer) << "no completion";
        EXPECT_EQ(answer.value_or(Answer{}).id, id);
        EXPECT_EQ(answer.value_or(Answer{}).sq, queue);
        return answer.value_or(Answer{});
    }
    std::uint64_t number(std::uint64_t address, std::size_t bytes) {
        return get_little_endian(world.at(address, bytes));
    }
    std::string text(std::uint64_t address, std::size_t bytes) {
        return {reinterpret_cast<const char*>(world.at(address, bytes).data()), bytes};
    }
    [[nodiscard]] Answer get_log(LogId log, std::uint32_t bytes, Word flags = 0,
                                 std::uint32_t nsid = kEveryNamespace) {
        Command command = admin_command(AdminOpcode::get_log_page,
                                        {(bytes / 4 - 1) << 16U | flags | static_cast<Word>(log)}, nsid);
        command.prp1 = kData;
        return ask(0, command);
    }
};

}  // namespace solidtlm::hw::nvme
