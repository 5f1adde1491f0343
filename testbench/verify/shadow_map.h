// SPDX-License-Identifier: Apache-2.0
//
// What the testbench knows about every sector of the device. Paged and allocated on first change: a device
// of any size costs memory (12 bytes a sector) only where it was written.
#pragma once

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
        if (page == nullptr) {
            return {};
        }
        const std::uint32_t tag = page->tags[lba % kPageSectors];
        return {page->identities[lba % kPageSectors], tag >> 2U, static_cast<SectorState::Kind>(tag & 3U)};
    }
    /// REQUIRES: lba < sectors().
    void set(std::uint64_t lba, const SectorState& state) {
        SOLIDTLM_CHECK(lba < sectors(), "a sector of the device");
        Page& page = make(lba);
        page.identities[lba % kPageSectors] = state.identity;
        page.tags[lba % kPageSectors] = state.writer << 2U | static_cast<std::uint32_t>(state.kind);
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

    std::uint64_t sectors_;
    std::vector<std::unique_ptr<Leaf>> leaves_;
    std::size_t allocated_pages_ = 0;
};

}  // namespace solidtlm::testbench
