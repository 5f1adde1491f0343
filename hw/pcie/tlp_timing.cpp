// SPDX-License-Identifier: Apache-2.0
#include "hw/pcie/tlp_timing.h"

#include <array>
#include <bit>

#include "fw/hal/check.h"

namespace solidtlm::hw {
namespace {

constexpr std::uint64_t kDllpBytes = 8;
constexpr std::uint64_t kDllps = 2;  // ACK and update of flow control
constexpr std::uint64_t kSkpBytes = 4;
constexpr std::uint64_t kSkpInterval = 1538;

constexpr std::uint64_t kFraming = 8;
constexpr std::uint64_t kEcrc = 4;
constexpr std::uint64_t kHeader32 = 12;
constexpr std::uint64_t kHeader64 = 16;
constexpr std::uint64_t kCompletionHeader = 12;
constexpr std::uint64_t kDword = 4;
constexpr std::uint64_t kMillion = 1'000'000;

/// The time of a byte on one lane in 1/128 ps, by generation from 1 on: 10 bits of 400 or 200 ps, or 8 x
/// 130/128 bits of 125, 62.5 or 31.25 ps.
constexpr std::array<std::uint64_t, 5> kLaneByteTimes{512'000, 256'000, 130'000, 65'000, 32'500};

/// How many pieces bytes come in if none crosses a multiple of `limit`, a power of two.
std::uint64_t split(std::uint64_t address, std::uint64_t bytes, std::uint64_t limit) {
    SOLIDTLM_CHECK(bytes > 0, "a TLP moves something");
    const int shift = std::countr_zero(limit);
    return ((address + bytes - 1) >> shift) - (address >> shift) + 1;
}

/// Whole dwords that bytes touch: pieces end at multiples of 4, so the sum over them is the same.
std::uint64_t payload(std::uint64_t address, std::uint64_t bytes) {
    return split(address, bytes, kDword) * kDword;
}

bool is_limit(std::uint64_t bytes, std::uint64_t least) {
    return std::has_single_bit(bytes) && bytes >= least && bytes <= 4096;
}

}  // namespace

std::uint32_t dllp_share_ppm(const PcieConfig& config) {
    if (config.dllps == PcieDllps::none) {
        return 0;
    }
    // The table's values for 1 to 4 lanes are ((MPS + 28) x factor / lanes) + internal delay, rounded down.
    const std::uint64_t tenths = config.max_payload <= 256 ? 14 : 10;
    const std::uint64_t delay = config.generation == PcieGeneration::gen1   ? 19
                                : config.generation == PcieGeneration::gen2 ? 70
                                                                            : 115;
    const std::uint64_t symbols =
        (config.max_payload + std::uint64_t{28}) * tenths / (10 * std::uint64_t{config.lanes}) + delay;
    const std::uint64_t interval = symbols * (config.dllps == PcieDllps::per_lane ? config.lanes : 1);
    const std::uint64_t dllps = (kDllps * kDllpBytes * kMillion + interval / 2) / interval;
    return static_cast<std::uint32_t>(dllps + (kSkpBytes * kMillion + kSkpInterval / 2) / kSkpInterval);
}

TlpTiming::TlpTiming(const PcieConfig& config)
    : config_(config),
      framing_(kFraming + (config.ecrc ? kEcrc : 0)),
      completion_bytes_(config.completion_bytes == 0 ? config.most_of_completion()
                                                     : config.completion_bytes) {
    SOLIDTLM_CHECK(config.lanes == 1 || config.lanes == 2 || config.lanes == 4, "1, 2 or 4 lanes");
    SOLIDTLM_CHECK(is_limit(config.max_payload, 128) && is_limit(config.max_read_request, 128),
                   "MPS and MRRS are powers of two from 128 to 4096");
    SOLIDTLM_CHECK(is_limit(completion_bytes_, 64) && completion_bytes_ <= config.most_of_completion(),
                   "a completion carries 64 bytes or more, a power of two, and at most MPS and MRRS");
    const std::uint64_t share = dllp_share_ppm(config);
    const std::uint64_t scaled =
        (kLaneByteTimes.at(static_cast<std::size_t>(config.generation) - 1) << (kFraction - 7)) * kMillion;
    const std::uint64_t divisor = (kMillion - share) * config.lanes;
    byte_time_ = (scaled + divisor / 2) / divisor;
}

std::uint64_t TlpTiming::request_bytes(std::uint64_t address) const {
    return framing_ + (address >> 32U == 0 ? kHeader32 : kHeader64);
}

TlpTiming::Wire TlpTiming::write(std::uint64_t address, std::uint64_t bytes) const {
    const std::uint64_t tlps = split(address, bytes, config_.max_payload);
    return {tlps, tlps * request_bytes(address) + payload(address, bytes)};
}

TlpTiming::Wire TlpTiming::read_requests(std::uint64_t address, std::uint64_t bytes) const {
    const std::uint64_t tlps = split(address, bytes, config_.max_read_request);
    return {tlps, tlps * request_bytes(address)};
}

TlpTiming::Wire TlpTiming::completions(std::uint64_t address, std::uint64_t bytes) const {
    const std::uint64_t tlps = split(address, bytes, completion_bytes_);
    return {tlps, tlps * (framing_ + kCompletionHeader) + payload(address, bytes)};
}

}  // namespace solidtlm::hw
