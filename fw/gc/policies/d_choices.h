// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "fw/gc/victim_policy.h"

namespace solidtlm::fw {

/// Chooses the fewest valid units among `d` candidates drawn at random with replacement (Van Houdt 2013).
/// With few draws it may choose a candidate that gains nothing.
class DChoices : public VictimPolicy {
  public:
    DChoices(const FirmwareConfig& config, const MediaLayout& layout, std::uint32_t d)
        : VictimPolicy(config, layout), d_(d), random_(config.seed) {}
    DChoices(const FirmwareConfig& config, const MediaLayout& layout)
        : DChoices(config, layout, config.gc.d) {}

    std::optional<Superblock> select(const SuperblockTable& table, Pu pu) override {
        candidates_.clear();
        bool gain = false;
        for (std::uint32_t i = 0; i < layout_.superblocks(); ++i) {
            const BlockInfo& info = table.info(pu, Superblock{i});
            if (candidate(info)) {
                candidates_.push_back(Superblock{i});
                gain = gain || gains(info);
            }
        }
        if (!gain) {
            return std::nullopt;
        }
        std::optional<Superblock> chosen;
        for (std::uint32_t draw = 0; draw < d_; ++draw) {
            // The modulo's bias is below 2^-50 for any device.
            const Superblock drawn = candidates_[random_() % candidates_.size()];
            if (!chosen || table.info(pu, drawn).valid < table.info(pu, *chosen).valid) {
                chosen = drawn;
            }
        }
        return chosen;
    }
    void serialize(hal::StateArchive& archive) override {
        std::ostringstream out;
        out << random_;
        std::string text = out.str();
        archive(hal::list(text));
        std::istringstream(text) >> random_;
    }

  private:
    std::uint32_t d_;
    std::mt19937_64 random_;
    std::vector<Superblock> candidates_;
};

}  // namespace solidtlm::fw
