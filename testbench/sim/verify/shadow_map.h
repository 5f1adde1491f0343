// SPDX-License-Identifier: Apache-2.0
//
// What the testbench knows about every sector of the device. A device of any size costs memory only where it
// was written: 16 bytes for eight sectors that one command wrote with consecutive identities
// (hw/tlm/tag_run.h), 112 bytes otherwise.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/types.h"
#include "fw/hal/zeroed_memory.h"
#include "hw/tlm/tag_run.h"

namespace solidtlm::testbench {

/// Knowledge about one sector.
struct SectorState {
    enum class Kind : std::uint8_t {
        known,     ///< reads as `identity`
        unseen,    ///< trimmed; the first read decides what later reads must return
        pinned,    ///< trimmed; a read has shown that it reads as `identity`
        anything,  ///< trimmed; every read may return different data
    };
    static constexpr std::uint32_t kMaxWriter = (1U << 30U) - 1;
    static constexpr std::uint32_t kPreloadedTrim = 1;  ///< trimmed before the first command
    static constexpr std::uint32_t kFirstCommand = 2;
    [[nodiscard]] static constexpr std::uint32_t writer_of(std::uint64_t sequence) {
        return static_cast<std::uint32_t>(sequence % (kMaxWriter - 1)) + kFirstCommand;
    }

    std::uint64_t identity = 0;
    /// 0: never written, or only before the first command; kPreloadedTrim; otherwise the number of the last
    /// command that changed it, as writer_of() its sequence number.
    std::uint32_t writer = 0;
    Kind kind = Kind::known;

    /// Writes to or reads from a saved drive; `archive` is one of cereal's.
    template <class Archive>
    void serialize(Archive& archive) {
        archive(identity, writer, kind);
    }
};

class ShadowMap {
  public:
    explicit ShadowMap(std::uint64_t sectors);

    [[nodiscard]] std::uint64_t sectors() const { return sectors_; }
    /// A sector that was never set is known to hold zeros and to be unwritten.
    [[nodiscard]] SectorState get(std::uint64_t lba) const {
        if (lba >= sectors_) {
            return {};
        }
        const Entry& entry = entries_[lba / hw::kRunSectors];
        const std::size_t sector = lba % hw::kRunSectors;
        return entry.other != 0 ? others_[entry.other - 1].get(sector)
                                : Run::state(hw::tag_in_run(entry.first, sector), entry.tag);
    }
    /// REQUIRES: lba < sectors().
    void set(std::uint64_t lba, const SectorState& state) {
        SOLIDTLM_CHECK(lba < sectors(), "a sector of the device");
        change(lba, 1, [&state](std::uint32_t, const SectorState&) { return state; });
    }
    /// Calls use(i, state of sector lba + i) for `count` sectors; the range may extend past the end of the
    /// device.
    template <class Use>
    void each(std::uint64_t lba, std::uint32_t count, Use use) const {
        for (std::uint32_t i = 0; i < count; ++i) {
            use(i, get(lba + i));
        }
    }
    /// As above, and stores the state that `use` returns, except past the end.
    template <class Use>
    void change(std::uint64_t lba, std::uint32_t count, Use use) {
        std::uint32_t i = 0;
        while (i < count && lba + i < sectors_) {
            const std::uint64_t at = lba + i;
            const std::uint64_t run_end =
                std::min(at / hw::kRunSectors * hw::kRunSectors + hw::kRunSectors, sectors_);
            Run run = load(at / hw::kRunSectors);
            for (; i < count && lba + i < run_end; ++i) {
                const std::size_t sector = (lba + i) % hw::kRunSectors;
                run.set(sector, use(i, run.get(sector)));
            }
            put(at / hw::kRunSectors, run);
        }
        for (; i < count; ++i) {
            use(i, SectorState{});
        }
    }
    /// The kRunSectors sectors from `lba` on get consecutive identities. REQUIRES: they are a run of the
    /// device.
    void set_run(std::uint64_t lba, std::uint64_t first_identity, std::uint32_t writer) {
        SOLIDTLM_CHECK(lba % hw::kRunSectors == 0 && lba + hw::kRunSectors <= sectors_, "sectors of one run");
        put_alike(lba / hw::kRunSectors, first_identity, Run::tag_of(writer, SectorState::Kind::known));
    }
    /// Prefetches the entry of `lba`, which will change soon. Affects the model's speed only.
    void prefetch(std::uint64_t lba) const { entries_.prefetch(std::min(lba, sectors_) / hw::kRunSectors); }
    /// The first sector from `lba` on that may have been changed, or `end`. A change of one sector marks its
    /// whole page of kPageSectors.
    [[nodiscard]] std::uint64_t next_changed(std::uint64_t lba, std::uint64_t end) const;
    /// Writes to or reads from a saved drive; `archive` is one of cereal's. REQUIRES: nothing is known before
    /// loading.
    template <class Archive>
    void serialize(Archive& archive);
    /// Number of pages of kPageSectors that may have been changed.
    [[nodiscard]] std::size_t changed_pages() const;

    static constexpr std::uint64_t kPageSectors = 1024;

  private:
    /// The states of eight adjacent sectors.
    struct Run {
        hw::RunTags identities{};
        std::array<std::uint32_t, hw::kRunSectors> tags{};  ///< writer and kind of each sector

        [[nodiscard]] SectorState get(std::size_t sector) const {
            return state(identities[sector], tags[sector]);
        }
        void set(std::size_t sector, const SectorState& state) {
            identities[sector] = state.identity;
            tags[sector] = tag_of(state.writer, state.kind);
        }
        [[nodiscard]] static std::uint32_t tag_of(std::uint32_t writer, SectorState::Kind kind) {
            return writer << 2U | static_cast<std::uint32_t>(kind);
        }
        [[nodiscard]] static SectorState state(std::uint64_t identity, std::uint32_t tag) {
            return {identity, tag >> 2U, static_cast<SectorState::Kind>(tag & 3U)};
        }
        template <class Archive>
        void serialize(Archive& archive) {
            archive(identities, tags);
        }
    };
    struct Entry {
        std::uint64_t first;  ///< identity of the first sector
        std::uint32_t tag;    ///< writer and kind of all eight sectors
        std::uint32_t other;  ///< index into others_, from 1; 0: `first` and `tag` describe the whole run
    };
    static constexpr std::uint64_t kPageRuns = kPageSectors / hw::kRunSectors;
    static constexpr std::uint64_t kWordPages = 64;

    [[nodiscard]] Run load(std::uint64_t run) const {
        const Entry& entry = entries_[run];
        if (entry.other != 0) {
            return others_[entry.other - 1];
        }
        Run alike{hw::expand_run(entry.first), {}};
        alike.tags.fill(entry.tag);
        return alike;
    }
    void put(std::uint64_t run, const Run& known);
    void put_alike(std::uint64_t run, std::uint64_t first, std::uint32_t tag) {
        mark_changed(run);
        Entry& entry = entries_[run];
        if (entry.other != 0) {
            unused_.push_back(entry.other);
        }
        entry = Entry{first, tag, 0};
    }
    void mark_changed(std::uint64_t run) {
        const std::uint64_t page = run / kPageRuns;
        changed_[page / kWordPages] |= std::uint64_t{1} << page % kWordPages;
    }
    [[nodiscard]] bool page_changed(std::uint64_t page) const {
        return (changed_[page / kWordPages] >> page % kWordPages & 1U) != 0;
    }

    std::uint64_t sectors_;
    hal::ZeroedMemory<Entry> entries_;    ///< one entry per run
    std::vector<std::uint64_t> changed_;  ///< one bit per page
    std::deque<Run> others_;
    std::vector<std::uint32_t> unused_;  ///< free indices of others_, from 1
};

}  // namespace solidtlm::testbench
