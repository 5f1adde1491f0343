// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/power_cycler.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "fw/hal/check.h"
#include "fw/hal/horizon.h"
#include "fw/hal/xor_onto.h"
#include "fw/log/recovery_log.h"
#include "fw/map_cache/cached_map.h"
#include "fw/page_map/page_recovery.h"
#include "hw/tlm/time.h"
#include "platform/units.h"
#include "testbench/sim/cell_mode.h"

namespace solidtlm::testbench {
namespace {

Json us(Ps time) {
    return static_cast<double>(time.count()) / 1e6;
}

/// "1ms, 2ms, 3ms, ... (7 in all)".
std::string instants(std::span<const Ps> list) {
    constexpr std::size_t kMost = 3;
    std::string text;
    for (const Ps at : list.first(std::min(list.size(), kMost))) {
        text += (text.empty() ? "" : ", ") + platform::format_duration(at);
    }
    return list.size() > kMost ? fmt::format("{}, ... ({} in all)", text, list.size()) : text;
}

}  // namespace

Json power_section(const PowerReport& report, std::uint64_t audited_sectors) {
    const auto count = [&report](std::string_view what) { return report.boots.count(what); };
    return {{"cuts", report.cuts},
            {"interrupted_boots", report.interrupted_boots},
            {"lost_commands", report.lost_commands},
            {"boots", report.boots.boots()},
            {"boot_us", report.boots.boot_us()},
            {"boot_steps", report.boots.steps()},
            {"scan_us", report.boots.step_us(fw::boot_step::kScan)},
            {"scanned_superpages", count(fw::boot_count::kSuperpages) + count(fw::boot_count::kMapBlocks)},
            {"torn_superpages", count(fw::boot_count::kTorn)},
            {"erased_superblocks", count(fw::boot_count::kErased)},
            {"translation_pages", count(fw::boot_count::kTranslationPages)},
            {"log_pages", count(fw::boot_count::kLogPages)},
            {"capacitor_pages", report.capacitor_pages},
            {"capacitor_us", us(report.longest_capacitor)},
            {"audited_sectors", audited_sectors}};
}

PowerCycler::PowerCycler(const sc_core::sc_module_name& name, const PowerCuts& cuts, const Drive& drive)
    : AgendaModule(name, &drive.ssd.agenda()), cuts_(cuts), drive_(drive) {}

/// Of several, the earliest one happens; the others are looked at again when the drive is back.
void PowerCycler::cut_at(Ps at, Place place) {
    SOLIDTLM_CHECK(at >= hw::now() && drive_.ssd.powered(), "a cut is to come, of a drive that has power");
    if (at >= switch_.at()) {
        return;
    }
    if (place == Place::first) {
        switch_.arm_first(at);
    } else {
        switch_.arm(at);
    }
}

void PowerCycler::plan_cut_at() {
    const Ps now = hw::now();
    for (; next_ < cuts_.at.size() && cuts_.at[next_] <= now; ++next_) {
        without_power_.push_back(cuts_.at[next_]);
    }
    if (next_ < cuts_.at.size()) {
        cut_at(cuts_.at[next_]);
    }
}

void PowerCycler::plan_cut_every() {
    if (cuts_.every == Ps{0}) {
        return;
    }
    cut_every_ = hal::instant_after(hw::now(), cuts_.every);
    if (cut_every_ <= hal::kHorizon) {
        cut_at(cut_every_);
    }
}

void PowerCycler::start_of_simulation() {
    plan_cut_at();
    plan_cut_every();
}

void PowerCycler::switch_power() {
    if (drive_.host.finished()) {
        return;
    }
    if (drive_.ssd.powered()) {
        cut();
        const Ps on = hal::instant_after(hw::now(), cuts_.off);
        beyond_horizon_ = on > hal::kHorizon;
        if (in_vain() || beyond_horizon_) {
            drive_.ssd.agenda().pause();
        } else {
            switch_.arm(on);
        }
        return;
    }
    drive_.ssd.power_on(when_ready());
    plan_cut_at();
}

CutInstant PowerCycler::instant() const {
    if (!drive_.ssd.firmware().ready()) {
        return cut_while_booting_ ? CutInstant::booting_again : CutInstant::booting;
    }
    if (!drive_.host.ready()) {
        return CutInstant::host_start;
    }
    if (drive_.host.recovering()) {
        return CutInstant::error_recovery;
    }
    return drive_.host.outstanding() > 0 ? CutInstant::running : CutInstant::idle;
}

void PowerCycler::count_starts_in_vain() {
    const std::uint64_t commands = drive_.host.statistics().commands;
    const bool sent = commands != std::exchange(sent_, commands);
    const bool in_vain = !sent && (!drive_.host.ready() || drive_.host.holds_back());
    starts_in_vain_ = hw::now() == cut_every_ && in_vain ? starts_in_vain_ + 1 : 0;
}

void PowerCycler::cut() {
    drive_.host.settle();
    const CutInstant instant = this->instant();
    for (PowerListener* listener : listeners_) {
        listener->power_cut(instant);
    }
    cut_while_booting_ = instant >= CutInstant::booting;
    count_starts_in_vain();
    ++report_.cuts;
    next_ += next_ < cuts_.at.size() && cuts_.at[next_] == hw::now() ? 1 : 0;
    report_.interrupted_boots += cut_while_booting_ ? 1 : 0;
    const std::uint64_t failed = drive_.host.statistics().failed;
    drive_.host.power_cut();
    report_.lost_commands += drive_.host.statistics().failed - failed;
    drive_.verifier.power_cut();
    past_.add_past(drive_.ssd.firmware().metrics());
    const hw::CapacitorUse capacitor = drive_.ssd.power_cut();
    report_.capacitor_pages += capacitor.pages;
    report_.longest_capacitor = std::max(report_.longest_capacitor, capacitor.time);
    off_();
}

void PowerCycler::stop() {
    switch_.disarm();
    ended_at_ = hw::now();
}

std::vector<std::string> PowerCycler::warnings() const {
    std::vector<std::string> warnings;
    if (!ended_at_) {
        return warnings;
    }
    const double end_s = static_cast<double>(ended_at_->count()) / hal::kPsPerSecond;
    if (const auto left = std::span(cuts_.at).subspan(next_); !left.empty()) {
        warnings.push_back(fmt::format("no power cut at {}: the run ended at {:.6f} s of simulated time",
                                       instants(left), end_s));
    }
    if (!without_power_.empty()) {
        warnings.push_back(fmt::format("no power cut at {}: the drive had no power then, after another cut",
                                       instants(without_power_)));
    }
    if (cuts_.every > Ps{0} && report_.cuts == 0) {
        warnings.push_back(
            fmt::format("no power cut: the run ended at {:.6f} s of simulated time, before the drive had "
                        "been ready for {}",
                        end_s, platform::format_duration(cuts_.every)));
    }
    return warnings;
}

void PowerCycler::ready() {
    report_.boots.add(drive_.ssd.firmware().boot_report());
    audit();
    plan_cut_every();
}

/// What a read of a page on flash returns. A torn page in a complete stripe is rebuilt from the other pages
/// of the stripe (firmware.reliability.parity_dies).
void PowerCycler::peek(const hal::FlashAddress& page, std::uint32_t column_bytes,
                       std::span<std::byte> content) const {
    const auto array_of = [this](const hal::FlashAddress& at) -> const hw::NandArray& {
        return drive_.ssd.channel(at.channel.value).array(at.die);
    };
    const std::uint32_t dies = drive_.ssd.configuration().firmware.reliability.parity_dies;
    if (dies == 0 || !array_of(page).torn(page)) {
        array_of(page).peek(page, column_bytes, content);
        return;
    }
    std::vector<std::byte> other(content.size());
    std::ranges::fill(content, std::byte{0});
    hal::FlashAddress at = page;
    const std::uint32_t first = page.channel.value / dies * dies;
    for (std::uint32_t channel = first; channel < first + dies; ++channel) {
        at.channel = hal::Channel{static_cast<std::uint16_t>(channel)};
        if (at.channel != page.channel) {
            array_of(at).peek(at, column_bytes, other);
            hal::xor_onto(content.data(), other.data(), other.size());
        }
    }
}

void PowerCycler::audit() {
    if (drive_.ssd.firmware().translation().lost()) {
        return;  // every read reports it
    }
    const fw::MediaLayout& layout = drive_.ssd.firmware().layout();
    const std::uint32_t per_unit = layout.sectors_per_unit();
    const std::uint64_t sectors = drive_.ssd.configuration().firmware.exported_sectors;
    const std::size_t stride = hal::content_stride(drive_.ssd.configuration().content);
    std::vector<std::byte> content;
    for (std::uint64_t lba = drive_.verifier.next_known(0, sectors); stride != 0 && lba < sectors;
         lba = drive_.verifier.next_known(lba, sectors)) {
        const fw::Lpn lpn{static_cast<std::uint32_t>(lba / per_unit)};
        lba = std::uint64_t{lpn.value} * per_unit;
        const std::uint64_t count = std::min<std::uint64_t>(per_unit, sectors - lba);
        content.assign(count * stride, std::byte{0});
        if (const fw::Ppa place = drive_.ssd.firmware().translation().locate(lpn); place != fw::kUnmapped) {
            const std::uint32_t slot = layout.slot_of(place);
            const fw::SuperpageAddress at = layout.superpage_of(place);
            const hal::FlashAddress page = drive_.ssd.firmware().physical(
                layout.address(at, layout.page_of(slot), in_slc_mode(drive_.ssd, at)));
            peek(page, layout.unit_in_page(slot) * layout.unit_bytes(), content);
        }
        drive_.verifier.audit(hal::Lba{lba}, content);
        lba += count;
    }
}

}  // namespace solidtlm::testbench
