// SPDX-License-Identifier: Apache-2.0
//
// Finds sequences among the reads of the host.
//
// A read that begins where an earlier one ended continues it. The first read of a sequence is a candidate;
// when `trigger` reads follow each other, the sequence becomes a stream. There are as many candidates as
// streams. A new one replaces the one that was continued least recently, and only a new stream replaces a
// stream: random reads, which are all candidates, replace no stream.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "fw/hal/check.h"

namespace solidtlm::fw {

class ReadStreams {
  public:
    /// REQUIRES: `streams` and `trigger` are at least 1.
    ReadStreams(std::uint32_t streams, std::uint32_t trigger)
        : streams_(streams), candidates_(streams), trigger_(trigger) {
        SOLIDTLM_CHECK(streams > 0 && trigger > 0, "streams and trigger are at least 1");
    }

    /// The host reads `sectors` from `lba` on: the number of the stream that this read continues or begins.
    std::optional<std::uint32_t> read(std::uint64_t lba, std::uint32_t sectors) {
        const std::uint64_t end = lba + sectors;
        if (const auto stream = std::ranges::find(streams_, lba, &Sequence::next); stream != streams_.end()) {
            return place(stream, {end, 0, ++reads_});
        }
        const auto candidate = std::ranges::find(candidates_, lba, &Sequence::next);
        const bool known = candidate != candidates_.end();
        const std::uint32_t length = known ? candidate->length + 1 : 1;
        if (length < trigger_) {
            *(known ? candidate : oldest(candidates_)) = {end, length, ++reads_};
            return {};
        }
        if (known) {
            *candidate = Sequence{};
        }
        return place(oldest(streams_), {end, 0, ++reads_});
    }

    void forget() {
        std::ranges::fill(streams_, Sequence{});
        std::ranges::fill(candidates_, Sequence{});
    }

  private:
    struct Sequence {
        std::uint64_t next = ~std::uint64_t{0};  // the sector after its last read; none at first
        std::uint32_t length = 0;                // of a candidate: reads so far
        std::uint64_t continued = 0;             // number of its last read
    };
    using Sequences = std::vector<Sequence>;

    static Sequences::iterator oldest(Sequences& among) {
        return std::ranges::min_element(among, {}, &Sequence::continued);
    }
    std::uint32_t place(Sequences::iterator stream, Sequence sequence) {
        *stream = sequence;
        return static_cast<std::uint32_t>(stream - streams_.begin());
    }

    Sequences streams_;
    Sequences candidates_;
    std::uint32_t trigger_;
    std::uint64_t reads_ = 0;
};

}  // namespace solidtlm::fw
