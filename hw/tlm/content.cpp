// SPDX-License-Identifier: Apache-2.0
#include "hw/tlm/content.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace solidtlm::hw {
namespace {

static_assert(std::endian::native == std::endian::little, "sector content is little endian");

constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15U;
constexpr std::size_t kWords = hal::kSectorBytes / sizeof(std::uint64_t);

/// Inverse of x ^ (x >> shift).
constexpr std::uint64_t unxorshift(std::uint64_t value, unsigned shift) {
    std::uint64_t result = value;
    for (unsigned done = shift; done < 64; done += shift) {
        result = value ^ (result >> shift);
    }
    return result;
}

/// Inverse of an odd number modulo 2^64 by Newton's iteration; each step doubles the number of correct bits.
constexpr std::uint64_t odd_inverse(std::uint64_t odd) {
    std::uint64_t inverse = odd;
    for (int step = 0; step < 5; ++step) {
        inverse *= 2 - odd * inverse;
    }
    return inverse;
}

constexpr std::uint64_t unmix(std::uint64_t mixed) {
    std::uint64_t value = unxorshift(mixed, 31) * odd_inverse(0x94D049BB133111EBU);
    value = unxorshift(value, 27) * odd_inverse(0xBF58476D1CE4E5B9U);
    return unxorshift(value, 30) - kGamma;
}
static_assert(unmix(split_mix64(0)) == 0 && unmix(split_mix64(0x0123456789ABCDEFU)) == 0x0123456789ABCDEFU);

}  // namespace

void expand_content(std::uint64_t identity, std::span<std::byte, hal::kSectorBytes> sector) {
    if (identity == 0) {
        std::memset(sector.data(), 0, sector.size());
        return;
    }
    std::array<std::uint64_t, kWords> words{};
    std::uint64_t state = split_mix64(identity);
    for (std::uint64_t& word : words) {
        word = split_mix64(state);
        state += kGamma;
    }
    std::memcpy(sector.data(), words.data(), sector.size());
}

std::optional<std::uint64_t> identify_content(std::span<const std::byte, hal::kSectorBytes> sector) {
    std::array<std::uint64_t, kWords> words{};
    std::memcpy(words.data(), sector.data(), sector.size());
    if (words.front() == 0 && std::ranges::all_of(words, [](std::uint64_t word) { return word == 0; })) {
        return 0;
    }
    const std::uint64_t seed = unmix(words.front());  // gives this first word
    std::uint64_t state = seed;
    for (const std::uint64_t word : words) {
        if (word != split_mix64(state)) {
            return std::nullopt;
        }
        state += kGamma;
    }
    const std::uint64_t identity = unmix(seed);  // identity 0 means zeros
    return identity == 0 ? std::nullopt : std::optional(identity);
}

}  // namespace solidtlm::hw
