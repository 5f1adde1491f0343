// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/array.h"

#include <systemc>

#include "fw/hal/check.h"
#include "hw/nand/counter_random.h"
#include "hw/tlm/content.h"

namespace solidtlm::hw {

using hal::FlashAddress;
using hal::FlashStatus;
using hal::Page;

namespace {

constexpr std::size_t kWordBits = 64;

bool test_bit(const std::vector<std::uint64_t>& bits, std::size_t i) {
    return (bits[i / kWordBits] >> (i % kWordBits) & 1U) != 0;
}

void set_bit(std::vector<std::uint64_t>& bits, std::size_t i) {
    bits[i / kWordBits] |= std::uint64_t{1} << (i % kWordBits);
}

std::size_t words_for(std::size_t bits) {
    return (bits + kWordBits - 1) / kWordBits;
}

/// The configuration of a die that may have other numbers of blocks than the rest.
NandConfig with_blocks_of(const NandConfig& config, hal::Channel channel, hal::Die die) {
    NandConfig own = config;
    own.geometry.blocks = config.geometry.blocks_of(config.geometry.die_index(channel, die));
    return own;
}

}  // namespace

bool factory_bad(const NandBadBlocks& config, const FlashAddress& block) {
    if (config.factory_fraction <= 0.0) {
        return false;
    }
    return unit_interval(split_mix64(split_mix64(config.seed) ^ place_word(block))) < config.factory_fraction;
}

NandArray::NandArray(const NandConfig& config, hal::Channel channel, hal::Die die)
    : NandArray(with_blocks_of(config, channel, die), Place{channel, die}) {}

NandArray::NandArray(const NandConfig& config, const Place& place)
    : geometry_(config.geometry),
      rules_(config.rules),
      bad_blocks_(config.bad_blocks),
      mode_(config.content),
      metadata_bytes_(config.metadata_bytes),
      slc_pages_(word_lines(config)),
      pages_per_program_(pages_per_program(config)),
      word_lines_(config),
      cut_takes_word_line_(config.power_cut == NandPowerCut::word_line),
      slc_wear_(config.slc.wear),
      channel_(place.channel),
      die_(place.die),
      contents_(config),
      page_words_(words_for(config.geometry.pages)),
      blocks_(std::size_t{config.geometry.planes} * config.geometry.blocks),
      sound_pages_(blocks_.size()),
      slc_(blocks_.size()),
      metadata_(blocks_.size()) {
    if (geometry_.planes == 0 || geometry_.pages == 0 || geometry_.page_bytes == 0 ||
        geometry_.page_bytes % hal::kSectorBytes != 0) {
        SC_REPORT_FATAL("/ssd/nand", "impossible geometry");
    }
    if (config.faults.any()) {
        faults_ = std::make_unique<FaultModel>(config, channel_, die_);
    }
}

bool NandArray::violate(Violation kind, const FlashAddress& at, std::string_view what) {
    violations_.report(kind, at, what);
    return true;
}

std::unique_ptr<NandArray::BlockState> NandArray::first_touch(const FlashAddress& at) {
    auto block = std::make_unique<BlockState>();
    block->bad = hw::factory_bad(bad_blocks_, at);
    block->programmed.resize(page_words_);
    ++touched_blocks_;
    return block;
}

bool NandArray::is_torn(const BlockState& block, Page page) const {
    return block.torn || (!block.torn_pages.empty() && test_bit(block.torn_pages, page.value));
}

bool NandArray::breaks_program_rules(const FlashAddress& page, std::span<const ProgramSlice> slices,
                                     bool slc) {
    if (!has_page(page, slc)) {
        return violate(Violation::bad_address, page, "program outside the array");
    }
    for (const ProgramSlice& slice : slices) {
        if (std::uint64_t{slice.column_bytes} + slice.length_bytes > geometry_.page_bytes ||
            slice.column_bytes % hal::kSectorBytes != 0 || slice.length_bytes % hal::kSectorBytes != 0) {
            return violate(Violation::bad_request, page, "data does not fit the page");
        }
    }
    const BlockState& block = touch(page);
    if (block.next_page > 0 && slc != in_slc_mode(page)) {
        return violate(Violation::bad_request, page, "the block is programmed in the other mode");
    }
    if (block.torn) {
        return violate(Violation::not_erased, page, "program after an interrupted erase");
    }
    if (test_bit(block.programmed, page.page.value)) {
        return violate(Violation::not_erased, page, "page is programmed already");
    }
    if (rules_.sequential_pages && page.page.value < block.next_page) {
        return violate(Violation::page_order, page, "a higher page of the block is programmed already");
    }
    return false;
}

bool NandArray::breaks_plane_rules(std::span<const FlashAddress> planes, bool ignore_page) {
    for (std::size_t i = 0; i < planes.size(); ++i) {
        const FlashAddress& at = planes[i];
        if (!block_exists(at) || !(ignore_page || exists(at))) {
            return violate(Violation::bad_address, planes[i], "no such page");
        }
        if (!ignore_page && at.page != planes[0].page) {
            return violate(Violation::plane_conflict, planes[i], "pages of a multi-plane operation differ");
        }
        if (rules_.multi_plane_same_block && at.block != planes[0].block) {
            return violate(Violation::plane_conflict, planes[i], "blocks of a multi-plane operation differ");
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (planes[j].plane == at.plane) {
                return violate(Violation::plane_conflict, planes[i], "a plane twice in one operation");
            }
        }
    }
    return false;
}

bool NandArray::breaks_word_line_rules(std::span<const FlashAddress> pages, std::size_t planes, bool slc) {
    if (breaks_plane_rules(pages.first(planes), false)) {
        return true;
    }
    const std::uint32_t word_line = slc ? 1 : pages_per_program_;
    if (pages.size() != planes * word_line || pages[0].page.value % word_line != 0) {
        return violate(Violation::word_line, pages[0], "a part of a word line, or of several");
    }
    for (std::size_t i = planes; i < pages.size(); ++i) {
        FlashAddress below = pages[i - planes];
        ++below.page;
        if (pages[i] != below) {
            return violate(Violation::word_line, pages[i], "not the next page of the word line");
        }
    }
    return false;
}

bool NandArray::breaks_copy_rules(const FlashAddress& source, const FlashAddress& destination) {
    if (!exists(source)) {
        return violate(Violation::bad_address, source, "copy-back from outside the array");
    }
    if (source.plane != destination.plane) {
        return violate(Violation::copy_back_plane, destination, "copy-back crosses planes");
    }
    return false;
}

void NandArray::mark_programmed(BlockState& block, const FlashAddress& at, bool torn) {
    const Page page = at.page;
    std::uint32_t& sound = sound_pages_[index(at)];
    if (torn) {
        sound = std::min(sound, page.value);
    } else if (sound == page.value) {
        ++sound;
    }
    set_bit(block.programmed, page.value);
    block.next_page = std::max(block.next_page, page.value + 1);
    if (torn) {
        block.torn_pages.resize(block.programmed.size());
        set_bit(block.torn_pages, page.value);
    }
}

FlashStatus NandArray::program(const FlashAddress& page, std::span<const ProgramSlice> slices,
                               std::span<const std::byte> spare, bool slc) {
    if (breaks_program_rules(page, slices, slc)) {
        return FlashStatus::rule_violation;
    }
    return program_allowed(page, slices, spare, slc);
}

FlashStatus NandArray::program_allowed(const FlashAddress& page, std::span<const ProgramSlice> slices,
                                       std::span<const std::byte> spare, bool slc, bool first) {
    BlockState& block = touch(page);
    if (slc) {
        slc_[index(page)] = any_slc_ = true;
    }
    if (faults_) {
        block.bad = (first && faults_->program_fails(page, block.erase_count)) || block.bad;
        if (block.bad) {
            faults_->count_program_failure();
        }
        faults_->programmed(page);
    }
    mark_programmed(block, page, block.bad);
    if (mode_ != hal::ContentMode::none) {
        contents_.store(index(page), page.page, slices);
    }
    if (metadata_bytes_ != 0) {
        store_metadata(page, spare);
    }
    return block.bad ? FlashStatus::program_failed : FlashStatus::ok;
}

void NandArray::put(const FlashAddress& at, const hal::BlockImage& image) {
    FlashAddress page = at;
    page.page = Page{0};
    SOLIDTLM_CHECK(exists(page) && find(page) == nullptr && image.pages <= geometry_.pages,
                   "the block exists, and is as it left the factory");
    SOLIDTLM_CHECK(!faults_ && !is_factory_bad(page), "the block is good");
    SOLIDTLM_CHECK(image.spare.size() == std::size_t{metadata_bytes_} * image.pages &&
                       image.content.size() == hal::content_bytes(mode_, geometry_.page_bytes) * image.pages,
                   "each page has its metadata and its contents");
    BlockState& block = touch(page);
    block.erase_count = image.erases;
    block.next_page = image.pages;
    sound_pages_[index(page)] = image.pages;
    for (std::uint32_t i = 0; i < image.pages; ++i) {
        set_bit(block.programmed, i);
    }
    if (!image.spare.empty()) {
        metadata_[index(page)] =
            std::make_unique<std::byte[]>(std::size_t{metadata_bytes_} * geometry_.pages);
        std::memcpy(metadata_[index(page)].get(), image.spare.data(), image.spare.size());
    }
    const std::size_t page_content = image.pages > 0 ? image.content.size() / image.pages : 0;
    for (; page_content > 0 && page.page.value < image.pages; ++page.page) {
        const ProgramSlice whole{0, geometry_.page_bytes,
                                 image.content.data() + page.page.value * page_content};
        contents_.store(index(page), page.page, {&whole, 1});
    }
}

void NandArray::store_metadata(const FlashAddress& page, std::span<const std::byte> spare) {
    if (std::unique_ptr<std::byte[]>& block = metadata_[index(page)]; !block) {
        block = std::make_unique<std::byte[]>(std::size_t{metadata_bytes_} * geometry_.pages);
    }
    std::byte* metadata = metadata_of(page);
    if (spare.size() < metadata_bytes_) {
        std::memset(metadata, 0, metadata_bytes_);
    }
    if (!spare.empty()) {
        std::memcpy(metadata, spare.data(), std::min<std::size_t>(spare.size(), metadata_bytes_));
    }
}

/// Checks the error rates of the codewords: returns ok or uncorrectable.
FlashStatus NandArray::sense_with_faults(const FlashAddress& page, std::span<const ReadSlice> slices,
                                         std::uint32_t level) {
    ranges_.clear();
    for (const ReadSlice& slice : slices) {
        ranges_.push_back({slice.column_bytes, slice.length_bytes});
    }
    const auto corrected = faults_->sense(page, wear_of(page, *find(page)), ranges_, level);
    corrected_bits_ = corrected.value_or(0);
    return corrected ? FlashStatus::ok : FlashStatus::uncorrectable;
}

FlashStatus NandArray::read_contents(const FlashAddress& page, std::span<const ReadSlice> slices,
                                     std::span<std::byte> spare, SenseMode mode) {
    if (!has_page(page, mode.slc)) {
        violate(Violation::bad_address, page, "read outside the array");
        return FlashStatus::rule_violation;
    }
    for (const ReadSlice& slice : slices) {
        if (std::uint64_t{slice.column_bytes} + slice.length_bytes > geometry_.page_bytes) {
            violate(Violation::bad_request, page, "read beyond the page");
            return FlashStatus::rule_violation;
        }
    }
    if (faults_ && faults_->dead(page)) {
        return FlashStatus::uncorrectable;
    }
    if (in_slc_mode(page) != mode.slc) {
        const BlockState* block = find(page);
        const bool erased = block == nullptr || (block->next_page == 0 && !block->torn);
        return erased ? FlashStatus::erased : FlashStatus::uncorrectable;
    }
    if (page.page.value >= sound_pages_[index(page)]) {
        const BlockState* block = find(page);
        if (block != nullptr && is_torn(*block, page.page)) {
            return FlashStatus::uncorrectable;
        }
        if (block == nullptr || !test_bit(block->programmed, page.page.value)) {
            return FlashStatus::erased;
        }
    }
    if (faults_) {
        if (const FlashStatus status = sense_with_faults(page, slices, mode.level);
            status != FlashStatus::ok) {
            return status;
        }
    }
    for (const ReadSlice& slice : slices) {
        if (slice.content != nullptr) {
            contents_.copy(index(page), page.page, slice.column_bytes,
                           {slice.content, hal::content_bytes(mode_, slice.length_bytes)});
        }
    }
    copy_metadata(page, spare);
    return FlashStatus::ok;
}

void NandArray::peek(const FlashAddress& page, std::uint32_t column_bytes,
                     std::span<std::byte> content) const {
    if (content.empty()) {
        return;
    }
    const BlockState* block = exists(page) ? find(page) : nullptr;
    const bool programmed = block != nullptr && test_bit(block->programmed, page.page.value);
    if (programmed) {
        contents_.copy(index(page), page.page, column_bytes, content);
    } else {
        std::ranges::fill(content, std::byte{0});
    }
}

FlashStatus NandArray::erase(const FlashAddress& at) {
    FlashAddress first = at;
    first.page = Page{0};
    if (!exists(first)) {
        violate(Violation::bad_address, at, "erase outside the array");
        return FlashStatus::rule_violation;
    }
    BlockState& block = touch(first);
    const BlockWear wear = wear_of(first, block);
    if (rules_.endurance_cycles != 0 && wear.cycles >= rules_.endurance_cycles) {
        block.bad = true;
    }
    if (faults_) {
        block.bad = faults_->erase_fails(first, wear) || block.bad;
    }
    if (block.bad) {
        if (faults_) {
            faults_->count_erase_failure();
        }
        return FlashStatus::erase_failed;
    }
    ++block.erase_count;
    if (wear.slc) {
        ++block.slc_erases;
        slc_[index(first)] = false;
    }
    if (faults_) {
        faults_->erased(first);
    }
    block.next_page = 0;
    sound_pages_[index(first)] = 0;
    block.torn = false;
    std::fill(block.programmed.begin(), block.programmed.end(), 0);
    block.torn_pages.clear();
    contents_.forget(index(first));
    return FlashStatus::ok;
}

FlashStatus NandArray::copy_back(const FlashAddress& source, const FlashAddress& destination,
                                 std::span<const std::byte> spare, bool slc, bool source_slc) {
    if (breaks_copy_rules(source, destination)) {
        return FlashStatus::rule_violation;
    }
    const ProgramSlice whole{0, geometry_.page_bytes, nullptr};
    if (breaks_program_rules(destination, {&whole, 1}, slc)) {
        return FlashStatus::rule_violation;
    }
    const BlockState* from = find(source);
    if (from != nullptr && from->next_page > 0 && source_slc != in_slc_mode(source)) {
        violate(Violation::bad_request, source, "copy-back from a block in the other mode");
        return FlashStatus::rule_violation;
    }
    if (from == nullptr || (!test_bit(from->programmed, source.page.value) && !is_torn(*from, source.page))) {
        return FlashStatus::erased;
    }
    std::vector<std::byte> content(hal::content_bytes(mode_, geometry_.page_bytes));
    const bool any = contents_.copy(index(source), source.page, 0, content);
    const ProgramSlice copy{0, geometry_.page_bytes, any ? content.data() : nullptr};
    std::span<const std::byte> metadata = spare;
    if (const std::byte* copied = spare.empty() ? metadata_of(source) : nullptr; copied != nullptr) {
        metadata = {copied, metadata_bytes_};
    }
    const bool torn = is_torn(*from, source.page);
    const FlashStatus status = program(destination, {&copy, 1}, metadata, slc);
    if (faults_) {
        faults_->copied(source, wear_of(source, *from), destination);
    }
    if (torn) {
        tear_page(destination);
    }
    return status;
}

FlashStatus NandArray::read_page(const FlashAddress& page, std::span<std::byte> data,
                                 std::span<std::byte> spare) {
    const ReadSlice slice{0, geometry_.page_bytes, data.empty() ? nullptr : data.data()};
    return read(page, {&slice, 1}, spare);
}

FlashStatus NandArray::program_page(const FlashAddress& page, std::span<const std::byte> data,
                                    std::span<const std::byte> spare) {
    const ProgramSlice slice{0, geometry_.page_bytes, data.empty() ? nullptr : data.data()};
    return program(page, {&slice, 1}, spare);
}

void NandArray::tear_page(const FlashAddress& page) {
    if (exists(page)) {
        mark_programmed(touch(page), page, true);
    }
}

void NandArray::interrupt_program(const FlashAddress& page) {
    tear_page(page);
    if (!cut_takes_word_line_ || in_slc_mode(page)) {
        return;
    }
    FlashAddress earlier = page;
    while (const std::optional<Page> below = word_lines_.below(earlier.page)) {
        earlier.page = *below;
        tear_page(earlier);
    }
}

void NandArray::tear_block(const FlashAddress& at) {
    FlashAddress first = at;
    first.page = Page{0};
    if (exists(first)) {
        touch(first).torn = true;
        sound_pages_[index(first)] = 0;
    }
}

bool NandArray::is_factory_bad(const FlashAddress& block) const {
    return hw::factory_bad(bad_blocks_, block);
}

bool NandArray::is_programmed(const FlashAddress& page) const {
    const BlockState* block = exists(page) ? find(page) : nullptr;
    return block != nullptr && test_bit(block->programmed, page.page.value);
}

std::span<const std::byte> NandArray::metadata(const FlashAddress& page) const {
    const std::byte* found = is_programmed(page) ? metadata_of(page) : nullptr;
    return found == nullptr ? std::span<const std::byte>{} : std::span(found, metadata_bytes_);
}

std::uint32_t NandArray::erase_count(const FlashAddress& at) const {
    const BlockState* block = exists(at) ? find(at) : nullptr;
    return block != nullptr ? block->erase_count : 0;
}

double NandArray::cycles(const FlashAddress& at) const {
    const BlockState* block = exists(at) ? find(at) : nullptr;
    return block != nullptr ? wear_of(at, *block).cycles : 0.0;
}

}  // namespace solidtlm::hw
