// SPDX-License-Identifier: Apache-2.0
//
// Chooses the superblock that garbage collection empties next. One policy per file.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "fw/drive/config.h"
#include "fw/flash/superblock_table.h"
#include "fw/hal/named.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

/// True if the block is full and no program is under way in it.
[[nodiscard]] inline bool may_be_victim(const BlockInfo& info) {
    return info.state == BlockState::closed && !info.collecting && info.in_flight == 0;
}

class VictimPolicy {
  public:
    VictimPolicy(const FirmwareConfig& /*config*/, const MediaLayout& layout) : layout_(layout) {}
    virtual ~VictimPolicy() = default;
    /// A victim among the candidates of `pu`; none if there is none.
    virtual std::optional<Superblock> select(const SuperblockTable& table, Pu pu) = 0;
    /// Saves or loads the state that the policy keeps from one choice to the next.
    virtual void serialize(hal::StateArchive& /*archive*/) {}

  protected:
    /// True if the block is full, not always in SLC mode, and no program is under way in it.
    [[nodiscard]] static bool candidate(const BlockInfo& info) {
        return may_be_victim(info) && !info.always_slc;
    }
    /// True if emptying the block makes room.
    [[nodiscard]] bool gains(const BlockInfo& info) const {
        return info.valid < layout_.units_per_superblock();
    }
    /// The candidate with the smallest `score`; among equals, the lowest number. None if emptying no
    /// candidate gains space. A policy may choose a candidate without gain only if another one has some.
    template <class Score>
    std::optional<Superblock> best(const SuperblockTable& table, Pu pu, Score score) const {
        std::optional<Superblock> chosen;
        bool gain = false;
        decltype(score(table.info(pu, Superblock{0}))) least{};
        for (std::uint32_t i = 0; i < layout_.superblocks(); ++i) {
            const BlockInfo& info = table.info(pu, Superblock{i});
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

/// A value of firmware.gc.policy.
struct GcPolicy : hal::Named {
    std::unique_ptr<VictimPolicy> (*make)(const FirmwareConfig&, const MediaLayout&);
    bool takes_d = false;  ///< firmware.gc.d has an effect
};

/// Makes a `Policy`; for GcPolicy::make.
template <class Policy>
std::unique_ptr<VictimPolicy> make_policy(const FirmwareConfig& config, const MediaLayout& layout) {
    return std::make_unique<Policy>(config, layout);
}

/// The policies in fw/gc/policies.
std::span<const GcPolicy* const> gc_policies();

inline std::unique_ptr<VictimPolicy> make_victim_policy(std::string_view name, const FirmwareConfig& config,
                                                        const MediaLayout& layout) {
    return hal::named(gc_policies(), name).make(config, layout);
}

}  // namespace solidtlm::fw
