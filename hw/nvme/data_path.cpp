// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/data_path.h"

#include <algorithm>

#include "hw/tlm/time.h"

namespace solidtlm::hw::nvme {

using hal::Stage;

DataPath::DataPath(AgendaModule& module, hal::ContentMode content, std::size_t slots, PcieLink& link,
                   MemorySocket& memory, DramSocket& dram)
    : module_(module),
      content_(content),
      slots_(slots),
      link_(link),
      memory_(memory),
      dram_(dram),
      state_(at_power_on()) {}

DataPath::Volatile DataPath::at_power_on() const {
    Chunk chunk;
    chunk.content.resize(hal::content_bytes(content_, kPageBytes));
    return {Direction(slots_, kReadChunks, chunk), Direction(slots_, kWriteChunks, chunk)};
}

void DataPath::transfer_asked(Slot& slot) {
    (slot.opcode == hal::HostOpcode::read ? state_.reads : state_.writes).waiting.push(&slot);
    go_on();
}

bool DataPath::busy() const {
    const auto used = [](const Direction& direction) {
        return std::ranges::any_of(direction.chunks, &Chunk::used);
    };
    return used(state_.reads) || used(state_.writes);
}

void DataPath::power_cut() {
    state_ = at_power_on();
}

/// A chunk begins and ends with a sector; it ends with the host's page if a sector does.
std::uint32_t DataPath::length_at(const Slot& slot, std::uint64_t offset) {
    const std::uint32_t in_page = slot.pages.piece(static_cast<std::uint32_t>(offset), kPageBytes).bytes;
    return std::max(in_page / hal::kSectorBytes, 1U) * hal::kSectorBytes;
}

DataPath::Chunk* DataPath::claim(Direction& direction) {
    if (direction.waiting.empty()) {
        return nullptr;
    }
    const auto chunk = std::ranges::find(direction.chunks, false, &Chunk::used);
    if (chunk == direction.chunks.end()) {
        return nullptr;
    }
    Slot& slot = *direction.waiting.front();
    chunk->used = true;
    chunk->behind_dram = state_.accesses.size() > 1;
    chunk->slot = &slot;
    chunk->offset = slot.transfers.claimed();
    chunk->run = slot.transfers.claim(length_at(slot, chunk->offset));
    if (slot.transfers.claimable() == 0) {
        direction.waiting.pop();
    }
    return &*chunk;
}

void DataPath::go_on() {
    while (Chunk* chunk = claim(state_.reads)) {
        ask_dram(*chunk);
    }
    while (Chunk* chunk = claim(state_.writes)) {
        Ps answered{0};
        each_piece(*chunk, [&](const PrpWalk::Piece& piece) {
            answered = std::max(answered, link_.request(now(), piece.address, piece.bytes));
        });
        module_.push(answered, kCall<&DataPath::move_content>.function(), this, detail::word_of(chunk));
    }
}

void DataPath::ask_dram(Chunk& chunk) {
    chunk.dram_asked = now();
    state_.accesses.push(&chunk);
    if (state_.accesses.size() == 1) {
        begin_access();
    }
}

void DataPath::begin_access() {
    Chunk& chunk = *state_.accesses.front();
    const bool write = !reads(chunk);
    std::byte* content = chunk.content.empty() ? nullptr : chunk.content.data();
    const Ps at = now();
    if (const auto times =
            dram_.access(DramRequest{write, chunk.run.address, chunk.run.bytes, content, this}, at)) {
        dram_granted(0, at + times->sum(), *times);
    }
}

/// `times` ends with the transfer.
void DataPath::dram_granted(std::uint64_t /*id*/, Ps end, const DramTimes& times) {
    Chunk& chunk = *state_.accesses.front();
    chunk.dram_begin = end - times.transfer;
    chunk.dram_end = end;
    module_.push(end, kCall<&DataPath::dram_done>.function(), this);
}

void DataPath::dram_done() {
    Chunk& chunk = *state_.accesses.pop();
    if (!state_.accesses.empty()) {
        begin_access();
    }
    if (!reads(chunk)) {
        retire(chunk);
        return;
    }
    const Ps end = use_link(chunk, [this](const PrpWalk::Piece& piece) {
        return Use{link_.write(now(), piece.address, piece.bytes),
                   link_.timing().write(piece.address, piece.bytes)};
    });
    module_.push(end, kCall<&DataPath::move_content>.function(), this, detail::word_of(&chunk));
}

/// The chunk has moved.
void DataPath::retire(Chunk& chunk) {
    const bool read = reads(chunk);
    chunk.used = false;
    chunk.slot->transfers.retire(chunk.run.bytes, now(), [&](hal::Ledger& ledger) {
        if (chunk.behind_dram) {
            ledger.enter(Stage::dram_wait, ledger.last());
        }
        if (!read) {
            mark_from(ledger, Stage::link_transfer, chunk.link_begin);
        }
        mark_from(ledger, Stage::dram_wait, chunk.dram_asked);
        mark_from(ledger, Stage::dram_transfer, chunk.dram_begin);
        if (read) {
            mark_from(ledger, Stage::link_wait, chunk.dram_end);
            mark_from(ledger, Stage::link_transfer, chunk.link_begin);
        }
        mark_from(ledger, Stage::link_wait, now());
    });
    go_on();
}

template <class Part>
void DataPath::each_piece(const Chunk& chunk, Part part) {
    for (std::uint32_t done = 0; done < chunk.run.bytes;) {
        const PrpWalk::Piece piece =
            chunk.slot->pages.piece(static_cast<std::uint32_t>(chunk.offset) + done, chunk.run.bytes - done);
        part(piece);
        done += piece.bytes;
    }
}

/// `ask(piece)` says when it ends. Returns when the last one does.
template <class Ask>
Ps DataPath::use_link(Chunk& chunk, Ask ask) {
    Ps end{0};
    chunk.link_begin = Ps::max();
    each_piece(chunk, [&](const PrpWalk::Piece& piece) {
        const Use use = ask(piece);
        end = use.end;
        chunk.link_begin = std::min(chunk.link_begin, end - link_.timing().time(use.wire));
    });
    return end;
}

/// The root has the data, or the requests for them.
void DataPath::move_content(Chunk* at_root) {
    Chunk& chunk = *at_root;
    direction_of(chunk).at_root.push(&chunk);
    chunk.accesses = 1;  // until all have begun
    const auto stride = static_cast<std::uint32_t>(hal::content_stride(content_));
    // Bytes lie together; other contents lie where their sectors begin.
    const std::uint32_t step = stride == hal::kSectorBytes ? chunk.run.bytes : hal::kSectorBytes;
    for (std::uint32_t at = 0; stride > 0 && at < chunk.run.bytes; at += step) {
        std::span<std::byte> left = std::span(chunk.content).subspan(hal::content_bytes(content_, at));
        left = left.first(hal::content_bytes(content_, step));
        for (auto offset = static_cast<std::uint32_t>(chunk.offset) + at; !left.empty();) {
            const PrpWalk::Piece piece =
                chunk.slot->pages.piece(offset, static_cast<std::uint32_t>(left.size()));
            const std::optional<bool> ended = memory_.access({.write = reads(chunk),
                                                              .address = piece.address,
                                                              .bytes = left.first(piece.bytes),
                                                              .client = this,
                                                              .id = detail::word_of(&chunk)});
            chunk.accesses += ended ? 0 : 1;
            chunk.slot->moved_all &= ended.value_or(true);
            left = left.subspan(piece.bytes);
            offset += piece.bytes;
        }
    }
    access_ended(chunk);
}

void DataPath::memory_answered(std::uint64_t id, bool ok) {
    Chunk& chunk = *reinterpret_cast<Chunk*>(static_cast<std::uintptr_t>(id));
    chunk.slot->moved_all &= ok;
    access_ended(chunk);
}

void DataPath::access_ended(Chunk& chunk) {
    --chunk.accesses;
    Ring<Chunk*>& at_root = direction_of(chunk).at_root;
    while (!at_root.empty() && at_root.front()->accesses == 0) {
        leave_root(*at_root.pop());
    }
}

/// Memory has the data, or they may go down the link.
void DataPath::leave_root(Chunk& chunk) {
    if (reads(chunk)) {
        retire(chunk);
        return;
    }
    const Ps end = use_link(chunk, [this](const PrpWalk::Piece& piece) {
        return Use{link_.data(now(), piece.address, piece.bytes),
                   link_.timing().completions(piece.address, piece.bytes)};
    });
    module_.push(end, kCall<&DataPath::received>.function(), this, detail::word_of(&chunk));
}

}  // namespace solidtlm::hw::nvme
