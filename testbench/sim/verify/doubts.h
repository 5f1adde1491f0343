// SPDX-License-Identifier: Apache-2.0
//
// The alternatives for a sector: what it may hold instead of the data of its last writer, what instead of
// that, and so on.
//
// Bounds. Alternatives that no sector and no outstanding command can reach are forgotten; collect() does this
// each time the amount has doubled. If only failing commands have written a sector, at most kMostFailures of
// them are told apart, and older content is not: the sector goes unchecked until a write to it succeeds. On a
// working drive, that many commands on one sector do not fail in a row without a command that succeeds, or a
// read after a power cut, in between.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "testbench/sim/verify/shadow_map.h"

namespace solidtlm::testbench {

enum class ReadVerdict : std::uint8_t { match, mismatch, unchecked };

/// States of adjacent sectors.
struct StateRange {
    std::uint64_t first = 0;
    std::vector<SectorState> states;

    /// Null: the sector is not in this range.
    [[nodiscard]] const SectorState* find(std::uint64_t lba) const {
        return lba >= first && lba - first < states.size() ? &states[lba - first] : nullptr;
    }
    template <class Archive>
    void serialize(Archive& archive);
};

class Doubts {
  public:
    static constexpr std::uint32_t kMostFailures = 128;
    static constexpr std::size_t kAtEase = std::size_t{1} << 16U;
    enum class Why : std::uint8_t {
        failed,  ///< the writer has failed
        lost,    ///< a power cut may have undone the writer's change
    };

    /// `at_ease`: number of states that may accumulate before unneeded ones are dropped.
    explicit Doubts(std::size_t at_ease = kAtEase) : at_ease_(at_ease), limit_(at_ease) {}

    /// The states before `writer` may still be there. `now`: number of the next command.
    void add(std::uint32_t writer, std::vector<StateRange> before, Why why, std::uint64_t now);
    /// `instead` was sent again, and may have been executed after `writer`, which was sent later.
    void add_overtaken(std::uint32_t writer, std::uint64_t lba, const SectorState& instead,
                       std::uint64_t now);
    /// Any content may be there instead of the data of `writer`.
    void add_anything(std::uint32_t writer) { anything_.insert(writer); }

    [[nodiscard]] bool empty() const { return entries_.empty(); }
    [[nodiscard]] bool about(std::uint32_t writer) const { return entries_.contains(writer); }
    /// Whether the sector, last written by `writer`, may hold `found`.
    [[nodiscard]] ReadVerdict judge(std::uint64_t lba, std::uint32_t writer, std::uint64_t found) const;

    [[nodiscard]] bool worth_collecting() const { return weight_ > limit_; }
    /// Forgets entries that neither a sector nor a writer in `held` can reach. Keeps all entries since
    /// command `oldest`, the oldest outstanding one, because outstanding commands may have seen their
    /// writers.
    void collect(const ShadowMap& shadow, std::span<const std::uint32_t> held, std::uint64_t oldest);
    /// Number of stored states.
    [[nodiscard]] std::size_t weight() const { return weight_; }

    /// Writes to or reads from a saved drive; `archive` is one of cereal's.
    template <class Archive>
    void serialize(Archive& archive);

  private:
    struct Entry {
        std::vector<StateRange> ranges;
        std::uint32_t failures = 0;  ///< most failures in a row on one sector
        std::uint64_t since = 0;     ///< number of the next command when the last range was added
    };

    [[nodiscard]] std::uint32_t failures_of(std::uint32_t writer) const;
    static void give_up(Entry& entry, std::uint64_t lba);
    [[nodiscard]] static bool left_somewhere(std::uint32_t writer, const Entry& entry,
                                             const ShadowMap& shadow);

    std::unordered_map<std::uint32_t, Entry> entries_;  ///< by writer
    std::unordered_set<std::uint32_t> anything_;        ///< writers whose data may be replaced by any content
    const std::size_t at_ease_;
    std::size_t weight_ = 0;
    std::size_t limit_;
};

}  // namespace solidtlm::testbench
