// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/queues.h"

#include "fw/hal/check.h"

namespace solidtlm::hw::nvme {

namespace {

/// The host moves an end of a ring of `size` from `from` to `to`. False: not by 1 to `most` entries.
bool moves(std::uint32_t from, std::uint32_t to, std::uint32_t size, std::uint32_t most) {
    return to < size && to != from && entries_between(from, to, size) <= most;
}

/// In Queues::io_queues(), none for the admin queue. REQUIRES: id <= 64.
constexpr std::uint64_t bit_of(std::uint32_t id) {
    return id > 0 ? std::uint64_t{1} << (id - 1) : 0;
}

}  // namespace

bool SubmissionQueue::ring(std::uint32_t new_tail) {
    const bool possible = moves(tail, new_tail, size, size - 1 - entries_between(consumed, tail, size));
    tail = possible ? new_tail : tail;
    return possible;
}

std::uint64_t SubmissionQueue::take(std::uint32_t count) {
    SOLIDTLM_CHECK(count <= waiting() && head + count <= size, "entries that wait, up to the ring's end");
    const std::uint64_t address = base + std::uint64_t{head} * kSqeBytes;
    head = (head + count) % size;
    outstanding += count;
    return address;
}

bool CompletionQueue::ring(std::uint32_t new_head) {
    const bool possible = moves(head, new_head, size, waiting());
    head = possible ? new_head : head;
    return possible;
}

std::uint64_t CompletionQueue::take() {
    SOLIDTLM_CHECK(!full(), "a completion queue with room");
    const std::uint64_t address = base + std::uint64_t{tail} * kCqeBytes;
    tail = (tail + 1) % size;
    phase = phase != (tail == 0);
    return address;
}

void Queues::create_sq(std::uint32_t id, std::uint64_t base, std::uint32_t size, std::uint16_t cq,
                       Priority priority) {
    SOLIDTLM_CHECK(size >= 2 && completion.at(cq).exists(), "2 entries or more, and a completion queue");
    submission.at(id) = {.base = base, .size = size, .completion_queue = cq, .priority = priority};
    ++completion[cq].users;
    io_queues_ |= bit_of(id);
}

void Queues::create_cq(std::uint32_t id, std::uint64_t base, std::uint32_t size, std::uint16_t vector,
                       bool interrupts) {
    SOLIDTLM_CHECK(size >= 2, "2 entries or more");
    delete_cq(id);
    CompletionQueue& queue = completion.at(id);
    queue.base = base;
    queue.size = size;
    queue.vector = vector;
    queue.interrupts = interrupts;
}

void Queues::delete_sq(std::uint32_t id) {
    SubmissionQueue& queue = submission.at(id);
    --completion[queue.completion_queue].users;
    queue = SubmissionQueue{};
    io_queues_ &= ~bit_of(id);
}

void Queues::delete_cq(std::uint32_t id) {
    CompletionQueue& queue = completion.at(id);
    queue.held.clear();
    queue.size = queue.head = queue.tail = queue.written = queue.users = 0;
    queue.phase = true;
    queue.interrupts = false;
}

Rung Queues::ring(std::uint32_t doorbell, std::uint32_t value) {
    const std::uint32_t id = doorbell / 2;
    if (id >= submission.size()) {
        return Rung::no_queue;
    }
    const auto ring_of = [value](auto& queue) {
        return !queue.exists() ? Rung::no_queue : queue.ring(value) ? Rung::well : Rung::impossible;
    };
    return doorbell % 2 == 0 ? ring_of(submission[id]) : ring_of(completion[id]);
}

void Queues::reset() {
    io_queues_ = 0;
    for (SubmissionQueue& queue : submission) {
        queue = SubmissionQueue{};
    }
    for (std::uint32_t id = 0; id < completion.size(); ++id) {
        delete_cq(id);
    }
}

}  // namespace solidtlm::hw::nvme
