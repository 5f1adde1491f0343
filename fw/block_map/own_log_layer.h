// SPDX-License-Identifier: Apache-2.0
//
// Layers in which each log block belongs to one logical block: bast and fmax. A new log block replaces the
// least recently written one.
#pragma once

#include "fw/block_map/in_place_layer.h"
#include "fw/block_map/own_logs.h"

namespace solidtlm::fw {

class OwnLogLayer : public InPlaceLayer {
  public:
    OwnLogLayer(const FirmwareConfig& config, const BlockGeometry& geometry)
        : InPlaceLayer(config, geometry), logs_(books_.logical_blocks()) {}
    void serialize(hal::StateArchive& archive) override {
        InPlaceLayer::serialize(archive);
        archive(logs_);
    }

  protected:
    /// The page can be appended to the log block without a merge.
    [[nodiscard]] virtual bool has_room(OwnLogs::Log& log, std::uint32_t offset) = 0;
    /// REQUIRES: has_room(), so that place() finds the returned offset writable.
    virtual std::uint32_t take_offset(OwnLogs::Log& log, std::uint32_t offset) = 0;

    [[nodiscard]] BlockId own_log(Lbn lbn) const final {
        const OwnLogs::Log* log = logs_.find(lbn);
        return log == nullptr ? kNoBlock : log->block;
    }

    OwnLogs logs_;

  private:
    bool log_merge(Lbn lbn, std::uint32_t offset, Merge& merge) final {
        OwnLogs::Log* log = logs_.find(lbn);
        if (log != nullptr ? has_room(*log, offset) : logs_.size() < log_limit()) {
            return false;
        }
        describe_merge(log != nullptr ? lbn : logs_.least_recent(), merge);
        return true;
    }
    BlockPage log_place(Lbn lbn, std::uint32_t offset) final {
        OwnLogs::Log* log = logs_.find(lbn);
        if (log == nullptr) {
            log = &logs_.add(lbn, books_.take(BlockRole::log));
        }
        logs_.touch(lbn);
        return {log->block, take_offset(*log, offset)};
    }
    void forget_own_log(Lbn lbn) final { logs_.remove(lbn); }
    [[nodiscard]] std::string check_logs() const final {
        return logs_.size() == log_blocks() ? "" : "a log block belongs to no logical block";
    }
};

}  // namespace solidtlm::fw
