// SPDX-License-Identifier: Apache-2.0
//
// The way of a command through the controller.
#include "hw/nvme/controller.h"

#include <algorithm>
#include <utility>

#include "fw/hal/check.h"

namespace solidtlm::hw::nvme {
namespace {

constexpr std::uint8_t kFused = 0x03;
constexpr std::uint8_t kPsdt = 0xC0;  // 0: PRPs

Status status_of(hal::HostStatus status) {
    switch (status) {
        case hal::HostStatus::ok:
            return Status::success;
        case hal::HostStatus::uncorrectable:
            return Status::unrecovered_read;
        case hal::HostStatus::write_fault:
            return Status::write_fault;
        case hal::HostStatus::aborted:
            break;
    }
    return Status::internal_error;
}

}  // namespace

Controller::Controller(const NvmeConfig& config, Surroundings& surroundings)
    : config_(config),
      surroundings_(surroundings),
      state_(config),
      admin_(config_, state_,
             {[this] { return surroundings_.time(); },
              [this](std::uint16_t queue, std::uint16_t id) { return abort(queue, id); }}),
      io_(config),
      interrupts_(config.vectors, state_.features, surroundings),
      slots_(config.command_slots + kAdminSlots + 1),
      uses_(config.queues + 1) {
    SOLIDTLM_CHECK(config.queues >= 1 && config.queues <= 64, "1 to 64 pairs of I/O queues");
    SOLIDTLM_CHECK(config.queue_entries >= 2 && config.queue_entries <= 65536,
                   "queues of 2 to 65536 entries");
    SOLIDTLM_CHECK(config.vectors >= 1 && config.vectors <= 65, "1 to 65 vectors");
    SOLIDTLM_CHECK(config.command_slots >= 1 && config.command_slots <= 4096, "1 to 4096 commands");
    SOLIDTLM_CHECK(config.exported_sectors > 0, "a namespace with sectors");
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        slots_[i].index = static_cast<std::uint16_t>(i);
    }
    for (std::size_t i = slots_.size() - 1; i-- > 0;) {
        free_.push_back(static_cast<std::uint16_t>(i));
    }
    for (std::size_t i = 0; i < fetches_.size(); ++i) {
        fetches_.at(i).access.owner = static_cast<std::uint16_t>(i);
        fetches_.at(i).entries.resize(std::size_t{kMostInFetch} * kSqeBytes);
    }
}

CompletionQueue& Controller::completion_queue(const Slot& slot) {
    return state_.queues.completion[state_.queues.submission[slot.queue].completion_queue];
}

/// Begins what can begin now.
void Controller::go_on() {
    if (resetting_) {
        if (busy_ > 0 || fetching_ > 0) {
            return;
        }
        end_reset();
    }
    if (fatal_) {
        return;
    }
    if (shutdown_ == Shutdown::none && ready_) {
        fetch();
    } else if (shutdown_ == Shutdown::going_on && busy_ == 0 && fetching_ == 0) {
        shutdown_ = Shutdown::flushing;
        Slot& own = slots_.back();
        Command flush;
        flush.id = kNoCommand;
        own.begin(flush, 0);
        own.state = Slot::State::firmware;
        own.submit(hal::HostOpcode::flush);
        own.id = ++accepted_;
        ++busy_;
        surroundings_.submit(own);
    }
}

void Controller::fetch() {
    while (true) {
        auto* const fetch = std::ranges::find(fetches_, false, &Fetch::busy);
        const bool admin = state_.queues.submission[0].waiting() > 0;
        const std::size_t kept = admin ? 0 : kAdminSlots;
        if (fetch == fetches_.end() || free_.size() <= kept) {
            return;
        }
        const auto most =
            static_cast<std::uint32_t>(std::min<std::size_t>(free_.size() - kept, kMostInFetch));
        const auto grant =
            arbiter_.next(state_.queues, state_.weighted, state_.features[Feature::arbitration], most);
        if (!grant) {
            return;
        }
        fetch->busy = true;
        ++fetching_;
        fetch->queue = grant->queue;
        fetch->slots.clear();
        for (std::uint32_t i = 0; i < grant->commands; ++i) {
            fetch->slots.push_back(free_.back());
            slots_[free_.back()].state = Slot::State::fetching;
            slots_[free_.back()].queue = static_cast<std::uint16_t>(grant->queue);
            free_.pop_back();
            ++busy_;
        }
        fetch->access.kind = Access::Kind::fetch;
        fetch->access.write = false;
        fetch->access.address = state_.queues.submission[grant->queue].take(grant->commands);
        fetch->access.bytes = std::span(fetch->entries).first(std::size_t{grant->commands} * kSqeBytes);
        surroundings_.start(fetch->access);
    }
}

void Controller::ended(const Access& access, bool ok) {
    if (access.kind == Access::Kind::fetch) {
        fetched(fetches_.at(access.owner), ok);
        go_on();
        return;
    }
    Slot& slot = slots_[access.owner];
    if (dead()) {
        release(slot);
    } else if (access.kind == Access::Kind::completion) {
        if (ok) {
            posted(slot);
        } else {
            fail();
            release(slot);
        }
    } else if (!ok) {
        slot.refuse(Status::transfer_error);
        finish(slot);
    } else if (access.kind == Access::Kind::prp_list) {
        if (slot.pages.take_list(access.bytes)) {
            gather(slot);
        } else {
            slot.refuse(Status::prp_offset);
            finish(slot);
        }
    } else {
        slot.moved += static_cast<std::uint32_t>(access.bytes.size());
        move(slot);
    }
    go_on();
}

void Controller::fetched(Fetch& fetch, bool ok) {
    fetch.busy = false;
    --fetching_;
    if (!ok && !dead()) {
        fail();
    }
    if (dead()) {
        for (const std::uint16_t index : fetch.slots) {
            release(slots_[index]);
        }
        return;
    }
    const auto count = static_cast<std::uint32_t>(fetch.slots.size());
    SubmissionQueue& queue = state_.queues.submission[fetch.queue];
    queue.consumed = (queue.consumed + count) % queue.size;
    for (std::uint32_t i = 0; i < count; ++i) {
        Slot& slot = slots_[fetch.slots[i]];
        const std::span<const std::byte> entry =
            std::span(fetch.entries).subspan(std::size_t{i} * kSqeBytes, kSqeBytes);
        slot.begin(decode_command(entry.first<kSqeBytes>()), static_cast<std::uint16_t>(fetch.queue));
        begin(slot);
    }
}

void Controller::begin(Slot& slot) {
    std::vector<std::uint16_t>& uses = uses_[slot.queue];
    if (uses.size() <= slot.entry.id) {
        uses.resize(slot.entry.id + std::size_t{1});
    }
    slot.named = true;
    if (uses[slot.entry.id]++ > 0) {
        slot.refuse(Status::command_id_conflict);
    } else if ((slot.entry.flags & (kFused | kPsdt)) != 0) {
        slot.refuse(Status::invalid_field);
    } else if (slot.queue == 0) {
        admin_.begin(slot);
    } else {
        io_.begin(slot);
    }
    dispatch(slot);
}

void Controller::dispatch(Slot& slot) {
    switch (slot.next) {
        case Slot::Next::complete:
            finish(slot);
            break;
        case Slot::Next::park:
            slot.state = Slot::State::parked;
            --busy_;
            if (slot.entry.opcode == static_cast<std::uint8_t>(AdminOpcode::delete_sq)) {
                drop_held(static_cast<std::uint16_t>(slot.entry.dword(10)));
            }
            break;
        case Slot::Next::send:
        case Slot::Next::receive:
        case Slot::Next::submit:
            if (slot.host_bytes > 0 && !slot.pages.begin(slot.entry.prp1, slot.entry.prp2, slot.host_bytes)) {
                slot.refuse(Status::prp_offset);
                finish(slot);
            } else {
                gather(slot);
            }
            break;
    }
}

/// Fetches the next list of pages; with all pages known, goes on.
void Controller::gather(Slot& slot) {
    if (slot.host_bytes > 0 && slot.pages.wants_list()) {
        slot.state = Slot::State::prp_lists;
        start(slot, Access::Kind::prp_list, false, slot.pages.list_address(),
              std::span(slot.list).first(slot.pages.list_bytes()));
    } else if (slot.next == Slot::Next::submit) {
        slot.state = Slot::State::firmware;
        slot.id = ++accepted_;
        surroundings_.submit(slot);
    } else {
        slot.state = Slot::State::moving;
        move(slot);
    }
}

/// Moves the next piece of the controller's own data; with all of them moved, goes on.
void Controller::move(Slot& slot) {
    if (slot.moved < slot.host_bytes) {
        const PrpWalk::Piece piece = slot.pages.piece(slot.moved, slot.host_bytes);
        start(slot, Access::Kind::data, slot.next == Slot::Next::send, piece.address,
              std::span(slot.data).subspan(slot.moved, piece.bytes));
    } else if (slot.next == Slot::Next::send) {
        finish(slot);
    } else {
        received(slot);
    }
}

void Controller::received(Slot& slot) {
    slot.host_bytes = 0;
    if (slot.queue == 0) {
        admin_.received(slot);
    } else {
        io_.received(slot);
    }
    dispatch(slot);
}

void Controller::completed(Slot& slot, hal::HostStatus status) {
    SOLIDTLM_CHECK(slot.state == Slot::State::firmware, "a command that firmware has");
    if (own(slot)) {
        slot.state = Slot::State::free;
        --busy_;
        shutdown_ = shutdown_ == Shutdown::flushing ? Shutdown::complete : shutdown_;
    } else if (dead()) {
        release(slot);
    } else if (slot.opcode == hal::HostOpcode::report_health && status == hal::HostStatus::ok) {
        admin_.reported(slot);
        gather(slot);
    } else {
        slot.refuse(status == hal::HostStatus::ok && !slot.moved_all ? Status::transfer_error
                                                                     : status_of(status));
        finish(slot);
    }
    go_on();
}

void Controller::finish(Slot& slot) {
    CompletionQueue& queue = completion_queue(slot);
    if (slot.state == Slot::State::parked) {
        ++busy_;
    }
    if (!queue.full()) {  // and none is held
        slot.state = Slot::State::completing;
        post(slot);
    } else if (state_.queues.submission[slot.queue].deleter) {
        release(slot);
    } else {
        slot.state = Slot::State::held;
        --busy_;
        queue.held.push(slot.index);
    }
}

/// A full completion queue holds up no Delete of a submission queue: its completions that wait for room are
/// dropped.
void Controller::drop_held(std::uint16_t queue) {
    Ring<std::uint16_t>& held =
        state_.queues.completion[state_.queues.submission[queue].completion_queue].held;
    for (std::size_t waiting = held.size(); waiting > 0; --waiting) {
        Slot& slot = slots_[held.pop()];
        if (slot.queue == queue) {
            release(slot);
        } else {
            held.push(slot.index);
        }
    }
}

void Controller::post(Slot& slot) {
    if (slot.state == Slot::State::held) {
        slot.state = Slot::State::completing;
        ++busy_;
    }
    CompletionQueue& queue = completion_queue(slot);
    Completion completion;
    completion.result = slot.result;
    completion.sq = slot.queue;
    completion.sq_head = static_cast<std::uint16_t>(state_.queues.submission[slot.queue].consumed);
    completion.id = slot.entry.id;
    completion.status = slot.result_status;
    completion.phase = queue.phase;
    slot.completion = encode(completion);
    start(slot, Access::Kind::completion, true, queue.take(), slot.completion);
    interrupts_.completed(queue);
}

void Controller::posted(Slot& slot) {
    CompletionQueue& queue = completion_queue(slot);
    queue.written = (queue.written + 1) % queue.size;
    release(slot);
    interrupts_.update_pin(state_.queues);
}

void Controller::release(Slot& slot) {
    const bool counted = slot.state != Slot::State::parked && slot.state != Slot::State::held;
    busy_ -= counted ? 1 : 0;
    slot.state = Slot::State::free;
    if (std::exchange(slot.named, false)) {
        --uses_[slot.queue][slot.entry.id];
    }
    free_.push_back(slot.index);
    SubmissionQueue& queue = state_.queues.submission[slot.queue];
    --queue.outstanding;
    if (queue.deleter && queue.outstanding == 0 && !dead()) {
        Slot& deleter = slots_[*queue.deleter];
        state_.queues.delete_sq(slot.queue);
        finish(deleter);
    }
}

/// Commands that would wait for the host get no answer any more.
void Controller::release_waiting() {
    for (Slot& slot : slots_) {
        if (slot.state == Slot::State::parked || slot.state == Slot::State::held) {
            release(slot);
        }
    }
}

void Controller::start(Slot& slot, Access::Kind kind, bool write, std::uint64_t address,
                       std::span<std::byte> bytes) {
    slot.access = {kind, write, address, bytes, slot.index};
    surroundings_.start(slot.access);
}

bool Controller::abort(std::uint16_t queue, std::uint16_t id) {
    const auto found = std::ranges::find_if(slots_, [&](const Slot& slot) {
        return slot.state == Slot::State::parked && slot.queue == queue && slot.entry.id == id;
    });
    if (found == slots_.end() || !state_.events.withdraw(found->index)) {
        return false;
    }
    found->refuse(Status::abort_requested);
    finish(*found);
    return true;
}

}  // namespace solidtlm::hw::nvme
