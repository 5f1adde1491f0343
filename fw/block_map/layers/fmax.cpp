// SPDX-License-Identifier: Apache-2.0
//
// FMAX (M-Systems; Estakhri, US 5,930,815; NFTL): each logical block may have a mirror block. The mirror is
// *simple*, with every page in its own place, until a page is overwritten again; then it is *compound* and is
// filled from its lowest free page.
#include "fw/block_map/own_log_layer.h"

namespace solidtlm::fw {
namespace {

class Fmax final : public OwnLogLayer {
  public:
    using OwnLogLayer::OwnLogLayer;

  private:
    bool has_room(OwnLogs::Log& log, std::uint32_t offset) override {
        log.in_place = log.in_place && books_.writable({log.block, offset});
        if (log.in_place) {
            return true;
        }
        while (log.next < books_.pages() && !books_.writable({log.block, log.next})) {
            ++log.next;  // a page that is not writable now stays so until the erase
        }
        return log.next < books_.pages();
    }
    std::uint32_t take_offset(OwnLogs::Log& log, std::uint32_t offset) override {
        return log.in_place ? offset : log.next;
    }
    [[nodiscard]] bool can_complete(Lbn lbn) const override {
        const OwnLogs::Log* log = logs_.find(lbn);
        if (log == nullptr || !log->in_place || books_.failed(log->block)) {
            return false;
        }
        const std::uint32_t first = books_.first_of(lbn).value;
        for (std::uint32_t offset = 0; offset < books_.pages_of(lbn); ++offset) {
            const BlockPage at = books_.locate(Lpn{first + offset});
            if (at.block != kNoBlock && at.block != log->block && !books_.writable({log->block, offset})) {
                return false;
            }
        }
        return true;
    }
    [[nodiscard]] bool is_complete(Lbn lbn) const override {
        const OwnLogs::Log* log = logs_.find(lbn);
        return log != nullptr && log->in_place && !books_.failed(log->block) &&
               books_.places_programmed(log->block) == books_.pages();
    }
};

}  // namespace

extern const TranslationLayer kFmaxTranslationLayer{
    {{"fmax", "a mirror block for each logical block"}, {.least_logs = 1}}, make_layer<Fmax>};

}  // namespace solidtlm::fw
