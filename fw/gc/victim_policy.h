// SPDX-License-Identifier: Apache-2.0
//
// Which superblock garbage collection empties next. One policy a file.
#pragma once

#include <memory>
#include <optional>

#include "fw/drive/config.h"
#include "fw/media/superblock_table.h"

namespace solidtlm::fw {

class VictimPolicy {
  public:
    virtual ~VictimPolicy() = default;
    /// A victim among the candidates of `pu`, or none.
    virtual std::optional<Superblock> select(const SuperblockTable& table, Pu pu) = 0;

  protected:
    explicit VictimPolicy(const MediaLayout& layout) : layout_(layout) {}
    /// Full, and nothing under way in it.
    [[nodiscard]] static bool candidate(const SuperblockInfo& info) {
        return info.state == SuperblockState::closed && !info.collecting && info.in_flight == 0;
    }
    /// Emptying it makes room.
    [[nodiscard]] bool gains(const SuperblockInfo& info) const {
        return info.valid < layout_.units_per_superblock();
    }
    /// The candidate with the smallest `score`, the lowest number first. None if no candidate has anything to
    /// gain: a policy may choose one that has not, but only while that leads on to one that has.
    template <class Score>
    std::optional<Superblock> best(const SuperblockTable& table, Pu pu, Score score) const {
        std::optional<Superblock> chosen;
        bool gain = false;
        decltype(score(table.info(pu, Superblock{0}))) least{};
        for (std::uint32_t i = 0; i < layout_.superblocks(); ++i) {
            const SuperblockInfo& info = table.info(pu, Superblock{i});
            if (!candidate(info)) {
                continue;
            }
            gain = gain || gains(info);
            const auto value = score(info);
            if (!chosen || value < least) {
                chosen = Superblock{i};
                least = value;
            }
        }
        return gain ? chosen : std::nullopt;
    }
    const MediaLayout& layout_;
};

/// Fewest valid units.
std::unique_ptr<VictimPolicy> make_greedy(const MediaLayout& layout);
/// Largest age * (1 - u) / 2u, u the valid fraction (Rosenblum and Ousterhout 1992, Kawaguchi 1995).
std::unique_ptr<VictimPolicy> make_cost_benefit(const MediaLayout& layout);
/// Filled first, whatever it holds.
std::unique_ptr<VictimPolicy> make_fifo(const MediaLayout& layout);
/// Fewest valid units among `d` candidates drawn at random with replacement (Van Houdt 2013). With few draws
/// that may well be one without anything to gain.
std::unique_ptr<VictimPolicy> make_d_choices(const MediaLayout& layout, std::uint32_t d, std::uint64_t seed);

/// The policy that `config` names; random is d-choices with d = 1.
std::unique_ptr<VictimPolicy> make_victim_policy(const FirmwareConfig& config, const MediaLayout& layout);

}  // namespace solidtlm::fw
