// SPDX-License-Identifier: Apache-2.0
//
// Submission and completion queues: rings in host memory, described by base, size, head and tail. A ring of n
// entries holds n - 1 (head == tail: empty). Queue 0 is the admin queue.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/nvme/entries.h"
#include "hw/tlm/ring.h"

namespace solidtlm::hw::nvme {

enum class Priority : std::uint8_t { urgent, high, medium, low };

/// Entries from `begin` on before `end` in a ring of `size`. REQUIRES: both are below `size`.
constexpr std::uint32_t entries_between(std::uint32_t begin, std::uint32_t end, std::uint32_t size) {
    return end >= begin ? end - begin : end + size - begin;
}

struct SubmissionQueue {
    std::uint64_t base = 0;
    std::uint32_t size = 0;      ///< entries; 0: there is no such queue
    std::uint32_t head = 0;      ///< the next entry to fetch
    std::uint32_t consumed = 0;  ///< entries before it have been fetched: the head that the host is told
    std::uint32_t tail = 0;
    std::uint16_t completion_queue = 0;
    Priority priority = Priority::urgent;
    std::uint32_t outstanding = 0;           ///< commands that are being fetched, or fetched and not answered
    std::optional<std::uint16_t> deleter{};  ///< slot of a Delete that waits until none is outstanding

    [[nodiscard]] bool exists() const { return size > 0; }
    /// Entries to fetch.
    [[nodiscard]] std::uint32_t waiting() const {
        return deleter || !exists() ? 0 : entries_between(head, tail, size);
    }
    /// The host wrote its doorbell. False: no such value is possible.
    bool ring(std::uint32_t new_tail);
    /// Takes `count` entries to fetch; they do not cross the ring's end. Returns the address of the first.
    std::uint64_t take(std::uint32_t count);
};

struct CompletionQueue {
    explicit CompletionQueue(std::size_t slots) : held(slots) {}
    std::uint64_t base = 0;
    std::uint32_t size = 0;
    std::uint32_t head = 0;
    std::uint32_t tail = 0;     ///< the next entry to write
    std::uint32_t written = 0;  ///< entries before it are in memory
    bool phase = true;          ///< of that entry
    std::uint16_t vector = 0;
    bool interrupts = false;
    std::uint32_t users = 0;   ///< submission queues
    Ring<std::uint16_t> held;  ///< slots whose completions wait for room

    [[nodiscard]] bool exists() const { return size > 0; }
    [[nodiscard]] bool full() const { return (tail + 1) % size == head; }
    /// Entries in memory that the host has not consumed.
    [[nodiscard]] std::uint32_t waiting() const {
        return exists() ? entries_between(head, written, size) : 0;
    }
    bool ring(std::uint32_t new_head);
    /// Takes the next entry, whose phase is `phase` before, and returns its address. REQUIRES: not full().
    std::uint64_t take();
};

/// What a doorbell's value was.
enum class Rung : std::uint8_t { well, no_queue, impossible };

class Queues {
  public:
    /// `io_queues` beside the admin queue; `slots` may wait for room in a completion queue.
    Queues(std::uint32_t io_queues, std::size_t slots)
        : submission(io_queues + 1), completion(io_queues + 1, CompletionQueue(slots)) {}

    std::vector<SubmissionQueue> submission;
    std::vector<CompletionQueue> completion;

    /// I/O submission queues that exist: the one with id 1 is bit 0.
    [[nodiscard]] std::uint64_t io_queues() const { return io_queues_; }
    /// Replaces the queue. REQUIRES: its id and size are in range.
    void create_sq(std::uint32_t id, std::uint64_t base, std::uint32_t size, std::uint16_t cq,
                   Priority priority);
    void create_cq(std::uint32_t id, std::uint64_t base, std::uint32_t size, std::uint16_t vector,
                   bool interrupts);
    void delete_sq(std::uint32_t id);
    void delete_cq(std::uint32_t id);
    /// Doorbell number `doorbell`, from 0.
    Rung ring(std::uint32_t doorbell, std::uint32_t value);
    void reset();

  private:
    std::uint64_t io_queues_ = 0;
};

}  // namespace solidtlm::hw::nvme
