// SPDX-License-Identifier: Apache-2.0
//
// For tests of a drive at rest: checks that a scan of all spare areas would rebuild the map.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "fw/flash/spare.h"
#include "platform/ssd.h"
#include "testbench/sim/cell_mode.h"

namespace solidtlm::testbench {

/// What the spare areas contain about a logical page: the newest sequence number, and the units that carry
/// it. On a sound drive, there is one such unit.
struct ScannedUnit {
    std::uint64_t sequence = 0;
    std::vector<fw::Ppa> places;
};

inline std::vector<ScannedUnit> scan(const platform::Ssd& ssd) {
    const fw::MediaLayout& layout = ssd.firmware().layout();
    std::vector<ScannedUnit> found(layout.exported_units());
    const std::uint32_t pages = layout.pus() * layout.superblocks() * layout.pages();
    for (std::uint32_t superpage = 0; superpage < pages; ++superpage) {
        const fw::SuperpageAddress at =
            layout.superpage_of(fw::Ppa{superpage * layout.units_per_superpage()});
        const bool slc = in_slc_mode(ssd, at);
        for (std::uint32_t number = 0; number < layout.shape(slc).pages; ++number) {
            const hal::FlashAddress page = ssd.firmware().physical(layout.address(at, number, slc));
            const auto spare = ssd.channel(page.channel.value).array(page.die).metadata(page);
            if (spare.empty()) {
                continue;
            }
            const std::uint64_t sequence = fw::decode_header(spare).sequence;
            for (std::uint32_t unit = 0; unit < layout.units_per_page(); ++unit) {
                const fw::Lpn lpn = fw::decode_lpn(spare, unit);
                if (lpn == fw::kNoLpn) {
                    continue;
                }
                ScannedUnit& scanned = found.at(lpn.value);
                if (sequence > scanned.sequence) {
                    scanned = ScannedUnit{sequence, {}};
                }
                if (sequence == scanned.sequence) {
                    scanned.places.push_back(layout.ppa(at, number * layout.units_per_page() + unit));
                }
            }
        }
    }
    return found;
}

/// The first difference between map and spare areas, or an empty text. `trimmed`: logical pages may have been
/// trimmed, which leaves no trace on flash.
inline std::string compare_with_scan(const platform::Ssd& ssd, bool trimmed) {
    const std::vector<ScannedUnit> found = scan(ssd);
    for (std::uint32_t lpn = 0; lpn < found.size(); ++lpn) {
        const fw::Ppa mapped = ssd.firmware().translation().locate(fw::Lpn{lpn});
        const std::vector<fw::Ppa>& places = found[lpn].places;
        if (places.size() <= 1 &&
            (mapped == fw::kUnmapped ? places.empty() || trimmed : places == std::vector{mapped})) {
            continue;
        }
        return fmt::format("LPN {}: the map says {}, but {} units carry it with its newest sequence {}", lpn,
                           mapped.value, places.size(), found[lpn].sequence);
    }
    return {};
}

}  // namespace solidtlm::testbench
