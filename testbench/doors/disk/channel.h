// SPDX-License-Identifier: Apache-2.0
//
// The channel between the nbdkit plugin and tb_disk: memory that both map, and a SOCK_SEQPACKET socket.
//
// The plugin puts a request into one of its free slots and the slot's number into a ring: post(). tb_disk
// takes the number out, answers in the slot and posts the slot's semaphore; the slot then belongs to the
// plugin again. Before tb_disk sleeps, it announces that and looks at the ring once more; the next post()
// wakes it with a message. The very first message says that clients may connect. If one end closes the
// socket, the other treats it as gone: the plugin fails its outstanding requests, and nbdkit ends.
//
// This header includes nothing else of the project, because nbdkit loads what is built with it.
#pragma once

#include <semaphore.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace solidtlm::testbench::disk {

constexpr std::uint32_t kSlots = 64;  ///< requests under way; further ones wait in nbdkit
/// Most data per request.
constexpr std::uint32_t kSlotBytes = std::uint32_t{2} << 20U;

enum class Ask : std::uint32_t { read, write, flush, trim, zero, block_status };
constexpr std::size_t kAsks = 6;

/// Part of the answer to block_status: adjacent extents in ascending order, from the request's offset on.
struct Extent {
    std::uint64_t bytes = 0;
    bool hole = false;  ///< nothing is mapped there
    bool zero = false;  ///< reads as zeros
};
constexpr std::uint32_t kMostExtents = 4096;

struct Slot {
    Ask ask = Ask::read;
    bool fua = false;       ///< for write, trim, zero
    bool may_trim = false;  ///< for zero
    std::uint32_t bytes = 0;
    std::uint64_t offset = 0;
    int error = 0;              ///< answer: an errno value, or 0
    std::uint32_t extents = 0;  ///< answer to block_status: number of Extents in the slot's data
    sem_t answered{};
};

struct Channel {
    /// Returns true if tb_disk has to be woken. Thread-safe. The ring holds at most kSlots numbers, because
    /// each slot is in it at most once.
    bool post(std::uint32_t slot) {
        const std::uint32_t place = posted.fetch_add(1) % kSlots;
        ring[place] = slot + 1;
        return asleep.exchange(false);
    }
    /// The next slot; kSlots: none. Only tb_disk may call it; `taken` counts the slots that it has taken so
    /// far.
    std::uint32_t take(std::uint32_t taken) {
        const std::uint32_t slot = ring[taken % kSlots].exchange(0);
        return slot == 0 ? kSlots : slot - 1;
    }

    std::array<Slot, kSlots> slots{};
    std::array<std::atomic<std::uint32_t>, kSlots> ring{};  ///< slot number + 1, or 0
    std::atomic<std::uint32_t> posted{0};
    std::atomic<bool> asleep{false};
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "they are shared by processes");
static_assert((kSlots & (kSlots - 1)) == 0, "what is posted is counted modulo 2^32");

/// The slots' data begins at this offset, after the channel.
constexpr std::size_t kDataOffset = 65536;
static_assert(sizeof(Channel) <= kDataOffset && kMostExtents * sizeof(Extent) <= kSlotBytes);
constexpr std::size_t kChannelBytes = kDataOffset + std::size_t{kSlots} * kSlotBytes;

[[nodiscard]] inline std::byte* data_of(Channel& channel, std::uint32_t slot) {
    return reinterpret_cast<std::byte*>(&channel) + kDataOffset + std::size_t{slot} * kSlotBytes;
}

}  // namespace solidtlm::testbench::disk
