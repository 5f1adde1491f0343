// SPDX-License-Identifier: Apache-2.0
//
// For tests: a driver of the controller, with queues in memory, commands and doorbells.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "hw/nvme/driver_pair.h"
#include "hw/nvme/entries.h"
#include "hw/nvme/identify.h"
#include "hw/nvme/logs.h"
#include "hw/nvme/queues.h"
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

class TestDriver {
  protected:
    static constexpr Word kOn = 0x00460001;  // SQEs of 2^6, CQEs of 2^4 bytes
    static constexpr Word kDnr = 0x4000;
    static constexpr std::uint64_t kData = 0x80000;

    ~TestDriver() = default;
    [[nodiscard]] virtual Word read_register(std::uint32_t offset) = 0;
    virtual void write_register(std::uint32_t offset, Word value) = 0;
    [[nodiscard]] virtual std::span<std::byte> at(std::uint64_t address, std::size_t bytes) = 0;
    /// Until nothing is left to do.
    virtual void run() = 0;

    struct Pair : DriverPair {
        std::uint64_t sq = 0;
        std::uint64_t cq = 0;
    };
    std::map<std::uint32_t, Pair> pairs;
    std::uint16_t next_id = 1;

    [[nodiscard]] Word read(Register where) { return read_register(static_cast<std::uint32_t>(where)); }
    void write(Register where, Word value) { write_register(static_cast<std::uint32_t>(where), value); }
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
        pairs[queue] = Pair{{size}, place(queue), place(queue) + 0x2000};
        std::ranges::fill(at(place(queue), 0x4000), std::byte{0});
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
        const auto entry = at(pair.sq + std::uint64_t{pair.tail} * kSqeBytes, kSqeBytes);
        if (command.id == 0) {
            command.id = next_id++;
        }
        encode(command, entry.first<kSqeBytes>());
        pair.put();
        return command.id;
    }
    void ring(std::uint32_t queue) { write_register(kDoorbells + 8 * queue, pairs[queue].tail); }
    /// The next completion of the queue, if there is one; its doorbell is rung.
    std::optional<Answer> look(std::uint32_t queue) {
        Pair& pair = pairs[queue];
        const auto entry = at(pair.cq + std::uint64_t{pair.head} * kCqeBytes, kCqeBytes);
        if (!pair.take(entry)) {
            return std::nullopt;
        }
        const Answer answer{static_cast<Word>(get_little_endian(entry.subspan(0, 4))),
                            static_cast<std::uint16_t>(get_little_endian(entry.subspan(8, 2))),
                            static_cast<std::uint16_t>(get_little_endian(entry.subspan(10, 2))),
                            static_cast<std::uint16_t>(get_little_endian(entry.subspan(12, 2))),
                            static_cast<std::uint16_t>(get_little_endian(entry.subspan(14, 2)) >> 1U)};
        write_register(kDoorbells + 8 * queue + 4, pair.head);
        return answer;
    }
    /// Sends a command and takes its completion.
    Answer ask(std::uint32_t queue, const Command& command) {
        const std::uint16_t id = put(queue, command);
        ring(queue);
        run();
        const auto answer = look(queue);
        run();
        EXPECT_TRUE(answer) << "no completion";
        EXPECT_EQ(answer.value_or(Answer{}).id, id);
        EXPECT_EQ(answer.value_or(Answer{}).sq, queue);
        return answer.value_or(Answer{});
    }
    std::uint64_t number(std::uint64_t address, std::size_t bytes) {
        return get_little_endian(at(address, bytes));
    }
    std::string text(std::uint64_t address, std::size_t bytes) {
        return {reinterpret_cast<const char*>(at(address, bytes).data()), bytes};
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
