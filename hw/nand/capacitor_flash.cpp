// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/capacitor_flash.h"

#include <algorithm>

#include "hw/nand/page_group.h"

namespace solidtlm::hw {
namespace {

/// 80h-5A, the page with parity and metadata, 10h.
hal::Ps page_transfer(const NandConfig& config) {
    const hal::FlashPiece piece{0, 0, config.geometry.page_bytes, hal::DramAddress{0}};
    std::vector<std::byte> spare(config.metadata_bytes);
    hal::FlashOp op;
    op.opcode = hal::FlashOpcode::program;
    op.pieces = std::span(&piece, 1);
    op.spare = spare;
    PageGroup pages;
    PagePlanner(config, hal::Channel{0}).plan(op, pages);
    const BusTiming timing = make_bus_timing(config.bus);
    return timing.program_address() + timing.t_adl + timing.data_in(pages.bursts.front().bytes) +
           timing.program_confirm();
}

}  // namespace

CapacitorFlash::CapacitorFlash(const NandConfig& config,
                               std::span<const std::unique_ptr<NandChannel>> channels)
    : config_(config),
      channels_(channels),
      transfer_(page_transfer(config)),
      bus_free_(channels.size()),
      die_free_(config.geometry.die_places()) {}

void CapacitorFlash::finish_programs() {
    for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
        for (std::uint16_t die = 0; die < config_.geometry.dies; ++die) {
            const CapacitorUse use = channels_[channel]->die(hal::Die{die}).finish_program();
            const hal::Channel number{static_cast<std::uint16_t>(channel)};
            die_free_[config_.geometry.die_index(number, hal::Die{die})] = use.time;
            use_.time = std::max(use_.time, use.time);
            use_.pages += use.pages;
        }
    }
}

bool CapacitorFlash::erased(const hal::FlashAddress& page) const {
    return array(page).read(page, {}, {}) == hal::FlashStatus::erased;
}

bool CapacitorFlash::program(const hal::FlashAddress& page, std::span<const std::byte> spare) {
    hal::Ps& bus = bus_free_[page.channel.value];
    hal::Ps& die = die_free_[config_.geometry.die_index(page.channel, page.die)];
    hal::FlashOp op;
    op.opcode = hal::FlashOpcode::program;
    op.address[0] = page;
    bus = std::max(bus, die) + transfer_;
    die = bus + channels_[page.channel.value]->die(page.die).program_time(op);
    use_.time = std::max(use_.time, die);
    ++use_.pages;
    return array(page).program_page(page, {}, spare) == hal::FlashStatus::ok;
}

}  // namespace solidtlm::hw
