// SPDX-License-Identifier: Apache-2.0
//
// The firmware's block-mapped layers against counting models that were written only from the definitions
// (docs/block-map.md): they must count the same programs by kind, copies, erases and merges.
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <random>
#include <vector>

#include "fw/block_map/needs.h"
#include "fw/block_map/untimed_blocks.h"
#include "testbench/sim/load/btree/load.h"
#include "testbench/studies/testing/block_layers_reference.h"

namespace solidtlm::testbench {

namespace reference {
// For messages of the tests.
void PrintTo(const BlockCounts& counts, std::ostream* out) {
    *out << counts.write_data << " in place, " << counts.update_pure << " pure ("
         << counts.update_pure_unused_place << " unused place), " << counts.update_wasted << " wasted, "
         << counts.copies << " copies, " << counts.erases << " erases, " << counts.switches << " switches, "
         << counts.partial_merges << " partial, " << counts.full_merges << " full";
}
}  // namespace reference

namespace {

enum class Layer : std::uint8_t { fmax, bast, fast, mtbs };

constexpr std::array kLayers{Layer::fmax, Layer::bast, Layer::fast, Layer::mtbs};
constexpr std::array kNames{"fmax", "bast", "fast", "mtbs"};

std::unique_ptr<reference::BlockModel> make_model(Layer layer, const reference::BlockSettings& settings) {
    switch (layer) {
        case Layer::fmax:
            return std::make_unique<reference::FmaxModel>(settings);
        case Layer::bast:
            return std::make_unique<reference::BastModel>(settings);
        case Layer::fast:
            return std::make_unique<reference::FastModel>(settings);
        default:
            return std::make_unique<reference::MtbsModel>(settings);
    }
}

constexpr int kBlockPages = 32;  ///< as in the study

/// A layer and its model side by side.
class Pair {
  public:
    Pair(Layer layer, const reference::BlockSettings& settings)
        : model_(make_model(layer, settings)),
          blocks_(config_of(layer, settings), geometry_of(layer, settings)) {}

    void write(int page) {
        model_->write(page);
        blocks_.write(fw::Lpn{static_cast<std::uint32_t>(page)});
    }
    void trim(int page) {
        model_->trim(page);
        blocks_.trim(fw::Lpn{static_cast<std::uint32_t>(page)});
    }
    [[nodiscard]] reference::BlockCounts expected() const { return model_->counts(); }
    [[nodiscard]] reference::BlockCounts found() const {
        const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
        const fw::BlockCounters& counters = blocks_.counters();
        reference::BlockCounts counts;
        counts.write_data = number(counters.write_data);
        counts.update_pure = number(counters.update_pure);
        counts.update_pure_unused_place = number(counters.update_pure_unused_place);
        counts.update_wasted = number(counters.update_wasted);
        counts.copies = number(counters.merge_programs);
        counts.erases = number(counters.erases);
        counts.switches = number(counters.of(fw::MergeKind::switched));
        counts.partial_merges = number(counters.of(fw::MergeKind::partial));
        counts.full_merges = number(counters.of(fw::MergeKind::full));
        return counts;
    }
    [[nodiscard]] bool same_pages(int pages) const {
        for (int page = 0; page < pages; ++page) {
            const fw::BlockPage at = blocks_.locate(fw::Lpn{static_cast<std::uint32_t>(page)});
            if (model_->has_data(page) != (at.block != fw::kNoBlock)) {
                return false;
            }
        }
        return true;
    }

  private:
    static fw::FirmwareConfig config_of(Layer layer, const reference::BlockSettings& settings) {
        fw::FirmwareConfig config;
        config.translation = fw::translation_layer(kNames[static_cast<std::size_t>(layer)]);
        config.block_map.log_blocks = static_cast<std::uint32_t>(settings.log_blocks);
        return config;
    }
    static fw::BlockGeometry geometry_of(Layer layer, const reference::BlockSettings& settings) {
        fw::BlockGeometry geometry;
        geometry.pages = static_cast<std::uint32_t>(settings.pages);
        geometry.columns = static_cast<std::uint32_t>(settings.columns);
        geometry.logical_pages = static_cast<std::uint32_t>(settings.logical_pages);
        geometry.ascending_pages = settings.ascending;
        geometry.blocks = static_cast<std::uint32_t>(fw::least_blocks(config_of(layer, settings), geometry));
        return geometry;
    }

    std::unique_ptr<reference::BlockModel> model_;
    fw::UntimedBlocks blocks_;
};

class BlockLayers : public ::testing::TestWithParam<std::size_t> {
  protected:
    static Layer layer() { return kLayers[GetParam()]; }
};

// Runs, overwrites of recent writes, single pages anywhere, trims of pages and of runs.
void random_stream(Layer layer, std::uint32_t seed) {
    std::mt19937 random(seed);
    reference::BlockSettings settings;
    settings.columns = 1 + static_cast<int>(seed % 3);
    settings.pages = settings.columns * (2 + static_cast<int>(random() % 15));
    settings.logical_pages =
        settings.pages * (2 + static_cast<int>(random() % 9)) - static_cast<int>(random() % 2);
    settings.ascending = seed % 2 == 0;
    settings.log_blocks = 2 + static_cast<int>(random() % 6);
    if (layer == Layer::fmax || layer == Layer::bast) {
        settings.log_blocks -= 1;
    }
    Pair pair(layer, settings);
    const auto below = [&random](int limit) {
        return static_cast<int>(random() % static_cast<unsigned>(limit));
    };
    int at = 0;
    for (int step = 0; step < 400; ++step) {
        const int choice = below(20);
        if (choice < 4) {
            at = below(settings.logical_pages);
        } else if (choice < 8) {
            at = at / settings.pages * settings.pages;
        } else if (choice < 11) {
            at = below(settings.pages);
        }
        const int length = choice < 12 ? 1 + below(settings.pages) : 1;
        const bool trim = below(12) == 0;
        for (int i = 0; i < length && at < settings.logical_pages; ++i, ++at) {
            trim ? pair.trim(at) : pair.write(at);
        }
        at = at < settings.logical_pages ? at : 0;
        ASSERT_EQ(pair.found(), pair.expected()) << "seed " << seed << ", step " << step;
    }
    ASSERT_TRUE(pair.same_pages(settings.logical_pages)) << "seed " << seed;
}

TEST_P(BlockLayers, CountTheSameOnRandomStreams) {
    for (std::uint32_t seed = 1; seed <= 300 && !HasFatalFailure(); ++seed) {
        random_stream(layer(), seed);
    }
}

struct TreeCase {
    std::uint32_t page_bytes;
    std::uint32_t buffer_pages;
    std::uint32_t entry_bytes;
    std::uint64_t inserts = 25'000;
    std::vector<int> log_blocks{1, 2, 3, 8, 32, 64};  ///< 0: one per logical block
};

// The study's flash: sectors of 512 bytes, 32 per block.
TEST_P(BlockLayers, CountTheSameOnTrees) {
    const std::vector<TreeCase> trees{{512, 16, 8},
                                      {512, 256, 12},
                                      {4096, 16, 8},
                                      {4096, 64, 16},
                                      {16384, 4, 8, 15'000},
                                      {16384, 16, 12, 15'000},
                                      // The case that tb_btree prints.
                                      {512, 64, 8, 100'000, {0, 8}},
                                      {4096, 64, 8, 100'000, {0, 8}},
                                      {16384, 64, 8, 100'000, {0, 8}}};
    for (const TreeCase& tree : trees) {
        btree::Load load;
        load.inserts = tree.inserts;
        load.page_bytes = tree.page_bytes;
        load.buffer_pages = tree.buffer_pages;
        load.shape.entry_bytes = tree.entry_bytes;
        const btree::LoadOutcome outcome = run_in_memory(load);
        const int sectors = static_cast<int>(tree.page_bytes / 512);
        for (const int given : tree.log_blocks) {
            const int blocks =
                (static_cast<int>(outcome.root.pages) * sectors + kBlockPages - 1) / kBlockPages;
            const int log_blocks = given != 0 ? given : blocks;
            if ((layer() == Layer::fast && log_blocks < 2) || (layer() == Layer::mtbs && log_blocks > 1)) {
                continue;
            }
            for (const bool ascending : {false, true}) {
                const reference::BlockSettings settings{static_cast<int>(outcome.root.pages) * sectors,
                                                        kBlockPages, 1, ascending, log_blocks};
                Pair pair(layer(), settings);
                for (const btree::PageIo& io : outcome.traffic) {
                    for (int sector = 0; io.write && sector < sectors; ++sector) {
                        pair.write(static_cast<int>(io.page.value) * sectors + sector);
                    }
                }
                EXPECT_EQ(pair.found(), pair.expected())
                    << tree.page_bytes << " bytes, " << tree.buffer_pages << " pages in the buffer, "
                    << log_blocks << " log blocks, " << (ascending ? "ascending" : "any order");
                EXPECT_EQ(pair.expected().host_programs(),
                          static_cast<std::int64_t>(outcome.buffer.writes) * sectors);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, BlockLayers, ::testing::Range<std::size_t>(0, kLayers.size()),
                         [](const auto& param) { return std::string(kNames[param.param]); });

}  // namespace
}  // namespace solidtlm::testbench
