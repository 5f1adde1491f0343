// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/disk/byte_access.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace solidtlm::testbench::disk {
namespace {

constexpr std::uint64_t down(std::uint64_t offset) {
    return offset / kSector * kSector;
}

constexpr std::uint64_t up(std::uint64_t offset) {
    return down(offset + kSector - 1);
}

class Lock {
  public:
    Lock(pthread_rwlock_t& lock, bool alone) : lock_(lock) {
        alone ? pthread_rwlock_wrlock(&lock_) : pthread_rwlock_rdlock(&lock_);
    }
    ~Lock() { pthread_rwlock_unlock(&lock_); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

  private:
    pthread_rwlock_t& lock_;
};

/// Calls `piece(done, count)` for pieces that span at most `most` bytes of whole sectors each, until one
/// fails.
template <class Piece>
int in_pieces(std::uint32_t count, std::uint64_t offset, std::uint32_t most, Piece piece) {
    int error = 0;
    for (std::uint32_t done = 0; done < count && error == 0;) {
        const std::uint64_t end = down(offset + done) + most;
        const auto length =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(count - done, end - (offset + done)));
        error = piece(done, length);
        done += length;
    }
    return error;
}

}  // namespace

ByteAccess::ByteAccess(SectorAccess& sectors) : sectors_(sectors) {
    pthread_rwlockattr_t attributes{};
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&changes_, &attributes);
    pthread_rwlockattr_destroy(&attributes);
}

ByteAccess::~ByteAccess() {
    pthread_rwlock_destroy(&changes_);
}

int ByteAccess::read(std::byte* to, std::uint32_t count, std::uint64_t offset) {
    return in_pieces(count, offset, sectors_.most_bytes(), [&](std::uint32_t done, std::uint32_t length) {
        const std::uint64_t begin = offset + done;
        const std::uint64_t first = down(begin);
        const auto bytes = static_cast<std::uint32_t>(up(begin + length) - first);
        return sectors_.read(first, bytes, [&](const std::byte* data) {
            std::memcpy(to + done, data + (begin - first), length);
        });
    });
}

int ByteAccess::write(const std::byte* from, std::uint32_t count, std::uint64_t offset, bool fua) {
    return in_pieces(count, offset, sectors_.most_bytes(), [&](std::uint32_t done, std::uint32_t length) {
        return write_piece(from + done, length, offset + done, fua);
    });
}

int ByteAccess::write_piece(const std::byte* from, std::uint32_t count, std::uint64_t offset, bool fua) {
    const std::uint64_t first = down(offset);
    const std::uint64_t end = up(offset + count);
    const bool head = offset != first;
    const bool tail = offset + count != end;
    const Lock lock(changes_, head || tail);
    std::array<std::byte, kSector> head_sector{};
    std::array<std::byte, kSector> tail_sector{};
    const auto keep = [](std::array<std::byte, kSector>& sector) {
        return [&sector](const std::byte* data) { std::memcpy(sector.data(), data, kSector); };
    };
    if (head) {
        if (const int error = sectors_.read(first, kSector, keep(head_sector)); error != 0) {
            return error;
        }
    }
    if (tail) {
        if (const int error = sectors_.read(end - kSector, kSector, keep(tail_sector)); error != 0) {
            return error;
        }
    }
    return sectors_.write(first, static_cast<std::uint32_t>(end - first), fua, [&](std::byte* data) {
        if (tail) {
            std::memcpy(data + (end - kSector - first), tail_sector.data(), kSector);
        }
        if (head) {
            std::memcpy(data, head_sector.data(), offset - first);
        }
        std::memcpy(data + (offset - first), from, count);
    });
}

int ByteAccess::trim(std::uint32_t count, std::uint64_t offset, bool fua) {
    const std::uint64_t first = up(offset);
    const std::uint64_t end = down(offset + count);
    if (first >= end) {
        return 0;
    }
    const Lock lock(changes_, false);
    return sectors_.trim(first, static_cast<std::uint32_t>(end - first), fua);
}

int ByteAccess::zero(std::uint32_t count, std::uint64_t offset, bool fua, bool may_trim) {
    static constexpr std::array<std::byte, kSector> kZeros{};
    const std::uint64_t end = offset + count;
    const std::uint64_t first = std::min(up(offset), end);
    const std::uint64_t last = std::max(first, down(end));
    if (first > offset) {
        if (const int error =
                write_piece(kZeros.data(), static_cast<std::uint32_t>(first - offset), offset, fua);
            error != 0) {
            return error;
        }
    }
    if (last > first) {
        const Lock lock(changes_, false);
        if (const int error = sectors_.zero(first, static_cast<std::uint32_t>(last - first), fua, may_trim);
            error != 0) {
            return error;
        }
    }
    return end > last ? write_piece(kZeros.data(), static_cast<std::uint32_t>(end - last), last, fua) : 0;
}

}  // namespace solidtlm::testbench::disk
