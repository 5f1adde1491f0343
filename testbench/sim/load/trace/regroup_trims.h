// SPDX-License-Identifier: Apache-2.0
//
// A source that sends its trims as another host would: one command per range, up to 64 ranges per command, or
// queued. It applies the proposal of study D to a recorded trace.
//
// Ranges are gathered over requests that follow each other closely and do not touch them. The combined
// command takes the place of the first one, because the file system knew all ranges at its commit. No trim
// passes a flush (the next commit) or a request for one of its sectors, so the contents of a sector at any
// time stay the same.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "fw/hal/check.h"
#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

enum class Regroup : std::uint8_t {
    per_extent,  ///< one command per range, not queued, as Linux does
    batched,     ///< up to 64 ranges per command, not queued
    queued       ///< one command per range, SEND FPDMA QUEUED
};

/// "per_extent", "batched" or "queued"; nothing for other texts.
[[nodiscard]] std::optional<Regroup> parse_regroup(std::string_view text);

class RegroupTrims final : public RequestSource {
  public:
    static constexpr std::size_t kMostRanges = 64;  ///< entries of one 512-byte block, ATA ACS-3 7.10
    static constexpr Ps kGap{10'000'000'000};       ///< a gap of 10 ms ends a group; an arbitrary choice
    static constexpr std::size_t kMostHeld = 256;   ///< requests looked ahead; an arbitrary choice

    /// REQUIRES: `source` has no feedback.
    RegroupTrims(std::unique_ptr<RequestSource> source, Regroup how) : source_(std::move(source)), how_(how) {
        SOLIDTLM_CHECK(source_->feedback() == nullptr, "the source has no feedback");
    }

    bool next(Request& request) override;
    [[nodiscard]] std::vector<SectorRange> reads() const override { return source_->reads(); }

  private:
    bool pull(Request& request);
    void split(const Request& trim, std::size_t ranges);
    void gather(Request& first);
    [[nodiscard]] static bool touches(const Request& request, const Request& group);

    std::unique_ptr<RequestSource> source_;
    Regroup how_;
    std::deque<Request> ready_;  ///< returned before anything else
    std::deque<Request> held_;   ///< already looked at, in order; handled as if just read
};

}  // namespace solidtlm::testbench
