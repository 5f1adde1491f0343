// SPDX-License-Identifier: Apache-2.0
//
// Table 1 of study E (Yoo et al. 2006): what 100,000 inserts wrote and erased.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fw/drive/config.h"

namespace solidtlm::testbench::btree {

using Layer = fw::TranslationLayer;

constexpr std::array<Layer, 4> kLayers{Layer::fmax, Layer::bast, Layer::fast, Layer::mtbs};
[[nodiscard]] std::string_view layer_name(Layer layer);

/// Sectors programmed and blocks erased.
struct Counts {
    std::uint64_t writes = 0;
    std::uint64_t erases = 0;

    /// In units of a read, with the study's 1 : 8 : 65. The study counts no reads.
    [[nodiscard]] double cost() const {
        constexpr double kWrite = 8;
        constexpr double kErase = 65;
        return kWrite * static_cast<double>(writes) + kErase * static_cast<double>(erases);
    }
    friend bool operator==(const Counts&, const Counts&) = default;
};

constexpr std::uint64_t kPublishedInserts = 100'000;
constexpr std::array<std::uint32_t, 3> kPublishedPageBytes{512, 4096, 16384};
/// The cell of the table; nothing for a page size that it does not have.
[[nodiscard]] std::optional<Counts> published(Layer layer, std::uint32_t page_bytes);

}  // namespace solidtlm::testbench::btree
