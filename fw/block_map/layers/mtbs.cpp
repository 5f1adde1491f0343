// SPDX-License-Identifier: Apache-2.0
//
// MTBS (Shinohara, US 5,905,993): each block is half data, half spare; overwrites go to the spare half in
// order.
#include "fw/block_map/in_place_layer.h"

namespace solidtlm::fw {
namespace {

class Mtbs final : public InPlaceLayer {
  public:
    Mtbs(const FirmwareConfig& config, const BlockGeometry& geometry)
        : InPlaceLayer(config, geometry), next_spare_(books_.logical_blocks()) {}

  private:
    void serialize(hal::StateArchive& archive) override {
        InPlaceLayer::serialize(archive);
        archive(next_spare_);
    }
    bool log_merge(Lbn lbn, std::uint32_t /*offset*/, Merge& merge) override {
        if (next_spare_[lbn.value] < books_.pages() && !books_.failed(books_.data_block(lbn))) {
            return false;
        }
        describe_merge(lbn, merge);
        return true;
    }
    BlockPage log_place(Lbn lbn, std::uint32_t /*offset*/) override {
        return {books_.data_block(lbn), next_spare_[lbn.value]++};
    }
    void data_block_taken(Lbn lbn) override { next_spare_[lbn.value] = books_.data_pages(); }

    std::vector<std::uint32_t> next_spare_;  // by Lbn: offset of the next page that is not in place
};

}  // namespace

extern const TranslationLayer kMtbsTranslationLayer{
    {{"mtbs", "a spare half in each block"}, {.half_spare = true}}, make_layer<Mtbs>};

}  // namespace solidtlm::fw
