// SPDX-License-Identifier: Apache-2.0
//
// BAST (Kim et al. 2002): each logical block may have its own log block, which is written from its first page
// on.
#include "fw/block_map/own_log_layer.h"

namespace solidtlm::fw {
namespace {

class Bast final : public OwnLogLayer {
  public:
    using OwnLogLayer::OwnLogLayer;

  private:
    bool has_room(OwnLogs::Log& log, std::uint32_t /*offset*/) override {
        return log.next < books_.pages() && !books_.failed(log.block);
    }
    std::uint32_t take_offset(OwnLogs::Log& log, std::uint32_t offset) override {
        log.in_place = log.in_place && log.next == offset;
        return log.next++;
    }
    [[nodiscard]] bool can_complete(Lbn lbn) const override {
        const OwnLogs::Log* log = logs_.find(lbn);
        return log != nullptr && log->in_place && !books_.failed(log->block);
    }
    [[nodiscard]] bool is_complete(Lbn lbn) const override {
        return can_complete(lbn) && logs_.find(lbn)->next == books_.pages();
    }
};

}  // namespace

extern const TranslationLayer kBastTranslationLayer{
    {{"bast", "a log block of its own for each logical block"}, {.least_logs = 1}}, make_layer<Bast>};

}  // namespace solidtlm::fw
