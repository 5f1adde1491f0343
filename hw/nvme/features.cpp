// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/features.h"

#include <algorithm>

#include "fw/hal/check.h"

namespace solidtlm::hw::nvme {
namespace {

constexpr std::array kKnownFeatures{
    Feature::arbitration,     Feature::power,  Feature::temperature, Feature::error_recovery,
    Feature::write_cache,     Feature::queues, Feature::coalescing,  Feature::vector,
    Feature::write_atomicity, Feature::events, Feature::timestamp,
};
constexpr Word kHalf = 0xFFFF;
constexpr unsigned kUpper = 16;
constexpr std::int64_t kPsPerMillisecond = 1'000'000'000;
constexpr std::uint64_t kTimestampMask = (std::uint64_t{1} << 48U) - 1;
constexpr unsigned kTimestampOrigin = 49;  // of the bits that say where it comes from: 1, Set Features

struct Threshold {
    Word sensor;  // 0: composite; Fh: all
    Word which;   // 0: over, 1: under
    explicit Threshold(Word word) : sensor(word >> 16U & 0xF), which(word >> 20U & 3) {}
    [[nodiscard]] bool exists() const { return (sensor == 0 || sensor == 0xF) && which <= 1; }
    template <typename Thresholds>
    [[nodiscard]] auto& of(Thresholds& thresholds) const {
        return which == 0 ? thresholds.over : thresholds.under;
    }
};

}  // namespace

bool Features::known(std::uint8_t id) {
    return std::ranges::find(kKnownFeatures, static_cast<Feature>(id)) != kKnownFeatures.end();
}

Word Features::initial(Feature feature) const {
    switch (feature) {
        case Feature::write_cache:
            return config_.write_cache ? 1 : 0;
        case Feature::queues:
            return (config_.queues - 1) << kUpper | (config_.queues - 1);
        default:
            return 0;
    }
}

void Features::reset() {
    for (const Feature feature : kKnownFeatures) {
        values_.at(static_cast<std::size_t>(feature)) = initial(feature);
    }
    temperature_ = {};
    at_once_.assign(config_.vectors, false);
    timestamp_ = 0;
    timestamp_of_host_ = false;
}

std::optional<Word> Features::get(Feature feature, Word selector, bool default_value) const {
    if (feature == Feature::temperature) {
        const Threshold threshold(selector);
        if (!threshold.exists()) {
            return std::nullopt;
        }
        return threshold.of(default_value ? TemperatureThresholds{} : temperature_);
    }
    if (feature == Feature::vector) {
        const Word vector = selector & kHalf;
        if (vector >= config_.vectors) {
            return std::nullopt;
        }
        return vector | (at_once(vector) && (vector == 0 || !default_value) ? 1U << kUpper : 0);
    }
    return default_value ? initial(feature) : (*this)[feature];
}

bool Features::set(Feature feature, Word value) {
    Word kept = value;
    switch (feature) {
        case Feature::power:
            if ((value & 0x1F) != 0) {
                return false;  // power state 0 alone
            }
            break;
        case Feature::temperature: {
            const Threshold threshold(value);
            if (!threshold.exists()) {
                return false;
            }
            threshold.of(temperature_) = value & kHalf;
            break;
        }
        case Feature::write_cache:
        case Feature::write_atomicity:
            kept = value & 1;
            break;
        case Feature::queues: {
            if ((value & kHalf) == kHalf || value >> kUpper == kHalf) {
                return false;
            }
            kept = std::min(value & kHalf, config_.queues - 1) | std::min(value >> kUpper, config_.queues - 1)
                                                                     << kUpper;
            break;
        }
        case Feature::vector: {
            const Word vector = value & kHalf;
            if (vector >= config_.vectors) {
                return false;
            }
            at_once_.at(vector) = (value >> kUpper & 1) != 0;
            break;
        }
        case Feature::coalescing:
            kept = value & kHalf;
            break;
        case Feature::events:
            kept = value & 0xFF;  // critical warnings; OAES offers nothing
            break;
        default:
            break;
    }
    values_.at(static_cast<std::size_t>(feature)) = kept;
    return true;
}

std::uint32_t Features::granted(bool submission) const {
    const Word value = (*this)[Feature::queues];
    return (submission ? value & kHalf : value >> kUpper) + 1;
}

void Features::set_timestamp(std::uint64_t milliseconds, hal::Ps now) {
    timestamp_ = milliseconds & kTimestampMask;
    timestamp_set_ = now;
    timestamp_of_host_ = true;
}

std::uint64_t Features::timestamp(hal::Ps now) const {
    const auto since = static_cast<std::uint64_t>((now - timestamp_set_).count() / kPsPerMillisecond);
    return ((timestamp_ + since) & kTimestampMask) |
           (timestamp_of_host_ ? std::uint64_t{1} << kTimestampOrigin : 0);
}

}  // namespace solidtlm::hw::nvme
