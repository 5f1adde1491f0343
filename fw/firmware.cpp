// SPDX-License-Identifier: Apache-2.0
#include "fw/firmware.h"

#include "fw/block_map/block_map.h"
#include "fw/buffer/needs.h"
#include "fw/dedup/dedup.h"
#include "fw/flash/needs.h"
#include "fw/hal/check.h"
#include "fw/needs.h"
#include "fw/page_map/page_recovery.h"

namespace solidtlm::fw {
namespace {

std::unique_ptr<DestageOrder> make_order(const FirmwareConfig& config, const MediaLayout& layout) {
    if (!config.by_block()) {
        return std::make_unique<PageMapOrder>(config, layout);
    }
    return std::make_unique<BlockMapOrder>();
}

std::unique_ptr<Translation> make_translation(Services& services, const DramMap& dram_map,
                                              WriteBuffer& buffer) {
    if (!services.config.by_block()) {
        return std::make_unique<PageMap>(services, dram_map, buffer,
                                         services.config.dedup.any() ? Dedup::make : nullptr);
    }
    return std::make_unique<BlockMap>(services, dram_map, buffer);
}

std::unique_ptr<ParityFlash> make_parity(const FirmwareConfig& config, Executor& executor,
                                         hal::Flash& flash) {
    return config.reliability.parity() ? std::make_unique<ParityFlash>(config, executor, flash) : nullptr;
}

std::unique_ptr<WordLineFlash> make_word_lines(const FirmwareConfig& config, Executor& executor,
                                               hal::Flash& flash) {
    SOLIDTLM_CHECK(!config.flash.page_by_page || !config.reliability.parity(),
                   "word lines of several pages have no parity over dies");
    return config.flash.page_by_page ? std::make_unique<WordLineFlash>(config, executor, flash) : nullptr;
}

std::unique_ptr<BackupFlash> make_backup(const FirmwareConfig& config, Executor& executor,
                                         hal::Flash& flash) {
    return config.flash.copies_lower_pages() ? std::make_unique<BackupFlash>(config, executor, flash)
                                             : nullptr;
}

}  // namespace

Firmware::Firmware(const FirmwareConfig& config, Hardware hardware, Boot how)
    : config_(config),
      executor_(hardware.clock, hardware.timeless),
      parity_(make_parity(config_, executor_, hardware.flash)),
      word_lines_(make_word_lines(config_, executor_, hardware.flash)),
      backup_(make_backup(config_, executor_, hardware.flash)),
      alarms_(executor_, hardware.clock),
      activity_(executor_, alarms_, config_.idle_threshold),
      layout_(media_layout(config_, seen(hardware.flash))),
      services_{config_,        executor_,      &seen(hardware.flash), &hardware.dram, layout_,
                hardware.probe, hardware.pages, hardware.hash,         &activity_,     &alarms_,
                nullptr,        nullptr,        backup_.get()},
      dram_map_(dram_map(config_, layout_)),
      order_(make_order(config_, layout_)),
      buffer_(services_, dram_map_[kWriteBuffer], *order_),
      translation_(make_translation(services_, dram_map_, buffer_)),
      dispatcher_(services_, hardware.host, dram_map_, buffer_, *translation_,
                  spare_superblocks(config_, layout_)),
      idle_flush_(services_, alarms_, buffer_) {
    executor_.allow(most_tasks(config_, layout_));
    if (backup_) {
        backup_->attach(services_, dram_map_[kBackupBuffers]);
    }
    SOLIDTLM_CHECK(layout_.exported_units() <= max_exported_units(config_, layout_.good_superblocks()),
                   "the good blocks are enough for the exported capacity");
    SOLIDTLM_CHECK(how != Boot::scan || recoverable(), "there is a way back after a loss of power");
    if (how == Boot::scan) {
        executor_.spawn(boot());
    } else if (how == Boot::factory) {
        start();
    }
}

void Firmware::start() {
    ready_ = true;
    translation_->start();
    idle_flush_.start();
    dispatcher_.start();
}

Task<void> Firmware::boot() {
    dispatcher_.power_came_back();
    if (backup_) {
        boot_.begin_step(services_, boot_step::kBackup);
        co_await backup_->recover();
        boot_.found(boot_count::kSuperpages, backup_->counters().searched);
        boot_.found(boot_count::kRestored, backup_->counters().restored);
    }
    co_await translation_->recover(boot_);
    boot_.end(services_);
    ready_ = true;
    services_.decided({.deed = hal::Deed::ready, .reason = hal::Reason::power_on});
    if (on_ready_) {
        on_ready_();
    }
    start();
}

Firmware::~Firmware() {
    executor_.shut_down();
}

void Firmware::move_to(Hardware hardware) {
    SOLIDTLM_CHECK(at_rest(), "firmware moves to other hardware only at rest");
    executor_.move_to(hardware.clock, hardware.timeless);
    if (FlashLayer* const on_top = layer()) {
        on_top->move_to(hardware.flash);
    }
    services_.flash = &seen(hardware.flash);
    services_.dram = &hardware.dram;
    services_.hash = hardware.hash;
    services_.probe = hardware.probe;
    translation_->probe_changed();
    alarms_.move_to(hardware.clock);
    dispatcher_.move_to(hardware.host);
}

void Firmware::serialize(hal::StateArchive& archive) {
    SOLIDTLM_CHECK(archive.loading() ? !ready_ : may_be_saved(),
                   "firmware is saved at rest, and loaded once");
    archive(activity_, buffer_, *translation_, dispatcher_);
    if (backup_) {
        archive(*backup_);
    }
    if (archive.loading()) {
        start();
    }
}

void Firmware::lay_down(AgedFlash& flash, hal::FlashImage& image) {
    SOLIDTLM_CHECK(!ready_, "a drive is laid down once, before it starts");
    translation_->lay_down(flash, image);
    start();
}

bool Firmware::at_rest() const {
    return ready_ && executor_.idle() && !alarms_.has_waiters() && dispatcher_.at_rest() &&
           (buffer_.durability().unwritten() == 0 || buffer_.durability().stuck()) &&
           translation_->at_rest() && (!backup_ || backup_->at_rest());
}

void Firmware::reset_counters() {
    dispatcher_.reset_counters();
    translation_->reset_counters();
    if (parity_) {
        parity_->reset_counters();
    }
    if (backup_) {
        backup_->reset_counters();
    }
}

hal::Metrics Firmware::metrics() const {
    hal::Metrics all;
    translation_->tell(all);
    dispatcher_.tell(all);
    if (parity_) {
        parity_->tell(all);
    }
    if (backup_) {
        backup_->tell(all);
    }
    all.state("host.unwritten_units", "units", "in the write buffer and not on flash",
              buffer_.durability().unwritten());
    return all;
}

hal::FlashAddress Firmware::physical(const hal::FlashAddress& page) const {
    if (backup_) {
        return backup_->place_of(page);
    }
    return parity_ ? parity_->place_of(page) : page;
}

std::optional<BlockMapState> Firmware::block_map() const {
    const auto* layer = dynamic_cast<const BlockMap*>(translation_.get());
    return layer == nullptr ? std::nullopt : std::optional(layer->state());
}

std::optional<DedupState> Firmware::dedup() const {
    const auto* layer = dynamic_cast<const PageMap*>(translation_.get());
    const auto* dedup = layer == nullptr ? nullptr : dynamic_cast<const Dedup*>(layer->indirection.get());
    return dedup == nullptr ? std::nullopt : std::optional(dedup->state());
}

std::vector<std::string> Firmware::waits() const {
    std::vector<std::string> lines{std::string("core: ") +
                                   (executor_.idle() ? "idle, no coroutine is ready" : "has work") +
                                   (alarms_.has_waiters() ? ", an alarm is set" : "")};
    if (!ready_) {
        lines.emplace_back("boot: the state on flash is being searched for");
    }
    for (const std::string& wait : executor_.waits()) {
        lines.push_back("coroutine: " + wait);
    }
    for (const std::vector<std::string>& part :
         {dispatcher_.waits(), buffer_.waits(), translation_->waits()}) {
        lines.insert(lines.end(), part.begin(), part.end());
    }
    return lines;
}

bool Firmware::fits_on(const FirmwareConfig& config, const hal::FactoryMarks& flash) {
    const std::optional<DieGroup> group =
        config.reliability.parity() ? std::optional<DieGroup>(config) : std::nullopt;
    const MediaLayout layout =
        group ? media_layout(config, GroupMarks(*group, flash)) : media_layout(config, flash);
    return layout.exported_units() <= max_exported_units(config, layout.good_superblocks());
}

std::uint64_t Firmware::dram_bytes(const FirmwareConfig& config) {
    return dram_map(config, media_layout(config)).end();
}

}  // namespace solidtlm::fw
