// SPDX-License-Identifier: Apache-2.0
//
// Random streams of writes and trims on tiny devices against a shadow of flash that knows the NAND's rules.
// As with the timed layer, programs and erases end late and may fail, and pages are trimmed while merges are
// under way.
#include <algorithm>
#include <random>

#include "fw/block_map/block_test_support.h"
#include "fw/block_map/needs.h"
#include "fw/testing/seeds.h"

namespace solidtlm::fw {
namespace {

struct Trial {
    FirmwareConfig config;
    BlockGeometry geometry;
    std::uint32_t extra_blocks = 0;  ///< more than the layer needs
    double failures = 0.0;           ///< probability that a program or an erase fails
};

/// Plays the flash and the firmware around the layer.
class Device {
  public:
    Device(const Trial& trial, std::uint64_t seed)
        : trial_(trial),
          random_(seed),
          layer_(make_block_layer(trial.config, trial.geometry)),
          flash_(trial.geometry.blocks, std::vector<Page>(trial.geometry.pages)),
          next_row_(trial.geometry.blocks, std::vector<std::uint32_t>(trial.geometry.columns)),
          broken_(trial.geometry.blocks),
          newest_(trial.geometry.logical_pages) {}

    void write(Lpn lpn) {
        newest_[lpn.value] = ++version_;
        pending_.push_back(lpn);
        while (!pending_.empty() && !full_) {
            const Lpn next = pending_.back();
            pending_.pop_back();
            if (newest_[next.value] != 0) {
                place(next);
            }
        }
    }
    void trim(Lpn lpn) {
        newest_[lpn.value] = 0;
        layer_->trim(lpn);
    }
    /// Ends everything that has begun, and checks that every page is where it should be.
    void settle() {
        while (!in_flight_.empty()) {
            end_program(in_flight_.size() - 1);
            redo();
        }
        release();
        while (!erasing_.empty()) {
            end_erase(erasing_.size() - 1);
        }
        for (Lpn lpn{0}; lpn.value < newest_.size(); ++lpn) {
            verify(lpn);
        }
    }
    void release() {
        while (layer_->next_release(merge_)) {
            carry_out();
        }
        redo();
    }
    void check() const {
        ASSERT_EQ(layer_->check(), "");
        ASSERT_EQ(layer_->free_blocks() + used() + erasing_.size() + bad_, trial_.geometry.blocks)
            << "a block has been lost";
    }
    /// The layer has run out of blocks. Valid only if more blocks have failed than there were extra ones.
    [[nodiscard]] bool full() const { return full_; }
    [[nodiscard]] std::uint32_t bad() const { return bad_; }
    [[nodiscard]] const BlockLayer& layer() const { return *layer_; }
    bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }
    std::uint32_t below(std::uint32_t end) {
        return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random_);
    }

  private:
    struct Page {
        Lpn lpn{kNoLpn};
        std::uint64_t version = 0;
        bool programmed = false;
    };
    struct Program {
        Lpn lpn;
        BlockPage at;
        std::uint64_t version;
    };

    [[nodiscard]] std::uint64_t used() const { return layer_->data_blocks() + layer_->log_blocks(); }
    Page& page(BlockPage at) { return flash_[at.block.value][at.offset]; }

    void place(Lpn lpn) {
        while (!full_ && layer_->next_merge(lpn, merge_)) {
            if (merge_.kind == MergeKind::full && merge_.target == kNoBlock) {
                wait_for_block();
            } else {
                carry_out();
            }
        }
        while (!full_ && layer_->free_blocks() == 0) {
            wait_for_block();
        }
        if (full_ || newest_[lpn.value] == 0) {  // trimmed during a merge
            return;
        }
        const BlockLayer::Placement placement = layer_->place(lpn);
        ASSERT_EQ(layer_->locate(lpn), placement.at);
        program(placement.at, {lpn, newest_[lpn.value], true});
        in_flight_.push_back({lpn, placement.at, newest_[lpn.value]});
        while (in_flight_.size() > 3) {
            end_program(below(static_cast<std::uint32_t>(in_flight_.size())));
        }
        if (chance(0.3) && !erasing_.empty()) {
            end_erase(below(static_cast<std::uint32_t>(erasing_.size())));
        }
    }

    void program(BlockPage at, const Page& content) {
        ASSERT_LT(at.offset, trial_.geometry.pages);
        ASSERT_FALSE(page(at).programmed) << "a page is programmed twice";
        ASSERT_FALSE(broken_[at.block.value]) << "a block is written after a failure";
        const std::uint32_t columns = trial_.geometry.columns;
        std::uint32_t& next = next_row_[at.block.value][at.offset % columns];
        ASSERT_TRUE(!trial_.geometry.ascending_pages || at.offset / columns >= next) << "pages descend";
        next = std::max(next, at.offset / columns + 1);
        page(at) = content;
    }

    void end_program(std::size_t number) {
        const Program ended = in_flight_[number];
        in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(number));
        if (!chance(trial_.failures)) {
            return;
        }
        broken_[ended.at.block.value] = true;
        page(ended.at).lpn = kNoLpn;
        layer_->place_failed(ended.lpn, ended.at);
        if (newest_[ended.lpn.value] == ended.version) {
            redo_.push_back(ended.lpn);
        }
    }
    void redo() {
        while (!redo_.empty() && !full_) {
            const Lpn lpn = redo_.back();
            redo_.pop_back();
            if (newest_[lpn.value] != 0) {
                place(lpn);
            }
        }
    }

    void end_erase(std::size_t number) {
        const BlockId block = erasing_[number];
        erasing_.erase(erasing_.begin() + static_cast<std::ptrdiff_t>(number));
        if (chance(trial_.failures)) {
            layer_->retired(block);
            ++bad_;
            return;
        }
        std::ranges::fill(flash_[block.value], Page{});
        std::ranges::fill(next_row_[block.value], 0U);
        bad_ += broken_[block.value] ? 1U : 0U;
        layer_->erased(block);
    }
    void wait_for_block() {
        if (erasing_.empty()) {
            full_ = true;
        } else {
            end_erase(0);
        }
    }

    /// Ends the programs in the blocks that the merge reads or erases. True if one of them failed.
    bool wait_for_programs() {
        const auto concerned = [this](const Program& program) {
            const auto from = [&](const Merge::Copy& copy) { return copy.from.block == program.at.block; };
            return program.at.block == merge_.target ||
                   std::ranges::count(merge_.sources, program.at.block) > 0 ||
                   std::ranges::any_of(merge_.copies, from);
        };
        bool failed = false;
        for (auto it = std::ranges::find_if(in_flight_, concerned); it != in_flight_.end();
             it = std::ranges::find_if(in_flight_, concerned)) {
            const BlockId block = it->at.block;
            end_program(static_cast<std::size_t>(it - in_flight_.begin()));
            failed = failed || broken_[block.value];
        }
        return failed;
    }

    void carry_out() {
        if (wait_for_programs()) {
            return;  // the description is void
        }
        for (const Merge::Copy& copy : merge_.copies) {
            if (chance(0.05)) {
                trim(Lpn{below(trial_.geometry.logical_pages)});
            }
            ASSERT_EQ(page(copy.from).lpn, copy.lpn);
            program({merge_.target, copy.to}, page(copy.from));
            if (chance(trial_.failures)) {
                broken_[merge_.target.value] = true;
                layer_->merge_failed(merge_, copy.to);
                bad_ += merge_.kind == MergeKind::full ? 1U : 0U;
                return;
            }
        }
        for (const BlockId source : merge_.sources) {
            ASSERT_EQ(std::ranges::count(erasing_, source), 0);
        }
        layer_->merged(merge_);
        erasing_.insert(erasing_.end(), merge_.sources.begin(), merge_.sources.end());
    }

    void verify(Lpn lpn) {
        const BlockPage at = layer_->locate(lpn);
        if (newest_[lpn.value] == 0) {
            ASSERT_EQ(at.block, kNoBlock) << "LPN " << lpn.value << " has data after its trim";
            return;
        }
        if (full_ && at.block == kNoBlock) {
            return;  // the write was refused
        }
        ASSERT_NE(at.block, kNoBlock) << "LPN " << lpn.value << " is lost";
        ASSERT_EQ(page(at).lpn, lpn);
        if (!full_) {
            ASSERT_EQ(page(at).version, newest_[lpn.value]);
        }
    }

    Trial trial_;
    std::mt19937_64 random_;
    std::unique_ptr<BlockLayer> layer_;
    Merge merge_;
    std::vector<std::vector<Page>> flash_;
    std::vector<std::vector<std::uint32_t>> next_row_;
    std::vector<bool> broken_;
    std::vector<std::uint64_t> newest_;  // by LPN: version; 0: none
    std::uint64_t version_ = 0;
    std::vector<Lpn> pending_;
    std::vector<Lpn> redo_;
    std::vector<Program> in_flight_;
    std::vector<BlockId> erasing_;
    std::uint32_t bad_ = 0;
    bool full_ = false;
};

/// A tiny device of every shape; log blocks at the legal minimum half of the time.
Trial random_trial(const TranslationLayer& layer, std::uint64_t seed) {
    std::mt19937_64 random(seed * 7 + layer.name.size());
    const auto one_of = [&](std::uint32_t low, std::uint32_t high) {
        return std::uniform_int_distribution<std::uint32_t>(low, high)(random);
    };
    Trial trial;
    trial.config.translation = layer;
    trial.config.wear.dynamic = one_of(0, 1) != 0;
    trial.geometry.columns = one_of(1, 3);
    trial.geometry.pages = trial.geometry.columns * one_of(layer.traits.half_spare ? 2 : 1, 6);
    trial.geometry.ascending_pages = one_of(0, 3) != 0;
    trial.geometry.logical_pages = one_of(1, 7 * trial.geometry.pages);
    BlockMapConfig& blocks = trial.config.block_map;
    blocks.log_blocks = std::max(1U, layer.traits.least_logs) + (one_of(0, 1) != 0 ? one_of(0, 5) : 0);
    trial.failures = seed % 2 == 0 ? 0.0 : 0.003;
    trial.extra_blocks = trial.failures > 0.0 ? one_of(0, 6) : 0;
    trial.geometry.blocks =
        static_cast<std::uint32_t>(least_blocks(trial.config, trial.geometry)) + trial.extra_blocks;
    return trial;
}

void run(Device& device, const Trial& trial, std::uint32_t steps) {
    const std::uint32_t pages = trial.geometry.logical_pages;
    for (std::uint32_t step = 0; step < steps && !device.full();) {
        const std::uint32_t first = device.below(pages);
        // Runs of pages in order, and single pages; some are trimmed.
        const std::uint32_t length = device.chance(0.3) ? device.below(2 * trial.geometry.pages) + 1 : 1;
        const bool trims = device.chance(0.12);
        for (std::uint32_t lpn = first; lpn < std::min(pages, first + length) && !device.full();
             ++lpn, ++step) {
            trims ? device.trim(Lpn{lpn}) : device.write(Lpn{lpn});
            device.release();
            device.check();
            if (::testing::Test::HasFatalFailure()) {
                return;
            }
        }
    }
}

class EveryLayer : public ::testing::TestWithParam<const TranslationLayer*> {};

TEST_P(EveryLayer, KeepsDataAndRulesUnderRandomStreams) {
    for (std::uint64_t seed = 0; seed < testing::usual_or_sanitized(300U, 80U); ++seed) {
        const Trial trial = random_trial(*GetParam(), seed);
        Device device(trial, seed);
        run(device, trial, 300);
        device.settle();
        ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
        // A merge needs one block besides data and logs: its target.
        ASSERT_TRUE(!device.full() || device.bad() > trial.extra_blocks) << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Layers, EveryLayer, ::testing::ValuesIn(translation_layers()));

}  // namespace
}  // namespace solidtlm::fw
