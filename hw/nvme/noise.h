// SPDX-License-Identifier: Apache-2.0
//
// For tests: a driver that does anything, and a watch over the memory that a controller touches.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hw/nvme/slot.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::nvme {

/// Scripts of noise per seed: `usual`, or what SOLIDTLM_NOISE_SCRIPTS says.
inline int noise_scripts(int usual) {
    const char* asked = std::getenv("SOLIDTLM_NOISE_SCRIPTS");
    return asked == nullptr ? usual : std::stoi(asked);
}

class Noise {
  public:
    /// Addresses lie in memory of this size, or a little beyond.
    Noise(unsigned seed, std::uint32_t memory) : random_(seed), memory_(memory) {}

    [[nodiscard]] std::uint32_t draw(std::uint32_t below) {
        return static_cast<std::uint32_t>(random_()) % below;
    }
    [[nodiscard]] Word word() { return static_cast<Word>(random_()); }

    /// Any command, or nearly a good one.
    Command command() {
        one_in_ = draw(2) == 0 ? 3 : 30;
        Command command;
        command.opcode = static_cast<std::uint8_t>(draw(10) == 0 ? draw(256) : draw(16));
        command.flags = wild() ? static_cast<std::uint8_t>(word()) : 0;
        command.id = static_cast<std::uint16_t>(wild() ? 1 + draw(20) : draw(0x10000));
        command.nsid = !wild() ? 1 : draw(2) == 0 ? word() : ~0U;
        command.prp1 = address();
        command.prp2 = address();
        for (Word& one : command.words) {
            one = wild() ? word() : draw(20);
        }
        if (draw(3) == 0) {  // a list, often at the end of its page
            command.words[2] = draw(300);
            command.prp2 = (command.prp2 | 0xFFF) + 1 - std::uint64_t{8} * (1 + draw(8));
        }
        command.words[1] = wild() ? command.words[1] : 0;  // otherwise hardly a sector would be there
        return command;
    }
    /// Nearly a good Create of a queue from 1 to 5, with a completion queue of its number.
    Command create(bool completion) {
        Command create = command();
        create.opcode =
            static_cast<std::uint8_t>(completion ? AdminOpcode::create_cq : AdminOpcode::create_sq);
        create.flags = 0;
        create.prp1 &= ~0xFFFULL;
        const Word queue = 1 + draw(5);
        create.words[0] = (draw(10) == 0 ? draw(100) : 1 + draw(15)) << 16U | queue;
        create.words[1] = (completion     ? draw(6)
                           : draw(4) == 0 ? 1 + draw(5)
                                          : queue)
                              << 16U |
                          draw(4) << 1U | (draw(20) == 0 ? 0 : 1);
        return create;
    }
    /// Entries of lists: most are pages, some are nothing.
    void fill(std::span<std::byte> bytes) {
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
            put_little_endian(bytes.subspan(at, 8), draw(50) == 0 ? word() : address() & ~0xFFFULL);
        }
    }

  private:
    /// A field has any value.
    bool wild() { return draw(one_in_) == 0; }
    std::uint64_t address() { return draw(memory_ + 0x8000) & (wild() ? ~0U : ~0xFFFU); }

    std::mt19937 random_;
    std::uint32_t memory_;
    std::uint32_t one_in_ = 3;  ///< fields of a command
};

/// Fails a test whose controller touches memory that its driver has not named. A command may touch the pages
/// of its own PRPs and lists, from PRP1 on; entries lie in queues that registers or a Create have described.
class MemoryWatch {
  public:
    /// Registers describe the admin queues, once enabled.
    void admin_queues(std::uint64_t asq, std::uint64_t acq, Word aqa) {
        submission_.emplace(asq, asq + std::uint64_t{(aqa & 0xFFF) + 1} * kSqeBytes);
        completion_.emplace(acq, acq + std::uint64_t{(aqa >> 16U & 0xFFF) + 1} * kCqeBytes);
    }
    /// An access begins. `slot`: its owner, not of a fetch.
    void start(const Access& access, const Slot* slot) {
        const std::uint64_t end = access.address + access.bytes.size();
        switch (access.kind) {
            case Access::Kind::fetch:
                EXPECT_TRUE(!access.write && lies_in(submission_, access.address, end)) << access.address;
                break;
            case Access::Kind::completion:
                EXPECT_TRUE(access.write && access.bytes.size() == kCqeBytes &&
                            lies_in(completion_, access.address, end))
                    << access.address;
                break;
            case Access::Kind::prp_list:
                EXPECT_FALSE(access.write);
                expect_named(*slot, access.address, access.bytes.size());
                break;
            case Access::Kind::data:
                expect_named(*slot, access.address, access.bytes.size());
                break;
        }
    }
    /// A read has brought `access.bytes`.
    void read(const Access& access, const Slot* slot) {
        const std::span<const std::byte> bytes(access.bytes);
        if (access.kind == Access::Kind::prp_list) {
            for (std::size_t at = 0; at < bytes.size(); at += 8) {
                names_of(*slot).insert(get_little_endian(bytes.subspan(at, 8)) / kPageBytes);
            }
        } else if (access.kind == Access::Kind::fetch) {
            for (std::size_t at = 0; at < bytes.size(); at += kSqeBytes) {
                take(decode_command(bytes.subspan(at).first<kSqeBytes>()));
            }
        }
    }
    /// Data that firmware moves.
    void expect_named(const Slot& slot, std::uint64_t address, std::size_t bytes) {
        const std::uint64_t page = address / kPageBytes;
        EXPECT_EQ((address + bytes - 1) / kPageBytes, page) << "within a page";
        if (page == slot.entry.prp1 / kPageBytes && address >= slot.entry.prp1) {
            return;
        }
        EXPECT_TRUE(page == slot.entry.prp2 / kPageBytes || names_of(slot).contains(page))
            << "opcode " << int{slot.entry.opcode} << " touches " << address;
    }

  private:
    using Ranges = std::set<std::pair<std::uint64_t, std::uint64_t>>;
    struct Names {
        Command command;
        std::set<std::uint64_t> pages;  ///< that its lists have named
    };

    static bool lies_in(const Ranges& ranges, std::uint64_t begin, std::uint64_t end) {
        return std::ranges::any_of(
            ranges, [=](const auto& range) { return range.first <= begin && end <= range.second; });
    }
    void take(const Command& command) {
        const std::uint64_t entries = (command.words[0] >> 16U) + 1;
        if (command.opcode == static_cast<std::uint8_t>(AdminOpcode::create_sq)) {
            submission_.emplace(command.prp1, command.prp1 + entries * kSqeBytes);
        } else if (command.opcode == static_cast<std::uint8_t>(AdminOpcode::create_cq)) {
            completion_.emplace(command.prp1, command.prp1 + entries * kCqeBytes);
        }
    }
    std::set<std::uint64_t>& names_of(const Slot& slot) {
        Names& names = names_[slot.index];
        const Command& entry = slot.entry;
        if (names.command.id != entry.id || names.command.prp1 != entry.prp1 ||
            names.command.prp2 != entry.prp2 || names.command.opcode != entry.opcode) {
            names = Names{entry, {}};
        }
        return names.pages;
    }

    Ranges submission_;
    Ranges completion_;
    std::map<std::uint16_t, Names> names_;
};

}  // namespace solidtlm::hw::nvme
