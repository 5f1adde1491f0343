// SPDX-License-Identifier: Apache-2.0
//
// Saves and loads what survives a loss of power: the contents of the flash, and the firmware's state if it is
// at rest.
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

namespace {

/// Saves or loads the firmware's state with one of cereal's archives.
template <class Archive>
class FirmwareArchive : public hal::StateArchive {
  public:
    explicit FirmwareArchive(Archive& archive) : archive_(archive) {}

    [[nodiscard]] bool loading() const override { return Archive::is_loading::value; }
    void numbers(void* first, std::size_t count, std::size_t width) override {
        switch (width) {
            case 1:
                return these<std::uint8_t>(first, count);
            case 2:
                return these<std::uint16_t>(first, count);
            case 4:
                return these<std::uint32_t>(first, count);
            default:
                SOLIDTLM_CHECK(width == 8, "numbers have up to 64 bits");
                return these<std::uint64_t>(first, count);
        }
    }

  private:
    template <class Number>
    void these(void* first, std::size_t count) {
        archive_(cereal::binary_data(static_cast<Number*>(first), count * sizeof(Number)));
    }

    Archive& archive_;
};

class NothingToDo : public hw::UntimedFeed {
  public:
    bool next(hal::HostCommand& /*command*/, const hw::UntimedStatistics& /*so_far*/) override {
        return false;
    }
    void content(const hal::HostCommand& /*command*/, std::uint32_t /*first*/,
                 std::span<std::byte> /*sectors*/) override {}
};

}  // namespace

void Ssd::save(std::ostream& out) {
    cereal::PortableBinaryOutputArchive archive(out);
    serialize_flash(archive);
    if (powered()) {
        FirmwareArchive firmware(archive);
        firmware_->serialize(firmware);
    }
}

void Ssd::load(std::istream& in, Start start, hal::Completion ready) {
    SOLIDTLM_CHECK(!sc_core::sc_start_of_simulation_invoked() && !firmware_,
                   "a drive is loaded when it is new");
    cereal::PortableBinaryInputArchive archive(in);
    serialize_flash(archive);
    NothingToDo nothing;
    if (start == Start::as_saved) {
        FirmwareArchive firmware(archive);
        run_untimed(fw::Boot::saved, {}, nothing, &firmware);
    } else if (start == Start::boot_instant) {
        run_untimed(fw::Boot::scan, ready, nothing);
    } else {
        loaded_ = ready;
    }
}

}  // namespace solidtlm::platform
