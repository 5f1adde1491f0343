// SPDX-License-Identifier: Apache-2.0
#include "fw/page_map/word_line_closer.h"

#include "fw/flash/carry_out.h"
#include "fw/flash/staircase_flash.h"

namespace solidtlm::fw {

WordLineCloser::WordLineCloser(PageMap& pages) : pages_(pages), flash_(*pages.services.staircase) {
    const std::size_t streams = std::size_t{pages.services.layout.pus()} * kStreams.size();
    while (paddings_.size() < streams) {
        paddings_.push_back(std::make_unique<Padding>());
    }
    flash_.watch(pages.buffer.destager_wakeup());
}

std::uint32_t WordLineCloser::close(Needs needs) {
    std::uint32_t padded = 0;
    for (std::uint32_t pu = 0; pu < pages_.services.layout.pus() && flash_.waiting() > 0; ++pu) {
        for (std::size_t i = 0; i < kStreams.size(); ++i) {
            const auto stream = static_cast<Stream>(i);
            if (needed(Pu{pu}, stream, needs) && close(Pu{pu}, stream) && traits_of(stream).of_host) {
                padded += pages_.services.layout.units_per_superpage();
            }
        }
    }
    return padded;
}

/// Programs wait in the open superblock of the stream, nothing is about to follow them, and they have to end.
bool WordLineCloser::needed(Pu pu, Stream stream, Needs needs) const {
    const std::optional<Superblock> open = pages_.allocator.may_pad(pu, stream);
    if (!open) {
        return false;
    }
    const hal::FlashAddress at = pages_.services.layout.address(SuperpageAddress{pu, *open, 0}, 0);
    if (flash_.waiting_in(at, false) == 0) {
        return false;
    }
    // Once collection stands down, the host writes to its superblock, too.
    const bool of_host = flash_.waiting_in(at, true) > 0;
    if (of_host && (needs.host || needs.all)) {
        return true;
    }
    return !traits_of(stream).of_host && pages_.collector.moves_nothing(pu) &&
           (needs.all || (needs.space && pages_.collector.ends_free_space(pu)));
}

bool WordLineCloser::close(Pu pu, Stream stream) {
    Padding& padding = *paddings_[pu.value * kStreams.size() + static_cast<std::size_t>(stream)];
    if (padding.busy) {
        return false;
    }
    padding.busy = true;
    padding.stream = stream;
    padding.at = pages_.allocator.allocate_padding(pu, stream);
    ++under_way_;
    pages_.services.executor.spawn(pad(padding));
    return true;
}

Task<void> WordLineCloser::pad(Padding& padding) {
    Services& services = pages_.services;
    const StreamTraits& traits = traits_of(padding.stream);
    const Cause cause = traits.of_host ? Cause::host : Cause::gc;
    const SuperpageAddress at = padding.at;
    const std::vector<UnitWrite> nothing(services.layout.units_per_superpage());
    const SpareHeader header{pages_.allocator.next_sequence(), traits.kind,
                             pages_.table.info(at.pu, at.superblock).erases};
    padding.program.prepare(services, at, nothing, header, cause);
    if (!traits.of_host) {
        pages_.collector.padded();
    }
    const Besides allocation{.before = services.config.cycles.allocate};
    const hal::FlashStatus status =
        co_await carry_out(services, padding.program.op(), cause, nullptr, allocation);
    padding.busy = false;
    --under_way_;
    pages_.allocator.padding_done(at, status);  // wakes the destager
    if (status != hal::FlashStatus::ok) {
        pages_.collector.move_soon(at);
    }
    pages_.collector.kick(at.pu);
}

}  // namespace solidtlm::fw
