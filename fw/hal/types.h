// SPDX-License-Identifier: Apache-2.0
//
// The vocabulary that hardware and firmware share: simulated time, address types, causes of flash traffic.
// Plain C++, no SystemC: it lies below both `fw` and `hw`.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace solidtlm::hal {

/// Simulated time and durations: integer picoseconds since the start of the simulation (wraps after 106
/// days).
using Ps = std::chrono::duration<std::int64_t, std::pico>;
constexpr double kPsPerSecond = 1e12;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kGiB = 1024 * kMiB;

/// A strongly typed number: indices of different things do not mix.
template <class Tag, class Rep>
struct Index {
    using value_type = Rep;
    Rep value{};

    constexpr Index() = default;
    constexpr explicit Index(Rep v) : value(v) {}
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted operator
    constexpr auto operator<=>(const Index&) const = default;
    constexpr Index& operator++() {
        ++value;
        return *this;
    }
};

using Channel = Index<struct ChannelTag, std::uint16_t>;  ///< channel of the device
using Die = Index<struct DieTag, std::uint16_t>;      ///< die within its channel (way * dies_per_way + die)
using Plane = Index<struct PlaneTag, std::uint8_t>;   ///< plane within its die
using Block = Index<struct BlockTag, std::uint32_t>;  ///< block within its plane
using Page = Index<struct PageTag, std::uint32_t>;    ///< page within its block
using Lba = Index<struct LbaTag, std::uint64_t>;      ///< logical block address, 512-byte sectors
using Lpn = Index<struct LpnTag, std::uint32_t>;      ///< logical page number, in mapping units
using DramAddress = Index<struct DramTag, std::uint64_t>;  ///< byte address in the DRAM buffer

constexpr std::uint32_t kSectorBytes = 512;  ///< ATA logical sector
constexpr std::size_t kMaxPlanesPerOp = 8;   ///< largest multi-plane operation
/// A set of planes of a die, one bit each.
using PlaneSet = std::uint8_t;
constexpr PlaneSet kAllPlanes = 0xff;
static_assert(kMaxPlanesPerOp <= 8 * sizeof(PlaneSet));
constexpr std::size_t kMaxPagesPerOp = 16;  ///< largest program: all pages of a word line on each plane

/// Why a flash operation exists. Die and bus occupancy are shown by cause.
/// `merge` is the collection of block-mapped layers.
enum class Cause : std::uint8_t { host, map, gc, merge, wear, dedup, recovery, patrol };
constexpr std::size_t kCauses = 8;
constexpr std::array<std::string_view, kCauses> kCauseNames{"host", "map",   "gc",       "merge",
                                                            "wear", "dedup", "recovery", "patrol"};

/// What holds a die or a channel while an operation waits for it: an operation of this cause, or an erase of
/// any cause.
enum class Holder : std::uint8_t { host, map, gc, merge, wear, dedup, recovery, patrol, erase };
constexpr std::size_t kHolders = 9;
constexpr std::array<std::string_view, kHolders> kHolderNames{"host",  "map",      "gc",     "merge", "wear",
                                                              "dedup", "recovery", "patrol", "erase"};
constexpr Holder holder_of(Cause cause) {
    return static_cast<Holder>(cause);
}
static_assert(holder_of(Cause::patrol) == Holder::patrol);

/// What the model stores for each sector.
///  none   nothing is stored (fast);
///  tags   one 64-bit content identity per sector, so that every read can be verified;
///  bytes  the real 512 bytes.
enum class ContentMode : std::uint8_t { none, tags, bytes };

/// Bytes of model memory for the content of one 512-byte sector.
constexpr std::size_t content_stride(ContentMode mode) {
    return mode == ContentMode::none ? 0 : mode == ContentMode::tags ? 8 : kSectorBytes;
}

/// Bytes of model memory for the content of `modelled_bytes` (a multiple of 512) device bytes.
constexpr std::size_t content_bytes(ContentMode mode, std::uint64_t modelled_bytes) {
    return static_cast<std::size_t>(modelled_bytes / kSectorBytes) * content_stride(mode);
}

/// Address of one physical NAND page (or, with page 0, of its block).
struct FlashAddress {
    Channel channel;
    Die die;
    Plane plane;
    Block block;
    Page page;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted operator
    constexpr auto operator<=>(const FlashAddress&) const = default;
};

}  // namespace solidtlm::hal

template <class Tag, class Rep>
struct std::hash<solidtlm::hal::Index<Tag, Rep>> {
    std::size_t operator()(const solidtlm::hal::Index<Tag, Rep>& index) const noexcept {
        return std::hash<Rep>{}(index.value);
    }
};
