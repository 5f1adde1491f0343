// SPDX-License-Identifier: Apache-2.0
#include "fw/page_map/lay_down.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "fw/flash/spare.h"
#include "fw/page_map/page_map.h"

namespace solidtlm::fw {
namespace {

struct Rule {
    LayDownRefusal refusal;
    bool (*applies)(const FirmwareConfig& config);
};

constexpr std::array<Rule, 8> kRules{{
    {{"firmware.translation", "block-mapped layers have tables of their own"},
     [](const FirmwareConfig& config) { return config.by_block(); }},
    {{"firmware.map_cache.policy", "a part of the map lies on flash"},
     [](const FirmwareConfig& config) { return !config.map_cache.whole_map(); }},
    {{"firmware.dedup.system", "logical pages share pages"},
     [](const FirmwareConfig& config) { return config.dedup.any(); }},
    {{"firmware.slc_cache.mode", "superblocks change their mode"},
     [](const FirmwareConfig& config) { return config.slc_cache.any(); }},
    {{"firmware.reliability.parity_dies", "pages of several dies depend on each other"},
     [](const FirmwareConfig& config) { return config.reliability.parity(); }},
    {{"firmware.word_lines.protect", "lower pages have copies"},
     [](const FirmwareConfig& config) { return config.flash.copies_lower_pages(); }},
    {{"firmware.recovery.checkpoint_interval", "flash holds a checkpoint of the map"},
     [](const FirmwareConfig& config) { return config.recovery.checkpoint_interval > 0; }},
    {{"nand.geometry.die_blocks", "dies differ"},
     [](const FirmwareConfig& config) { return !config.flash.die_blocks.empty(); }},
}};

/// What each superblock of the description becomes.
class Layer final : private MapListener {
  public:
    Layer(PageMap& pages, AgedFlash& flash, hal::FlashImage& image)
        : pages_(pages),
          layout_(pages.services.layout),
          flash_(flash),
          image_(image),
          content_(pages.services.config.content),
          rows_(layout_.rows()),
          spare_bytes_(spare_bytes(layout_.units_per_page())),
          page_content_(
              hal::content_bytes(content_, std::uint64_t{layout_.units_per_page()} * layout_.unit_bytes())),
          spares_(layout_.planes_per_pu()),
          contents_(layout_.planes_per_pu()) {
        const std::size_t pages_of_block = std::size_t{layout_.pages()} * rows_;
        for (std::uint32_t plane = 0; plane < layout_.planes_per_pu(); ++plane) {
            spares_[plane].resize(pages_of_block * spare_bytes_);
            contents_[plane].resize(pages_of_block * page_content_);
        }
        updates_.reserve(layout_.units_per_superblock());
    }

    void add(const AgedSuperblock& superblock) {
        const std::size_t written = superblock.sequences.size();
        const bool full = written == layout_.pages();
        SOLIDTLM_CHECK(superblock.state == BlockState::closed ||
                           (superblock.state == BlockState::open && !full && written > 0) ||
                           (superblock.state == BlockState::free && written == 0),
                       "an aged superblock is closed, open or free");
        SOLIDTLM_CHECK(superblock.names.size() == written * layout_.units_per_superpage(),
                       "each unit of a programmed superpage has a name, or is padding");
        pages_.table.adopt(superblock.pu, superblock.superblock, superblock.state, superblock.erases);
        if (superblock.state == BlockState::open) {
            pages_.allocator.resume(
                SuperpageAddress{superblock.pu, superblock.superblock, static_cast<std::uint32_t>(written)},
                superblock.stream);
        }
        map(superblock);
        put(superblock);
        ++superblocks_;
    }
    [[nodiscard]] std::uint64_t superblocks() const { return superblocks_; }
    [[nodiscard]] std::uint64_t last_sequence() const { return last_sequence_; }

  private:
    // MapListener.
    [[nodiscard]] bool wanted(const MapUpdate& /*update*/) const override { return true; }
    void applied(std::span<const MapUpdate> updates, Charge& /*charge*/) override {
        for (const MapUpdate& update : updates) {
            SOLIDTLM_CHECK(update.previous == kUnmapped, "a logical page lies in one place");
        }
        pages_.table.mark_valid(updates);
    }

    void map(const AgedSuperblock& superblock) {
        updates_.clear();
        Ppa place = layout_.ppa(SuperpageAddress{superblock.pu, superblock.superblock, 0}, 0);
        for (const Lpn name : superblock.names) {
            if (name != kNoLpn) {
                SOLIDTLM_CHECK(name.value < layout_.exported_units(), "the drive exports the unit");
                updates_.push_back(MapUpdate{name, place});
            }
            ++place;
        }
        Charge charge;
        const Task<void> done = pages_.map->update(updates_, *this, Cause::host, nullptr, charge);
        SOLIDTLM_CHECK(done.await_ready(), "the whole map lies in DRAM, and changes take no time");
    }

    /// The pages of a plane lie one after the other: row by row of each superpage.
    void put(const AgedSuperblock& superblock) {
        const auto written = static_cast<std::uint32_t>(superblock.sequences.size());
        if (written == 0 && superblock.erases == 0) {
            return;
        }
        const PageKind kind = traits_of(superblock.stream).kind;
        const std::uint32_t planes = layout_.planes_per_pu();
        const Lpn* names = superblock.names.data();
        for (std::uint32_t page = 0; page < written; ++page) {
            const SpareHeader header{superblock.sequences[page], kind, superblock.erases};
            last_sequence_ = std::max(last_sequence_, header.sequence);
            for (std::uint32_t row = 0; row < rows_; ++row) {
                for (std::uint32_t plane = 0; plane < planes; ++plane, names += layout_.units_per_page()) {
                    write(header, {names, layout_.units_per_page()}, plane, page * rows_ + row);
                }
            }
        }
        for (std::uint32_t plane = 0; plane < planes; ++plane) {
            const std::uint32_t programmed = written * rows_;
            image_.put(
                layout_.nand_page(superblock.pu, superblock.superblock, plane, 0),
                {superblock.erases, programmed, std::span(spares_[plane]).first(programmed * spare_bytes_),
                 std::span(contents_[plane]).first(programmed * page_content_)});
        }
    }

    /// NAND page `page` of the block on `plane`.
    void write(const SpareHeader& header, std::span<const Lpn> names, std::uint32_t plane,
               std::uint32_t page) {
        std::byte* at = encode_header(header, spares_[plane].data() + page * spare_bytes_);
        for (const Lpn name : names) {
            at = encode_lpn(name, at);
        }
        if (content_ == hal::ContentMode::none) {
            return;
        }
        const std::size_t unit = page_content_ / names.size();
        std::span<std::byte> rest = std::span(contents_[plane]).subspan(page * page_content_, page_content_);
        for (const Lpn name : names) {
            if (name == kNoLpn) {
                std::ranges::fill(rest.first(unit), std::byte{0});
            } else {
                flash_.content(name, rest.first(unit));
            }
            rest = rest.subspan(unit);
        }
    }

    PageMap& pages_;
    const MediaLayout& layout_;
    AgedFlash& flash_;
    hal::FlashImage& image_;
    hal::ContentMode content_;
    std::uint32_t rows_;
    std::size_t spare_bytes_;
    std::size_t page_content_;
    std::vector<std::vector<std::byte>> spares_;    // by plane: of the pages of a block
    std::vector<std::vector<std::byte>> contents_;  // the same
    std::vector<MapUpdate> updates_;
    std::uint64_t superblocks_ = 0;
    std::uint64_t last_sequence_ = 0;
};

}  // namespace

std::optional<LayDownRefusal> why_not_laid_down(const FirmwareConfig& config) {
    const auto rule =
        std::ranges::find_if(kRules, [&config](const Rule& each) { return each.applies(config); });
    return rule == kRules.end() ? std::nullopt : std::optional(rule->refusal);
}

void lay_down(PageMap& pages, AgedFlash& flash, hal::FlashImage& image) {
    SOLIDTLM_CHECK(!why_not_laid_down(pages.services.config), "the drive can be described");
    pages.table.begin_recovery();
    Layer layer(pages, flash, image);
    for (AgedSuperblock superblock; flash.next(superblock);) {
        layer.add(superblock);
    }
    SOLIDTLM_CHECK(layer.superblocks() == pages.services.layout.total_superblocks(),
                   "each superblock of data is described");
    pages.allocator.resume_sequence(layer.last_sequence() + 1);
}

}  // namespace solidtlm::fw
