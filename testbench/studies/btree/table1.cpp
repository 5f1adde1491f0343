// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/btree/table1.h"

#include <algorithm>

namespace solidtlm::testbench::btree {
namespace {

constexpr std::array<std::string_view, 4> kNames{"fmax", "bast", "fast", "mtbs"};
constexpr std::array<std::array<Counts, 3>, 4> kTable1{{
    {{{120'201, 3'514}, {934'035, 28'092}, {114'808, 3'640}}},
    {{{449'280, 36'649}, {1'068'925, 36'742}, {143'214, 3'490}}},
    {{{281'214, 7'099}, {1'325'746, 33'087}, {62'548, 1'929}}},
    {{{111'697, 3'409}, {648'133, 20'218}, {109'949, 3'647}}},
}};

std::size_t row_of(Layer layer) {
    return static_cast<std::size_t>(std::ranges::find(kLayers, layer) - kLayers.begin());
}

}  // namespace

std::string_view layer_name(Layer layer) {
    return kNames[row_of(layer)];
}

std::optional<Counts> published(Layer layer, std::uint32_t page_bytes) {
    const auto column = std::ranges::find(kPublishedPageBytes, page_bytes);
    if (column == kPublishedPageBytes.end()) {
        return std::nullopt;
    }
    return kTable1[row_of(layer)][static_cast<std::size_t>(column - kPublishedPageBytes.begin())];
}

}  // namespace solidtlm::testbench::btree
