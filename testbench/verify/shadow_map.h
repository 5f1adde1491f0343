// SPDX-License-Identifier: Apache-2.0
//
// What the testbench knows about every sector of the device. Paged and allocated on first change: a device
// of any size costs memory (12 bytes a sector) only where it was written.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/types.h"

namespace solidtlm::testbench {

/// Knowledge about one sector.
struct SectorState {
    enum class Kind : std::uint8_t {
        known,     ///< reads as `identity`
        unseen,    ///< trimmed; the first read tells what it is, and that must stay
        pinned,    ///< trimmed; reads as `identity`, as a read has shown
        anything,  ///< trimmed; every read may return something else
    };
    static constexpr std::uint32_t kMaxWriter = (1U << 30U) - 1;
    static constexpr std::uint32_t kPreloadedTrim = 1;  ///< trimmed before the first command
    static constexpr std::uint32_t kFirstCommand = 2;
    [[nodiscard]] static constexpr std::uint32_t writer_of(std::uint64_t sequence) {
        return static_cast<std::uint32_t>(sequence % (kMaxWriter - 1)) + kFirstCommand;
    }

    std::uint64_t identity = 0;
    /// 0: never written, or only before the first command; kPreloadedTrim; or which command changed it last:
    /// writer_of() its sequence number.
    std::uint32_t writer = 0;
    Kind kind = Kind::known;

    /// To or from a saved drive; `archive` is one of cereal's.
    template <class Archive>
    void serialize(Archive& archive) {
        archive(identity, writer, kind);
    }
};

class ShadowMap {
  public:
    explicit ShadowMap(std::uint64_t sectors);

    [[nodiscard]] std::uint64_t sectors() const { return sectors_; }
    /// A sector never set is known to be zeros, never written.
    [[nodiscard]] SectorState get(std::uint64_t lba) const {
        const Page* page = find(lba);
        return page == nullptr ? SectorState{} : page->get(lba % kPageSectors);
    }
    /// REQUIRES: lba < sectors().
    void set(std::uint64_t lba, const SectorState& state) {
        SOLIDTLM_CHECK(lba < sectors(), "a sector of the device");
        make(lba).set(lba % kPageSectors, state);
    }
    /// use(i, state of sector lba + i) for `count` sectors, some of which may lie past the end.
    template <class Use>
    void each(std::uint64_t lba, std::uint32_t count, Use use) const {
        for (std::uint32_t i = 0; i < count;) {
            const Page* page = find(lba + i);
            for (const std::uint32_t end = end_of_run(lba, i, count); i < end; ++i) {
                use(i, page == nullptr ? SectorState{} : page->get((lba + i) % kPageSectors));
            }
        }
    }
    /// Likewise, and the sector becomes what `use` returns, unless it lies past the end.
    template <class Use>
    void change(std::uint64_t lba, std::uint32_t count, Use use) {
        for (std::uint32_t i = 0; i < count;) {
            Page* page = lba + i < sectors_ ? &make(lba + i) : nullptr;
            for (const std::uint32_t end = end_of_run(lba, i, count); i < end; ++i) {
                const std::uint64_t place = (lba + i) % kPageSectors;
                const SectorState state = use(i, page == nullptr ? SectorState{} : page->get(place));
                if (page != nullptr) {
                    page->set(place, state);
                }
            }
        }
    }
    /// The first sector from `lba` on, at most `end`, that has memory.
    [[nodiscard]] std::uint64_t next_allocated(std::uint64_t lba, std::uint64_t end) const;
    /// To or from a saved drive; `archive` is one of cereal's.
    template <class Archive>
    void serialize(Archive& archive);
    /// Pages in memory.
    [[nodiscard]] std::size_t allocated_pages() const { return allocated_pages_; }

    static constexpr std::uint64_t kPageSectors = 1024;

  private:
    static constexpr std::uint64_t kLeafPages = 1024;
    static constexpr std::uint64_t kLeafSectors = kLeafPages * kPageSectors;
    struct Page {
        std::array<std::uint64_t, kPageSectors> identities{};
        std::array<std::uint32_t, kPageSectors> tags{};

        [[nodiscard]] SectorState get(std::uint64_t place) const {
            return {identities[place], tags[place] >> 2U, static_cast<SectorState::Kind>(tags[place] & 3U)};
        }
        void set(std::uint64_t place, const SectorState& state) {
            identities[place] = state.identity;
            tags[place] = state.writer << 2U | static_cast<std::uint32_t>(state.kind);
        }
        template <class Archive>
        void serialize(Archive& archive) {
            archive(identities, tags);
        }
    };
    using Leaf = std::array<std::unique_ptr<Page>, kLeafPages>;

    [[nodiscard]] const Page* find(std::uint64_t lba) const {
        if (lba >= sectors_) {
            return nullptr;
        }
        const Leaf* leaf = leaves_[lba / kLeafSectors].get();
        return leaf == nullptr ? nullptr : (*leaf)[lba / kPageSectors % kLeafPages].get();
    }
    Page& make(std::uint64_t lba);
    /// Of `count` sectors from `lba` on: the end of those from `i` on that share a page, or lie past the end.
    [[nodiscard]] std::uint32_t end_of_run(std::uint64_t lba, std::uint32_t i, std::uint32_t count) const {
        const std::uint64_t at = lba + i;
        const std::uint64_t page_end = (at / kPageSectors + 1) * kPageSectors;
        const std::uint64_t end = at < sectors_ ? std::min(page_end, sectors_) : page_end;
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, i + (end - at)));
    }

    std::uint64_t sectors_;
    std::vector<std::unique_ptr<Leaf>> leaves_;
    std::size_t allocated_pages_ = 0;
};

}  // namespace solidtlm::testbench
