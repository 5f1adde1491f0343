// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/disk_client.h"

#include <algorithm>
#include <cstring>

namespace solidtlm::testbench {
namespace {

using disk::Ask;

constexpr unsigned kZeros = 8;  // one in kZeros writes writes zeros, possibly as a trim

}  // namespace

DiskClient::DiskClient(RequestSource& source, std::uint32_t depth, std::uint64_t seed)
    : source_(source), random_(seed) {
    for (std::uint32_t index = depth; index > 0; --index) {
        free_.push_back(index - 1);
    }
}

std::optional<std::uint32_t> DiskClient::take() {
    while (pieces_.empty()) {
        if (free_.empty() || exhausted_ || !source_.next(request_)) {
            exhausted_ |= !free_.empty();
            return std::nullopt;
        }
        cut_up(request_);
    }
    if (free_.empty()) {
        return std::nullopt;
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    const Piece piece = pieces_.front();
    pieces_.pop_front();
    disk::Slot& slot = slots_.at(index);
    slot.ask = piece.ask;
    slot.fua = piece.fua;
    slot.may_trim = random_() % 2 == 0;
    slot.offset = piece.offset;
    slot.bytes = static_cast<std::uint32_t>(piece.bytes);
    std::vector<std::byte>& bytes = bytes_.at(index);
    bytes.resize(piece.bytes);
    if (piece.ask == Ask::write) {
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
            const std::uint64_t word = random_();
            std::memcpy(bytes.data() + at, &word, sizeof word);
        }
    }
    return index;
}

void DiskClient::cut_up(const Request& request) {
    switch (request.operation) {
        case Operation::read:
            return add(Ask::read, false, request.lba, request.sectors);
        case Operation::write:
            return add(random_() % kZeros == 0 ? Ask::zero : Ask::write, request.fua, request.lba,
                       request.sectors);
        case Operation::flush:
            return pieces_.push_back({Ask::flush, false, 0, 0});
        case Operation::trim:
            for (const TrimRange& range : request.ranges) {
                add(Ask::trim, random_() % kZeros == 0, range.lba, range.sectors);
            }
            return;
    }
}

void DiskClient::add(Ask ask, bool fua, Lba lba, std::uint64_t sectors) {
    const std::uint64_t end = (lba.value + sectors) * hal::kSectorBytes;
    for (std::uint64_t at = lba.value * hal::kSectorBytes; at < end;) {
        const std::uint64_t bytes = std::min<std::uint64_t>(end - at, disk::kSlotBytes);
        pieces_.push_back({ask, fua, at, bytes});
        at += bytes;
    }
}

void DiskClient::answer(std::uint32_t index, int /*error*/) {
    free_.push_back(index);
}

}  // namespace solidtlm::testbench
