// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/read_path.h"

#include <algorithm>

#include "hw/nand/plane_reads.h"

namespace solidtlm::hw {

ReadPath::ReadPath(const NandConfig& config, const BusTiming& timing)
    : timing_(timing),
      selects_(always_selects(config)),
      decoder_(config.ecc.codeword_bytes, config.ecc.decode_mb_per_s, config.ecc.decode_latency),
      last_{.decoder = decoder_} {}

/// A burst begins to leave the die at `begin`; returns when its last codeword has left ECC.
Ps ReadPath::decode(const Burst& burst, Ps begin) {
    const std::uint32_t least = burst.bytes / burst.codewords;
    const Ps apart = least > timing_.granule
                         ? timing_.data_out(least - timing_.granule) - timing_.out_overhead
                         : Ps{0};  // codewords arrive at least this far apart, but for rounding
    if (decoder_.free_at() <= begin && apart > decoder_.codeword_time() && !decoder_.stopped()) {
        return decoder_.accept_apart(burst.codewords, begin + timing_.data_out(burst.bytes));
    }
    Ps decoded{0};
    for (std::uint32_t i = 1; i <= burst.codewords; ++i) {
        const auto arrived = static_cast<std::uint32_t>(std::uint64_t{burst.bytes} * i / burst.codewords);
        decoded = decoder_.accept(begin + timing_.data_out(arrived));
    }
    return decoded;
}

ReadPath::Ends ReadPath::move(const FlashRequest& request, Ps begin) {
    if (request.pages.bursts.empty()) {
        return {begin, begin};
    }
    const bool select = selects_ || request.op->planes > 1;
    Ps at = begin + timing_.t_rr;
    Ps decoded = begin;
    const Burst* before = nullptr;
    for (const Burst& burst : request.pages.bursts) {
        if (before == nullptr || before->plane_slot != burst.plane_slot) {
            at += before != nullptr ? timing_.t_rhw : Ps{0};
            at += select ? timing_.plane_select_out() : Ps{0};
        } else {
            at += timing_.column_change_out();
        }
        if (burst.codewords > 0) {
            decoded = std::max(decoded, decode(burst, at));
        }
        at += timing_.data_out(burst.bytes);
        before = &burst;
    }
    return {at, std::max(decoded, at)};
}

ReadPath::Ends ReadPath::begin(const FlashRequest& request, Ps begin) {
    last_ = Phase{&request, begin, begin, decoder_};
    const Ends ends = move(request, begin);
    last_.end = ends.left;
    return ends;
}

/// All codewords of earlier phases have arrived. Counts the codewords of the present phase again, only up to
/// `at`.
void ReadPath::power_cut(Ps at) {
    const bool on_bus = last_.end > at;
    if (on_bus) {
        decoder_ = last_.decoder;
    }
    decoder_.stop(at);
    if (on_bus) {
        move(*last_.request, last_.begin);
    }
    decoder_.restart();
    last_ = {.decoder = decoder_};
}

}  // namespace solidtlm::hw
