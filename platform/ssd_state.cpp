// SPDX-License-Identifier: Apache-2.0
//
// What of a drive survives a loss of power: its flash.
#include <cereal/archives/portable_binary.hpp>

#include "fw/hal/check.h"
#include "hw/tlm/sized.h"
#include "platform/ssd.h"

namespace solidtlm::hal {

template <class Archive>
void serialize(Archive& archive, FlashAddress& at) {
    archive(at.channel.value, at.die.value, at.plane.value, at.block.value, at.page.value);
}

}  // namespace solidtlm::hal

namespace solidtlm::platform {

template <class Archive>
void Ssd::serialize_flash(Archive& archive) {
    for (hw::NandArray* array : arrays()) {
        archive(*array);
    }
    hw::serialize_map(archive, pages_.pages(), [this, &archive](std::vector<std::byte>& content) {
        hw::serialize_at_most(archive, content, configuration_.nand.geometry.page_bytes);
    });
}

void Ssd::save(std::ostream& out) {
    SOLIDTLM_CHECK(!powered(), "only what survives a loss of power is saved");
    cereal::PortableBinaryOutputArchive archive(out);
    serialize_flash(archive);
}

namespace {

class NothingToDo : public hw::UntimedFeed {
  public:
    bool next(hal::HostCommand& /*command*/, const hw::UntimedStatistics& /*so_far*/) override {
        return false;
    }
    void content(const hal::HostCommand& /*command*/, std::uint32_t /*first*/,
                 std::span<std::byte> /*sectors*/) override {}
};

}  // namespace

void Ssd::load(std::istream& in, hal::Completion ready, bool instantly) {
    SOLIDTLM_CHECK(!sc_core::sc_start_of_simulation_invoked() && !firmware_,
                   "a drive is loaded when it is new");
    off_since_ = hal::Ps{-1};  // saving a drive cuts its power first
    cereal::PortableBinaryInputArchive archive(in);
    serialize_flash(archive);
    if (instantly) {
        NothingToDo nothing;
        run_untimed(fw::Boot::scan, ready, nothing);
    } else {
        loaded_ = ready;
    }
}

}  // namespace solidtlm::platform
