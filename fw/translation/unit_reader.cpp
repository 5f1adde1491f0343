// SPDX-License-Identifier: Apache-2.0
#include "fw/translation/unit_reader.h"

#include <algorithm>
#include <cstring>

namespace solidtlm::fw {

std::span<const Lpn> UnitReader::name_units(std::span<const LogicalRead> reads) {
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    lpns_.clear();
    for (const LogicalRead& read : reads) {
        const std::uint32_t units = read.units(per_unit);
        for (std::uint32_t unit = 0; unit < units; ++unit) {
            lpns_.push_back(Lpn{read.lpn.value + unit});
        }
    }
    return lpns_;
}

/// How many of the first units of `read` follow each other in one page of flash. `found` holds their places.
std::uint32_t UnitReader::together(const LogicalRead& read, std::span<const Ppa> found) const {
    const std::uint32_t first = found.front().value;
    if (found.front() == kUnmapped) {
        return 1;
    }
    const std::uint32_t per_page = services_.layout.units_per_page();
    const std::uint32_t most =
        std::min(read.units(services_.layout.sectors_per_unit()), per_page - first % per_page);
    std::uint32_t units = 1;
    while (units < most && found[units].value == first + units) {
        ++units;
    }
    return units;
}

std::uint64_t UnitReader::prepare(std::span<const LogicalRead> reads, std::span<const Ppa> found,
                                  const LostPages& lost) {
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    parts_.clear();
    on_flash_.clear();
    unmapped_ = 0;
    any_lost_ = false;
    for (LogicalRead rest : reads) {
        while (rest.sectors > 0) {
            const std::uint32_t units = lost.size() > 0 ? 1 : together(rest, found);
            const LogicalRead read = rest.take_units(units, per_unit);
            const Part part{read, found.front() != kUnmapped, lost.contains(read.lpn)};
            if (part.mapped) {
                on_flash_.push_back(UnitRead{found.front(), part.dram, part.first_sector, part.sectors});
            } else {
                ++unmapped_;
            }
            any_lost_ |= part.lost;
            parts_.push_back(part);
            found = found.subspan(units);
        }
    }
    batch_.prepare(on_flash_, Cause::host, false);
    return batch_.operations() * services_.config.cycles.flash_issue;
}

void UnitReader::submit(Join& join, Ledger* ledger, bool may_mark_parent) {
    if (!on_flash_.empty()) {
        batch_.start(join, ledger, may_mark_parent, ledger != nullptr ? ledger->command_id() : command_id_);
    }
    if (unmapped_ > 0) {
        zero_unmapped();
    }
}

void UnitReader::zero_unmapped() const {
    const std::size_t stride = hal::content_stride(services_.config.content);
    if (stride == 0) {
        return;
    }
    for (const Part& part : parts_) {
        if (!part.mapped) {
            std::memset(services_.dram->content(part.dram), 0, part.sectors * stride);
        }
    }
}

std::span<const LogicalRead> UnitReader::unreadable() {
    unreadable_.clear();
    if (!batch_.ok() || any_lost_) {
        std::size_t on_flash = 0;
        for (const Part& part : parts_) {
            const bool failed = part.mapped && !batch_.readable(on_flash);
            on_flash += part.mapped ? 1 : 0;
            if (failed || part.lost) {
                unreadable_.push_back(part);
            }
        }
    }
    return unreadable_;
}

}  // namespace solidtlm::fw
