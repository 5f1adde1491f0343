// SPDX-License-Identifier: Apache-2.0
#include "fw/host/dispatcher.h"

#include <algorithm>

#include "fw/drive/host_activity.h"
#include "fw/drive/pool_order.h"
#include "fw/hal/check.h"
#include "fw/host/command_context.h"
#include "fw/read_cache/needs.h"

namespace solidtlm::fw {

using hal::HostCommand;
using hal::HostOpcode;
using hal::HostStatus;

namespace {

std::uint64_t fetch_cycles(const CycleCosts& cycles, HostOpcode opcode) {
    const std::uint64_t fixed = opcode == HostOpcode::read    ? cycles.read_command
                                : opcode == HostOpcode::write ? cycles.write_command
                                                              : 0;
    return cycles.command_fetch + fixed;
}

std::unique_ptr<ReadCache> make_read_cache(Services& services, const DramMap& dram_map,
                                           const WriteBuffer& buffer, Translation& translation) {
    return services.config.read_cache.any()
               ? std::make_unique<ReadCache>(services, dram_map[kReadAhead], buffer, translation)
               : nullptr;
}

}  // namespace

void HostCounters::tell(hal::Metrics& metrics) const {
    metrics.counter("host.commands", "commands", "commands fetched by the firmware", commands);
    metrics.counter("host.read_units", "units", "units that read commands asked for", read_units);
    metrics.counter("host.read_unwritten_units", "units",
                    "units read that were neither on flash nor in the write buffer", read_unwritten);
    metrics.counter("host.read_buffer_hits", "units",
                    "units read that were at least in part in the write buffer", read_buffer_hits);
    metrics.counter("host.trimmed_units", "units", "units unmapped by trims", trimmed_units);
    metrics.counter("host.trimmed_partial_units", "units", "units that trims covered in part",
                    trimmed_partial_units);
    metrics.counter("host.aborted_transfers", "transfers", "transfers of data that the link did not finish",
                    aborted_transfers);
}

Dispatcher::Dispatcher(Services& services, hal::Host& host, const DramMap& dram_map, WriteBuffer& buffer,
                       Translation& translation, std::uint32_t spare_superblocks)
    : services_(services),
      host_(&host),
      dram_map_(dram_map),
      buffer_(buffer),
      translation_(translation),
      hazards_(services.executor, services.config.command_slots),
      marked_(services.layout.sectors_per_unit()),
      health_(services, translation, spare_superblocks),
      read_cache_(make_read_cache(services, dram_map, buffer, translation)),
      arrival_(services.executor, "the host has sent a command"),
      context_freed_(services.executor, "a command has ended"),
      write_back_(services.config.write_cache_enabled &&
                  services.config.write_buffer.policy == WriteCachePolicy::write_back) {
    for (std::uint32_t i = 0; i < services.config.command_slots; ++i) {
        contexts_.push_back(std::make_unique<Context>(*this, i));
        free_contexts_.push_back(contexts_.back().get());
    }
}

Dispatcher::~Dispatcher() = default;

void Dispatcher::start() {
    move_to(*host_);
    services_.executor.spawn(fetch_loop());
}

void Dispatcher::move_to(hal::Host& host) {
    SOLIDTLM_CHECK(at_rest(), "the dispatcher moves to another host only at rest");
    if (read_cache_) {
        read_cache_->forget_all();
    }
    host_ = &host;
    host_->on_arrival(
        hal::Completion{[](void* context) { static_cast<Dispatcher*>(context)->arrival_.notify(); }, this});
}

std::vector<std::string> Dispatcher::waits() const {
    const std::size_t busy = contexts_.size() - free_contexts_.size();
    std::vector<std::string> lines{"commands: " + std::to_string(busy) + " being carried out" +
                                   (free_contexts_.empty() ? ", no room for more" : "")};
    const auto slot_of = [this](const Hazards::Claim* claim) {
        const auto owner = std::find_if(contexts_.begin(), contexts_.end(),
                                        [claim](const auto& context) { return &context->claim == claim; });
        return std::to_string((*owner)->command->slot);
    };
    for (const auto& context : contexts_) {
        const bool free =
            std::find(free_contexts_.begin(), free_contexts_.end(), context.get()) != free_contexts_.end();
        if (free || !context->claimed || context->claim.blockers == 0) {
            continue;
        }
        std::string behind;
        for (const Hazards::Claim* blocker : hazards_.blockers_of(context->claim)) {
            behind += (behind.empty() ? "" : ", ") + slot_of(blocker);
        }
        lines.push_back("commands: slot " + slot_of(&context->claim) +
                        " waits for earlier ones that overlap: slots " + (behind.empty() ? "none" : behind));
    }
    return lines;
}

/// REQUIRES: a context is free.
Dispatcher::Context& Dispatcher::take_context() {
    SOLIDTLM_CHECK(!free_contexts_.empty(), "a context is free");
    Context& context = *free_contexts_.back();
    free_contexts_.pop_back();
    return context;
}

void Dispatcher::free_context(Context& context) {
    free_contexts_.push_back(&context);
    context_freed_.notify();
}

Task<void> Dispatcher::fetch_loop() {
    while (true) {
        // After an error the host repeats its commands while firmware still works on the aborted ones.
        if (free_contexts_.empty()) {
            co_await context_freed_.wait();
            continue;
        }
        HostCommand* command = host_->fetch();
        if (command == nullptr) {
            co_await arrival_.wait();
            continue;
        }
        ++counters_.commands;
        services_.activity->begin();
        Context& context = take_context();
        context.command = command;
        claim(context);
        co_await services_.executor.spend(fetch_cycles(services_.config.cycles, command->opcode),
                                          command->ledger);
        const bool blocked = context.claimed && context.claim.blockers > 0;
        command->ledger->enter(blocked ? Stage::command_queue : Stage::firmware_wait,
                               services_.executor.now());
        services_.executor.spawn(run(context));
        co_await services_.executor.yield(nullptr);  // otherwise the host's next commands go before all work
    }
}

void Dispatcher::claim(Context& context) {
    const HostCommand& command = *context.command;
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    std::uint64_t first = command.lba.value;
    std::uint64_t end = first + command.sectors;
    switch (command.opcode) {
        case HostOpcode::read:
        case HostOpcode::write:
        case HostOpcode::write_uncorrectable:
        case HostOpcode::verify:
            break;
        case HostOpcode::trim:
            first = ~std::uint64_t{0};
            end = 0;
            for (const hal::TrimRange& range : command.ranges) {
                first = std::min(first, range.lba.value);
                end = std::max(end, range.lba.value + range.sectors);
            }
            break;
        case HostOpcode::flush:
        case HostOpcode::set_write_cache:
        case HostOpcode::report_health:
            end = first;
            break;
    }
    context.claimed = first < end;
    if (context.claimed) {
        context.claim.first = first / per_unit;
        context.claim.last = (end - 1) / per_unit;
        context.claim.exclusive = command.opcode != HostOpcode::read && command.opcode != HostOpcode::verify;
        context.claim.ledger = command.ledger;
        translation_.prefetch(Lpn{static_cast<std::uint32_t>(context.claim.first)});
        hazards_.add(context.claim);
    }
}

Task<void> Dispatcher::run(Context& context) {
    HostCommand& command = *context.command;
    HostStatus status = HostStatus::ok;
    Charge charge;
    if (context.claimed) {
        co_await hazards_.wait(context.claim);
    }
    switch (command.opcode) {
        case HostOpcode::read:
            status = co_await read(context);
            break;
        case HostOpcode::write:
            status = co_await write(context, charge);
            break;
        case HostOpcode::trim:
            status = co_await trim(context);
            break;
        case HostOpcode::flush: {
            const bool flushed =
                co_await buffer_.durability().flush(command.ledger) && co_await persist_trims(command.ledger);
            status = flushed && !translation_.lost_writes() ? HostStatus::ok : HostStatus::write_fault;
            break;
        }
        case HostOpcode::set_write_cache: {
            write_back_ =
                command.enable && services_.config.write_buffer.policy == WriteCachePolicy::write_back;
            const bool flushed = command.enable || (co_await buffer_.durability().flush(command.ledger) &&
                                                    !translation_.lost_writes());
            status = flushed ? HostStatus::ok : HostStatus::write_fault;
            break;
        }
        case HostOpcode::write_uncorrectable:
            status = co_await write_uncorrectable(context);
            break;
        case HostOpcode::verify:
            status = co_await verify(context);
            break;
        case HostOpcode::report_health:
            status = co_await report_health(context);
            break;
    }
    co_await services_.executor.spend(charge, services_.config.cycles.command_complete, command.ledger);
    if (context.claimed) {
        hazards_.remove(context.claim);
    }
    health_.ended(command, status);
    host_->complete(command, status);
    services_.activity->end();
    free_context(context);
}

/// Cost of clearing the marks of `units`; nothing if no sector is marked.
Charge Dispatcher::charge_marks(std::uint64_t units) {
    return services_.executor.charge(marked_.empty() ? 0 : units * services_.config.cycles.mark_unit);
}

/// Only marks the sectors. Their data stays, so the other sectors of the units remain readable.
Task<HostStatus> Dispatcher::write_uncorrectable(Context& context) {
    HostCommand& command = *context.command;
    const std::uint64_t units = context.claim.last - context.claim.first + 1;
    co_await services_.executor.spend(units * services_.config.cycles.mark_unit, command.ledger);
    co_return marked_.mark(command.lba.value, command.sectors) ? HostStatus::ok : HostStatus::aborted;
}

Task<HostStatus> Dispatcher::report_health(Context& context) {
    HostCommand& command = *context.command;
    SOLIDTLM_CHECK(command.health != nullptr, "the command has room for the report");
    co_await services_.executor.spend(services_.config.cycles.report_health, command.ledger);
    *command.health = health_.report();
    co_return HostStatus::ok;
}

/// First sector after the segment that begins at sector `first` of the command: a unit boundary or the
/// command's end.
std::uint32_t Dispatcher::segment_end(const HostCommand& command, std::uint32_t first,
                                      std::uint32_t segment_bytes) const {
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    const std::uint64_t limit = command.lba.value + first + segment_bytes / hal::kSectorBytes;
    const std::uint64_t end = limit / per_unit * per_unit - command.lba.value;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(end, command.sectors));
}

void Dispatcher::begin_transfer(Context& context, Segment& segment, std::uint32_t first,
                                std::uint32_t sectors, bool marks_parent) {
    context.join.add();
    segment.join = &context.join;
    segment.marks_parent = marks_parent;
    if (!marks_parent) {
        segment.ledger.start(Stage::firmware_execute, services_.executor.now());
    }
    segment.transfer.command = context.command;
    segment.transfer.first_sector = first;
    segment.transfer.sectors = sectors;
    segment.transfer.pieces = segment.pieces;
    segment.transfer.ledger = marks_parent ? context.command->ledger : &segment.ledger;
    segment.transfer.aborted = false;
    segment.transfer.done =
        hal::Completion{[](void* self) {
                            auto* done = static_cast<Segment*>(self);
                            done->join->done(done->marks_parent ? nullptr : &done->ledger);
                        },
                        &segment};
    host_->transfer(segment.transfer);
}

void Dispatcher::tell(hal::Metrics& metrics) const {
    counters_.tell(metrics);
    if (read_cache_) {
        read_cache_->counters().tell(metrics);
    }
}

void Dispatcher::reset_counters() {
    counters_ = HostCounters{};
    if (read_cache_) {
        read_cache_->reset_counters();
    }
}

/// DRAM is not saved, so the contents of the read cache are lost. The write cache is as after power-on: see
/// Firmware::serialize().
void Dispatcher::serialize(hal::StateArchive& archive) {
    if (read_cache_) {
        read_cache_->forget_all();
    }
    archive(marked_, health_);
    serialize_order(archive, contexts_, free_contexts_);
}

}  // namespace solidtlm::fw
