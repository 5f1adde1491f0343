// SPDX-License-Identifier: Apache-2.0
//
// The firmware as a whole: the program that the core runs. Constructed with a fresh (factory-formatted)
// flash array; destroyed by a power cut, in any state.
// Order of a power cut: first power_cut() makes the hardware (core, host interface and flash) drop its
// outstanding requests; then the firmware may save() on the energy of its capacitor; then it is destroyed. No
// completion may be called after that.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fw/block_map/block_map_state.h"
#include "fw/buffer/write_buffer.h"
#include "fw/dedup/counters.h"
#include "fw/drive/config.h"
#include "fw/drive/dram_map.h"
#include "fw/drive/host_activity.h"
#include "fw/drive/services.h"
#include "fw/flash/backup_flash.h"
#include "fw/flash/word_line_flash.h"
#include "fw/hal/check.h"
#include "fw/hal/core.h"
#include "fw/hal/host.h"
#include "fw/hal/probe.h"
#include "fw/hal/state_archive.h"
#include "fw/host/dispatcher.h"
#include "fw/host/idle_flush.h"
#include "fw/parity/parity_flash.h"
#include "fw/runtime/alarms.h"
#include "fw/translation/translation.h"

namespace solidtlm::fw {

class MapCache;

/// The hardware that the firmware runs on.
struct Hardware {
    hal::Clock& clock;
    hal::Flash& flash;
    hal::Dram& dram;
    hal::Host& host;
    hal::Probe* probe = nullptr;      ///< null: nothing is recorded
    hal::PageStore* pages = nullptr;  ///< lives as long as the flash array; null only without a recovery log
    hal::Hash* hash = nullptr;        ///< null only without deduplication
    bool timeless = false;            ///< the core's work takes no time
};

/// The state in which the firmware finds the flash array.
enum class Boot : std::uint8_t {
    factory,  ///< every block is erased
    scan,     ///< anything that this firmware has written: scans the array to find out (fw/log)
    saved,    ///< the state that serialize() is about to load
    laid,     ///< the state that lay_down() is about to put there: every block is erased now
};

class Firmware : public hal::Program {
  public:
    /// `config` must be valid (platform/configuration checks it). REQUIRES: fits_on(); for Boot::scan,
    /// recoverable().
    Firmware(const FirmwareConfig& config, Hardware hardware, Boot boot = Boot::factory);
    ~Firmware() override;

    hal::Slice step() override { return executor_.step(); }
    void on_work(hal::Completion kick) override { executor_.on_work(kick); }

    /// Continues on other hardware with the same flash array and the same DRAM content. REQUIRES: at_rest().
    void move_to(Hardware hardware);
    /// No command, no flash operation, no data in the write buffer that could be written, no runnable
    /// coroutine and no alarm.
    [[nodiscard]] bool at_rest() const;
    /// Saves its state to a file, or loads it. It then continues as if it had never stopped, except that its
    /// counters start at 0, and that what the host had set (the write cache) has its power-on value: the host
    /// that finds it begins with a reset, which sets back the features of its interface, too. Loading throws
    /// hal::StateError. REQUIRES: may_be_saved(), or constructed with Boot::saved.
    void serialize(hal::StateArchive& archive);
    /// Takes over a used drive that `flash` describes, and puts it on flash; then the firmware is at rest
    /// there. REQUIRES: constructed with Boot::laid; !why_not_laid_down() (fw/page_map/lay_down.h).
    void lay_down(AgedFlash& flash, hal::FlashImage& image);
    /// At rest, and all data that the host has written is on flash.
    [[nodiscard]] bool may_be_saved() const { return at_rest() && unwritten_units() == 0; }
    /// Resets the counters of metrics(); metrics that show a state keep their values.
    void reset_counters();
    /// True if the firmware takes commands; false while Boot::scan examines the flash array.
    [[nodiscard]] bool ready() const { return ready_; }
    /// Called once, when the firmware becomes ready(), before the first command is fetched. May be null.
    void on_ready(hal::Completion call) { on_ready_ = call; }
    /// REQUIRES: ready(). Has steps only after Boot::scan.
    [[nodiscard]] const BootReport& boot_report() const {
        SOLIDTLM_CHECK(ready_, "the boot report is read after the boot");
        return boot_;
    }
    [[nodiscard]] bool recoverable() const { return translation_->recoverable(); }
    /// A power cut: the hardware has dropped its outstanding requests, and the firmware will be destroyed.
    /// Writes to flash what the capacitor's energy suffices for.
    void save(hal::EmergencyFlash& flash) {
        boot_.end(services_);  // power may be cut again in the middle of a step
        translation_->save(flash);
    }
    /// Units in the write buffer that are not on flash.
    [[nodiscard]] std::uint32_t unwritten_units() const { return buffer_.durability().unwritten(); }
    /// Free superblocks of all parallel units.
    [[nodiscard]] std::uint64_t free_superblocks() const { return translation_->free_superblocks(); }
    /// The counters of all parts, for results.
    [[nodiscard]] hal::Metrics metrics() const;
    [[nodiscard]] const Translation& translation() const { return *translation_; }
    /// None unless a block-mapped layer translates. For results.
    [[nodiscard]] std::optional<BlockMapState> block_map() const;
    /// None without deduplication. For results.
    [[nodiscard]] std::optional<DedupState> dedup() const;
    [[nodiscard]] const MediaLayout& layout() const { return layout_; }
    /// Where a page that layout() addresses really lies.
    [[nodiscard]] hal::FlashAddress physical(const hal::FlashAddress& page) const;
    [[nodiscard]] const HostActivity& activity() const { return activity_; }
    /// The health report for the host. Costs no time; for results.
    [[nodiscard]] hal::HealthReport health() const { return dispatcher_.health(); }
    /// Empty if all tables agree; see Translation::check().
    [[nodiscard]] std::string check() const { return ready_ ? translation_->check() : std::string(); }

    /// Describes which parts of the firmware wait for what, one per line. Costs no time; for a run that
    /// stalls.
    [[nodiscard]] std::vector<std::string> waits() const;

    /// True if the good blocks of `flash` are enough for the exported capacity.
    static bool fits_on(const FirmwareConfig& config, const hal::FactoryMarks& flash);
    /// DRAM bytes needed.
    static std::uint64_t dram_bytes(const FirmwareConfig& config);

  private:
    void start();
    Task<void> boot();
    /// Flash as the rest of the firmware sees it.
    [[nodiscard]] hal::Flash& seen(hal::Flash& flash) {
        FlashLayer* const on_top = layer();
        return on_top != nullptr ? *on_top : flash;
    }
    /// Null: none.
    [[nodiscard]] FlashLayer* layer() const {
        if (word_lines_) {
            return word_lines_.get();
        }
        if (backup_) {
            return backup_.get();
        }
        return parity_.get();
    }

    FirmwareConfig config_;
    Executor executor_;
    const std::unique_ptr<ParityFlash> parity_;        // null: none
    const std::unique_ptr<WordLineFlash> word_lines_;  // null: what is programmed at once, the flash can
    const std::unique_ptr<BackupFlash> backup_;        // null: lower pages are not copied
    Alarms alarms_;
    HostActivity activity_;
    MediaLayout layout_;
    Services services_;
    DramMap dram_map_;
    std::unique_ptr<DestageOrder> order_;
    WriteBuffer buffer_;
    std::unique_ptr<Translation> translation_;
    Dispatcher dispatcher_;
    IdleFlush idle_flush_;
    BootReport boot_;
    hal::Completion on_ready_;
    bool ready_ = false;
};

}  // namespace solidtlm::fw
