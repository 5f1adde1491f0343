// SPDX-License-Identifier: Apache-2.0
//
// Writes the buffered data superpage by superpage to the parallel units that allocation chooses. The map is
// updated when the program has ended. Until then reads are served from the write buffer and the old copy
// stays valid, so a power cut in between loses no data that was on media.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fw/flash/carry_out.h"
#include "fw/flash/program_op.h"
#include "fw/page_map/page_map.h"
#include "fw/page_map/page_reader.h"
#include "fw/translation/buffer_fill.h"

namespace solidtlm::fw {

struct DestageCounters {
    std::uint64_t written_units = 0;
    std::uint64_t padded_units = 0;
    std::uint64_t filled_units = 0;
    std::uint64_t program_failures = 0;
    std::uint64_t cached_units = 0;  ///< of written_units, those programmed in SLC mode
    std::uint64_t long_units = 0;    ///< of the others, those of writes that are too long for the SLC cache

    void tell(hal::Metrics& metrics, const SlcCacheConfig& cache) const;
};

class Destager : private MapListener {
  public:
    explicit Destager(PageMap& pages);

    void start() { pages_.services.executor.spawn(destage()); }
    /// No space is left beyond what the write buffer may need; until TRIM has freed some.
    [[nodiscard]] bool read_only() const { return read_only_; }
    [[nodiscard]] std::optional<Ps> read_only_since() const { return read_only_since_; }
    /// A TRIM has begun, which may empty superblocks: destaging waits for its end.
    void trim_begins() { ++trims_; }
    void trim_ends();
    [[nodiscard]] const DestageCounters& counters() const { return counters_; }
    void reset_counters() { counters_ = DestageCounters{}; }
    void serialize(hal::StateArchive& archive) { archive(next_list_, read_only_); }

  protected:
    /// A superpage that is being written.
    struct Batch {
        explicit Batch(PageMap& pages) : reader(pages), fill(pages.services, pages.buffer) {}
        std::vector<Slot> slots;
        std::vector<UnitWrite> units;
        std::vector<MapUpdate> updates;
        ProgramOp program;
        PageReader reader;
        BufferFill fill;
        Ledger ledger;
        Stream stream = Stream::host;
        bool sorted = false;  // already filled; the ledger has begun
        hal::Reason reason = hal::Reason::full;
    };
    /// The reason why no list was chosen.
    struct Demand {
        bool something_to_write = false;
        bool out_of_space = false;  // data could be written, but waits for garbage collection
    };

    virtual Task<void> destage();
    /// Reserved superpages that are not being programmed yet.
    [[nodiscard]] virtual std::uint32_t held() const { return 0; }
    /// The program of a sorted batch has ended.
    virtual Task<void> ended(Batch& /*batch*/) { co_return; }

    /// The first result of `room(list, reason)` among the dirty lists with something to write, from the next
    /// list in turn on; none if no list gets room.
    template <class Room>
    auto choose(Demand& demand, Room room) -> decltype(room(0U, hal::Reason::full)) {
        const std::uint32_t lists = pages_.buffer.dirty().lists();
        for (std::uint32_t i = 0; i < lists; ++i) {
            const std::uint32_t list = (next_list_ + i) % lists;
            const std::optional<hal::Reason> reason = ready(list);
            if (!reason) {
                continue;
            }
            demand.something_to_write = true;
            if (auto found = room(list, *reason); found) {
                next_list_ = (list + 1) % lists;
                pages_.buffer.set_space_blocked(false);
                pages_.buffer.set_stuck(false);
                return found;
            }
            const Allocator::Data data = data_of(list);
            demand.out_of_space |= goes_anywhere()
                                       ? pages_.allocator.out_of_space(data)
                                       : pages_.allocator.out_of_space(order_.home_of(list), data);
        }
        return {};
    }
    /// WriteBuffer::reason_for_part().
    [[nodiscard]] std::optional<hal::Reason> reason_for_part() const;
    std::optional<Allocator::Reservation> reserve(std::uint32_t list, bool small = false);
    /// Nothing can be written now. True if it is worth looking again at once, else when the buffer's signal
    /// says so.
    [[nodiscard]] bool look_again(Demand demand);
    Batch& take_batch();
    void give_back(Batch& batch) { free_batches_.push_back(&batch); }
    /// Reads the parts of the units that the host has not written.
    [[nodiscard]] Task<void> fill(Batch& batch, Ledger* ledger);
    /// The part of the unit that the host has not written cannot be read.
    void fail(Slot slot);
    [[nodiscard]] bool awaited(const Batch& batch) const;
    /// In the background.
    void write(Batch& batch, Allocator::Reservation reservation);

    PageMap& pages_;

  private:
    [[nodiscard]] std::optional<hal::Reason> ready(std::uint32_t list) const;
    /// The data of a list may be written to any parallel unit.
    [[nodiscard]] bool goes_anywhere() const {
        return pages_.services.config.allocation.mode == AllocationMode::dynamic || read_only_;
    }
    [[nodiscard]] Allocator::Data data_of(std::uint32_t list) const {
        return order_.past_cache(list) ? Allocator::Data::past : Allocator::Data::usual;
    }
    /// The list has enough for any superpage.
    [[nodiscard]] bool fills_any(std::uint32_t list) const;
    /// Allocator::small_room() for the data of a list, if they go to the SLC cache.
    [[nodiscard]] bool small_room(std::uint32_t list) const;
    void write_again_if_possible();
    void set_read_only(bool read_only);
    Task<void> run(Batch& batch, Allocator::Reservation reservation);
    /// Tells the probe that the batch goes to `at`.
    void tell(const Batch& batch, const SuperpageAddress& at) const;
    void prepare(Batch& batch, SuperpageAddress at, Ledger* ledger);
    [[nodiscard]] Task<void> map_batch(Batch& batch, SuperpageAddress at, Ledger* ledger, Charge& charge);
    void finish(Batch& batch, bool ok, Ledger* ledger);
    [[nodiscard]] bool wanted(const MapUpdate& update) const override;
    void applied(std::span<const MapUpdate> updates, Charge& charge) override;

    const PageMapOrder order_;
    std::vector<std::unique_ptr<Batch>> batches_;
    std::vector<Batch*> free_batches_;
    std::uint32_t next_list_ = 0;
    bool read_only_ = false;
    std::optional<Ps> read_only_since_;
    std::uint32_t trims_ = 0;    // under way
    bool trim_awaited_ = false;  // destaging waits for one to end
    DestageCounters counters_;
};

}  // namespace solidtlm::fw
