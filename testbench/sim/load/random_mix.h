// SPDX-License-Identifier: Apache-2.0
//
// Requests without a pattern, for tests: any kind of request may follow any other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "testbench/sim/host/request.h"
#include "testbench/sim/load/crc_collisions.h"

namespace solidtlm::testbench {

/// Writes the whole device sequentially, then sends everything that an ATA host may send.
class RandomMix : public RequestSource {
  public:
    struct Shares {
        std::uint64_t requests = 1000;
        unsigned reads = 40;
        unsigned writes = 50;
        unsigned trims = 6;
        unsigned flushes = 2;
        std::uint32_t max_sectors = 96;
        std::uint32_t most_ranges = 70;     ///< ranges of a trim: more than one 512-byte block holds
        std::uint32_t range_sectors = 200;  ///< each range is shorter than this
        bool fill = true;
        bool whole_units = false;
    };
    RandomMix(std::uint64_t seed, std::uint64_t sectors, const Shares& shares)
        : random_(seed), sectors_(sectors), shares_(shares), left_(shares.requests) {}

    bool next(Request& request) override {
        request.clear();
        if (shares_.fill && filled_ < sectors_) {
            request.operation = Operation::write;
            request.lba = Lba{filled_};
            request.sectors = std::min<std::uint64_t>(128, sectors_ - filled_);
            filled_ += request.sectors;
            return true;
        }
        if (left_ == 0) {
            return false;
        }
        --left_;
        draw(request);
        return true;
    }

  private:
    void draw(Request& request) {
        unsigned pick = static_cast<unsigned>(
            random_() % (shares_.reads + shares_.writes + shares_.trims + shares_.flushes));
        const std::uint64_t unit = shares_.whole_units ? 8 : 1;
        request.sectors = std::max<std::uint64_t>(1, (1 + random_() % shares_.max_sectors) / unit) * unit;
        request.lba = Lba{random_() % (sectors_ - request.sectors + 1) / unit * unit};
        request.queued = random_() % 16 != 0;
        if (pick < shares_.reads) {
            request.operation = Operation::read;
        } else if ((pick -= shares_.reads) < shares_.writes) {
            request.operation = Operation::write;
            request.fua = random_() % 16 == 0;
        } else if ((pick -= shares_.writes) < shares_.trims) {
            request.operation = Operation::trim;
            request.sectors = 0;
            const std::uint64_t ranges = 1 + random_() % shares_.most_ranges;
            for (std::uint64_t i = 0; i < ranges; ++i) {
                const std::uint64_t first = random_() % sectors_;
                const std::uint64_t count =
                    std::min<std::uint64_t>(random_() % shares_.range_sectors, sectors_ - first);
                if (count > 0) {
                    request.ranges.push_back(TrimRange{Lba{first}, static_cast<std::uint32_t>(count)});
                }
            }
            if (request.ranges.empty()) {
                request.ranges.push_back(TrimRange{Lba{0}, 1});
            }
        } else {
            request.operation = Operation::flush;
            request.sectors = 0;
        }
    }

    std::mt19937_64 random_;
    std::uint64_t sectors_;
    Shares shares_;
    std::uint64_t left_;
    std::uint64_t filled_ = 0;
};

/// A random mix in which half of the 4 KiB blocks written have one of few contents; some of these are pairs
/// with equal CRC-32.
class RepetitiveMix : public RequestSource {
  public:
    RepetitiveMix(std::uint64_t seed, std::uint64_t sectors, const RandomMix::Shares& shares)
        : mix_(seed, sectors, shares), random_(seed) {}
    bool next(Request& request) override {
        if (!mix_.next(request)) {
            return false;
        }
        constexpr std::uint64_t kBlock = 8;  // sectors
        constexpr std::uint64_t kKinds = 40;
        constexpr std::uint64_t kColliding = 8;  // number of contents with colliding CRC-32
        if (request.operation == Operation::write && random_() % 2 == 0) {
            for (std::uint64_t at = 0; at < request.sectors; at += kBlock) {
                const std::uint64_t kind = random_() % kKinds;
                request.content.push_back(kind < kColliding ? kCrcCollisions[kind / 2][kind % 2] : kind);
            }
        }
        return true;
    }

  private:
    RandomMix mix_;
    std::mt19937_64 random_;
};

}  // namespace solidtlm::testbench
