// SPDX-License-Identifier: Apache-2.0
//
// Takes accepted commands from the device and carries them out: splits them into mapping units, keeps
// overlapping commands in order, moves data between host, write buffer and flash, and completes the commands.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "fw/buffer/hazards.h"
#include "fw/buffer/write_buffer.h"
#include "fw/drive/dram_map.h"
#include "fw/drive/services.h"
#include "fw/hal/host.h"
#include "fw/hal/state_archive.h"
#include "fw/host/health_log.h"
#include "fw/host/marked_sectors.h"
#include "fw/read_cache/read_cache.h"
#include "fw/translation/translation.h"

namespace solidtlm::fw {

struct HostCounters {
    std::uint64_t commands = 0;
    std::uint64_t read_units = 0;
    std::uint64_t read_buffer_hits = 0;  ///< units found, at least in part, in the write buffer
    std::uint64_t read_unwritten = 0;    ///< units without data on flash or in the buffer: no flash operation
    std::uint64_t trimmed_units = 0;     ///< whole units unmapped
    std::uint64_t trimmed_partial_units = 0;
    std::uint64_t aborted_transfers = 0;

    void tell(hal::Metrics& metrics) const;
};

class Dispatcher {
  public:
    /// `spare_superblocks`: see HealthLog.
    Dispatcher(Services& services, hal::Host& host, const DramMap& dram_map, WriteBuffer& buffer,
               Translation& translation, std::uint32_t spare_superblocks);
    ~Dispatcher();

    void start();
    /// Called before start(): power was lost, and with it the counts for SMART data.
    void power_came_back() { health_.power_came_back(); }
    [[nodiscard]] hal::HealthReport health() const { return health_.report(); }
    /// Takes commands from `host` from now on. REQUIRES: at_rest().
    void move_to(hal::Host& host);
    /// No command is being carried out.
    [[nodiscard]] bool at_rest() const {
        return free_contexts_.size() == contexts_.size() && (!read_cache_ || read_cache_->at_rest());
    }
    void tell(hal::Metrics& metrics) const;
    /// Describes the commands that are carried out and those that wait for earlier ones. For reports.
    [[nodiscard]] std::vector<std::string> waits() const;
    void reset_counters();

    void serialize(hal::StateArchive& archive);

  private:
    struct Context;
    struct Segment;

    Task<void> fetch_loop();
    Task<void> run(Context& context);
    void claim(Context& context);

    Task<hal::HostStatus> read(Context& context);
    std::uint64_t prepare_read(Context& context, Segment& segment, std::uint32_t first,
                               std::uint32_t sectors);
    void take_buffered(Segment& segment, const LogicalRead& unit);
    void take_cached(Segment& segment, LogicalRead rest);
    /// True if the read may be served from the read cache. With FUA it comes from flash (ACS-3, READ FPDMA
    /// QUEUED).
    [[nodiscard]] bool looks_ahead(const hal::HostCommand& command) const {
        return read_cache_ != nullptr && !command.fua;
    }
    void unpin(Segment& segment);
    [[nodiscard]] Charge forget_cached(std::uint64_t first_unit, std::uint64_t units);

    Task<hal::HostStatus> write(Context& context, Charge& charge);
    void receive(Segment& segment, std::uint64_t lba, std::uint32_t sectors);
    [[nodiscard]] Charge commit(Context& context, Segment& segment, std::uint64_t first_lba,
                                std::uint32_t sectors);

    Task<hal::HostStatus> verify(Context& context);
    Task<hal::HostStatus> trim(Context& context);
    Task<hal::HostStatus> write_uncorrectable(Context& context);
    Task<hal::HostStatus> report_health(Context& context);
    [[nodiscard]] Charge charge_marks(std::uint64_t units);
    Task<void> trim_units(std::uint64_t first_unit, std::uint64_t units, Ledger* ledger);
    Task<bool> persist_trims(Ledger* ledger);
    Task<bool> trim_partial(std::uint64_t lba, std::uint32_t sectors, Ledger* ledger);

    [[nodiscard]] Semaphore::Awaiter acquire_slots(std::uint32_t count, Ledger* ledger);
    std::uint32_t cut_before_error(const hal::HostCommand& command, Segment& segment,
                                   std::uint32_t first) const;
    void begin_transfer(Context& context, Segment& segment, std::uint32_t first, std::uint32_t sectors,
                        bool marks_parent);
    [[nodiscard]] std::uint32_t segment_end(const hal::HostCommand& command, std::uint32_t first,
                                            std::uint32_t segment_bytes) const;
    Context& take_context();
    void free_context(Context& context);

    Services& services_;
    hal::Host* host_;  // another one after move_to()
    const DramMap& dram_map_;
    WriteBuffer& buffer_;
    Translation& translation_;
    Hazards hazards_;
    MarkedSectors marked_;
    HealthLog health_;
    const std::unique_ptr<ReadCache> read_cache_;  // null: the drive does not read ahead
    Signal arrival_;
    Signal context_freed_;
    std::vector<std::unique_ptr<Context>> contexts_;
    std::vector<Context*> free_contexts_;
    bool write_back_;
    HostCounters counters_;
};

}  // namespace solidtlm::fw
