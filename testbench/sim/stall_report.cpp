// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/stall_report.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "fw/hal/check.h"
#include "hw/tlm/time.h"
#include "testbench/show/host_metrics.h"
#include "testbench/show/text_table.h"
#include "testbench/watch/signal_words.h"

namespace solidtlm::testbench {
namespace {

std::string us_text(Ps time) {
    return fmt::format("{:.3f} us", static_cast<double>(time.count()) / 1e6);
}

/// Flash operations under way or waiting, by command.
using OperationsOf = std::map<std::uint32_t, std::vector<const hal::FlashOp*>>;  // by HostCommand::id

/// Where a command waits, and since when.
struct Wait {
    std::string stage;
    Ps since{0};
};

std::string stage_name(const hal::Ledger& ledger) {
    return std::string(hal::kStageNames[static_cast<std::size_t>(ledger.current())]);
}

/// A read that has forked into flash operations waits where these wait; its own ledger stands at the fork.
Wait wait_of(const hal::Ledger& ledger, const std::vector<const hal::FlashOp*>& operations, bool read) {
    Wait wait{stage_name(ledger), ledger.last()};
    std::set<std::string> stages;
    for (const hal::FlashOp* op : operations) {
        if (read && op->ledger != nullptr && op->ledger != &ledger) {
            wait.since = stages.empty() ? op->ledger->last() : std::min(wait.since, op->ledger->last());
            stages.insert(stage_name(*op->ledger));
        }
    }
    if (!stages.empty()) {
        wait.stage = fmt::format("{}", fmt::join(stages, ", "));
    }
    return wait;
}

std::string describe(const hal::FlashOp& op, const std::map<std::uint32_t, unsigned>& tags) {
    const hal::FlashAddress& at = op.address[0];
    std::string text = fmt::format("{} of block {} page {} ({}", name_of(op.opcode), at.block.value,
                                   at.page.value, hal::kCauseNames[static_cast<std::size_t>(op.cause)]);
    const auto tag = tags.find(op.command_id);
    text += tag != tags.end() ? fmt::format(", tag {})", tag->second) : ")";
    return text;
}

/// What a die is doing, and what waits for it; empty for an idle die.
std::string describe_die(const hw::FlashController& controller, hal::Die die,
                         const std::map<std::uint32_t, unsigned>& tags) {
    constexpr std::size_t kMostNamed = 3;
    std::string text;
    std::size_t waiting = 0;
    const std::vector<hw::PendingOperation> operations = controller.pending_operations(die);
    for (const hw::PendingOperation& operation : operations) {
        if (operation.holds_die) {
            text += fmt::format("{}held since {} by a {}, {}", text.empty() ? "" : "; ",
                                us_text(operation.since), describe(*operation.op, tags), operation.at);
        } else if (waiting++ < kMostNamed) {
            text +=
                fmt::format("{}{} a {}", text.empty() ? "" : "; ",
                            operation.suspended ? "suspended:" : "waiting:", describe(*operation.op, tags));
        }
    }
    if (waiting > kMostNamed) {
        text += fmt::format("; {} more waiting", waiting - kMostNamed);
    }
    if (const std::size_t left = controller.pending(die) - operations.size(); left > 0) {
        text += fmt::format("{}{} on the way from the die to DRAM", text.empty() ? "" : "; ", left);
    }
    return text;
}

void add_commands(const platform::Ssd& ssd, const Host& host, const OperationsOf& operations,
                  std::string& text) {
    const std::vector<const Command*> commands = host.outstanding_commands();
    text += fmt::format("at {}: {} commands outstanding{}{}\n", us_text(hw::now()), commands.size(),
                        host.holds_back() ? ", the next one waits in the host" : "",
                        host.ready() ? "" : ", the host waits for the drive to start");
    if (commands.empty()) {
        return;
    }
    TextTable table;
    table.column("tag", Align::right);
    table.column("command", Align::left);
    table.column("waits in", Align::left);
    table.column("since", Align::right);
    table.column("for", Align::right);
    table.column("flash operations", Align::right);
    for (const Command* command : commands) {
        const hal::HostCommand* accepted = ssd.front_end().command(command->tag);
        // A command that the device has not accepted is on its way, so the host's ledger shows where it is.
        const hal::Ledger& ledger = accepted != nullptr ? *accepted->ledger : command->ledger;
        const auto found = accepted != nullptr ? operations.find(accepted->id) : operations.end();
        const auto own = found != operations.end() ? found->second : std::vector<const hal::FlashOp*>{};
        const Wait wait = wait_of(ledger, own, command->operation == Operation::read);
        const std::string place =
            command->sectors > 0 ? fmt::format(" LBA {} +{}", command->lba.value, command->sectors) : "";
        table.row({std::to_string(command->tag),
                   std::string(kOperationNames[static_cast<std::size_t>(command->operation)]) + place,
                   wait.stage, us_text(wait.since), us_text(hw::now() - wait.since),
                   std::to_string(own.size())});
    }
    text += table.render(TextStyle{});
}

}  // namespace

std::string stall_report(const platform::Ssd& ssd, const Host& host) {
    SOLIDTLM_CHECK(ssd.powered(), "the drive has power");
    std::map<std::uint32_t, unsigned> tags;
    for (const Command* command : host.outstanding_commands()) {
        if (const hal::HostCommand* accepted = ssd.front_end().command(command->tag)) {
            tags[accepted->id] = command->tag;
        }
    }
    OperationsOf operations;
    std::string dies;
    for (std::size_t channel = 0; channel < ssd.channels(); ++channel) {
        const hw::FlashController& controller = ssd.channel(channel).controller;
        const auto count = static_cast<std::uint16_t>(ssd.channel(channel).dies());
        for (std::uint16_t i = 0; i < count; ++i) {
            for (const hw::PendingOperation& operation : controller.pending_operations(hal::Die{i})) {
                operations[operation.op->command_id].push_back(operation.op);
            }
            if (const std::string die = describe_die(controller, hal::Die{i}, tags); !die.empty()) {
                dies += fmt::format("channel {} die {}: {}\n", channel, i, die);
            }
        }
        if (controller.bus_waiters() > 0) {
            dies += fmt::format("channel {} bus: {} waiting for it\n", channel, controller.bus_waiters());
        }
    }
    std::string text;
    add_commands(ssd, host, operations, text);
    for (const std::string& line : ssd.firmware().waits()) {
        text += line + "\n";
    }
    text += fmt::format("queues: {}; DRAM {} requests; hash unit {} jobs\n", ssd.front_end().queues(),
                        ssd.dram.waiting(), ssd.hash.waiting());
    text += dies.empty() ? "dies: all at rest, nothing waits for them\n" : dies;
    text.pop_back();
    return text;
}

}  // namespace solidtlm::testbench
