// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/fault_model.h"

#include <algorithm>
#include <bitset>
#include <cmath>

#include "hw/nand/bit_errors.h"
#include "hw/nand/counter_random.h"
#include "hw/nand/lifetime.h"
#include "hw/tlm/content.h"

namespace solidtlm::hw {

using hal::FlashAddress;
using hal::Ps;
using Kind = ScriptedFault::Kind;

namespace {

// Purposes of draws: streams that share their words differ in this one.
constexpr std::uint64_t kProgramStream = 1;
constexpr std::uint64_t kEraseStream = 2;
constexpr std::uint64_t kReadStream = 3;
constexpr std::uint64_t kWearStream = 4;
constexpr std::uint64_t kInfantStream = 5;
constexpr std::uint64_t kInfancyStream = 6;

constexpr double kSecondsPerDay = 86'400.0;
constexpr double kPsPerDay = kSecondsPerDay * hal::kPsPerSecond;
constexpr float kHopeless = 0.5F;            ///< an error rate at which no data is left
constexpr std::size_t kMostCodewords = 128;  ///< pages of 64 KiB, codewords of 512 bytes

}  // namespace

void FaultStatistics::tell(hal::Metrics& metrics) const {
    metrics.counter("flash.faults.codewords", "codewords", "codewords decoded, retries included", codewords);
    metrics.counter("flash.faults.raw_bit_errors", "bits", "raw bit errors in decoded codewords", raw_errors);
    metrics.counter("flash.faults.failed_codewords", "codewords",
                    "codewords with more errors than ECC corrects", failed_codewords);
    metrics.maximum("flash.faults.most_corrected_bits", "bits", "most bits corrected in one codeword",
                    most_corrected);
    metrics.counter("flash.faults.program_failures", "pages", "pages whose program failed", program_failures);
    metrics.counter("flash.faults.erase_failures", "blocks", "blocks whose erase failed", erase_failures);
}

FaultModel::FaultModel(const NandConfig& config, hal::Channel channel, hal::Die die)
    : config_(config.faults),
      slc_errors_(config.slc.bit_errors),
      ecc_(config.ecc),
      geometry_(config.geometry),
      blocks_(std::size_t{config.geometry.planes} * config.geometry.blocks) {
    std::ranges::copy_if(config.faults.script.faults, std::back_inserter(script_),
                         [channel, die](const ScriptedFault& fault) {
                             return fault.address.channel == channel && fault.address.die == die;
                         });
}

FaultModel::History& FaultModel::history(const FlashAddress& at) {
    std::unique_ptr<History>& slot = blocks_[std::size_t{at.plane.value} * geometry_.blocks + at.block.value];
    if (!slot) {
        slot = std::make_unique<History>();
        slot->programmed_at.resize(geometry_.pages, Ps{-1});
    }
    return *slot;
}

std::uint64_t FaultModel::word(const FlashAddress& block, std::uint32_t erases) const {
    return split_mix64(split_mix64(split_mix64(config_.seed) ^ place_word(block)) ^ erases);
}

bool FaultModel::scripted(Kind kind, const FlashAddress& at, std::uint64_t nth) const {
    return std::ranges::any_of(script_, [&](const ScriptedFault& fault) {
        return fault.kind == kind && fault.address.plane == at.plane && fault.address.block == at.block &&
               fault.nth == nth && (kind != Kind::page || fault.address.page == at.page);
    });
}

bool FaultModel::dead(const FlashAddress& at) const {
    return std::ranges::any_of(script_, [&](const ScriptedFault& fault) {
        return (fault.kind == Kind::die || (fault.kind == Kind::plane && fault.address.plane == at.plane)) &&
               now_ >= fault.at;
    });
}

bool FaultModel::program_fails(const FlashAddress& page, std::uint32_t erases) {
    const std::uint64_t nth = ++history(page).programs;
    return dead(page) || scripted(Kind::program, page, nth) ||
           unit_interval(split_mix64(word(page, erases) ^ split_mix64(nth) ^ kProgramStream)) <
               config_.program_failure;
}

bool FaultModel::erase_fails(const FlashAddress& block, const BlockWear& wear) {
    const std::uint64_t nth = ++history(block).erases;
    return dead(block) || scripted(Kind::erase, block, nth) || worn_out(block, wear.cycles) ||
           unit_interval(split_mix64(word(block, wear.erases) ^ split_mix64(nth) ^ kEraseStream)) <
               config_.erase_failure;
}

bool FaultModel::worn_out(const FlashAddress& block, double cycles) const {
    if (!config_.lifetime.any()) {
        return false;
    }
    const auto draw = [this, &block](std::uint64_t stream) {
        return unit_interval(split_mix64(word(block, 0) ^ stream));
    };
    const LifetimeDraws draws{draw(kWearStream), draw(kInfantStream), draw(kInfancyStream)};
    return static_cast<double>(config_.cycles) + cycles >= block_lifetime(config_.lifetime, draws);
}

void FaultModel::programmed(const FlashAddress& page) {
    History& block = history(page);
    block.programmed_at[page.page.value] = now_;
    if (!block.inherited.empty()) {
        block.inherited[page.page.value] = 0.0F;
    }
}

void FaultModel::copied(const FlashAddress& source, const BlockWear& source_wear,
                        const FlashAddress& destination) {
    const History& from = history(source);
    const float before = from.inherited.empty() ? 0.0F : from.inherited[source.page.value];
    float rate = before;
    if (scripted(Kind::page, source, 1)) {
        rate = kHopeless;
    } else if (config_.bit_errors) {
        rate = static_cast<float>(error_rate(source, source_wear));
    }
    if (rate > 0.0F) {
        History& to = history(destination);
        to.inherited.resize(geometry_.pages);
        to.inherited[destination.page.value] = rate;
    }
}

void FaultModel::erased(const FlashAddress& block) {
    History& history = this->history(block);
    history.reads = 0;
    history.inherited.clear();
}

double FaultModel::error_rate(const FlashAddress& page, const BlockWear& wear) {
    const History& block = history(page);
    const Ps since = block.programmed_at[page.page.value];
    double age_days = static_cast<double>((now_ - std::max(since, Ps{0})).count()) / kPsPerDay;
    if (now_ < Ps{0}) {
        age_days = 0.0;  // the drive is being aged, which takes no simulated time
    } else if (since < Ps{0}) {
        age_days += static_cast<double>(config_.age_seconds) / kSecondsPerDay;
    }
    const double reads = static_cast<double>(block.reads) / geometry_.pages;
    const double inherited = block.inherited.empty() ? 0.0 : block.inherited[page.page.value];
    const double rate =
        raw_bit_error_rate(config_.rber, static_cast<double>(config_.cycles) + wear.cycles, age_days, reads);
    return std::min(0.5, inherited + (wear.slc ? slc_errors_ * rate : rate));
}

std::optional<std::uint32_t> FaultModel::sense(const FlashAddress& page, const BlockWear& wear,
                                               std::span<const Range> ranges, std::uint32_t level) {
    History& block = history(page);
    ++block.reads;
    const bool inherited = !block.inherited.empty() && block.inherited[page.page.value] >= kHopeless;
    if (!ranges.empty() && (inherited || scripted(Kind::page, page, 1))) {
        return std::nullopt;
    }
    if (!config_.bit_errors) {
        return 0;
    }
    std::bitset<kMostCodewords> wanted;
    for (const Range& range : ranges) {
        const std::uint32_t last = (range.column_bytes + range.length_bytes - 1) / ecc_.codeword_bytes;
        for (std::uint32_t codeword = range.column_bytes / ecc_.codeword_bytes; codeword <= last;
             ++codeword) {
            wanted.set(codeword);
        }
    }
    const double rate = error_rate(page, wear) * std::pow(ecc_.retry_factor, level);
    const std::uint32_t bits = (ecc_.codeword_bytes + ecc_.parity_bytes) * 8;
    const std::uint64_t stream =
        split_mix64(word(page, wear.erases) ^ split_mix64(page.page.value) ^ kReadStream);
    bool corrected = true;
    std::uint32_t most = 0;
    for (std::uint32_t codeword = 0; codeword < kMostCodewords; ++codeword) {
        if (!wanted[codeword]) {
            continue;
        }
        const std::uint32_t errors =
            binomial_quantile(unit_interval(split_mix64(stream ^ split_mix64(codeword))), bits, rate);
        ++statistics_.codewords;
        statistics_.raw_errors += errors;
        if (errors > ecc_.correctable_bits) {
            ++statistics_.failed_codewords;
            corrected = false;
        } else {
            most = std::max(most, errors);
        }
    }
    statistics_.most_corrected = std::max(statistics_.most_corrected, most);
    return corrected ? std::optional(most) : std::nullopt;
}

}  // namespace solidtlm::hw
