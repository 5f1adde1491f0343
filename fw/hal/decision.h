// SPDX-License-Identifier: Apache-2.0
//
// A decision of the firmware about its flash, and the reason: one line of the log that --decisions writes
// (docs/decisions.md). Firmware reports it to the probe.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "fw/hal/types.h"

namespace solidtlm::hal {

enum class Deed : std::uint8_t {
    destage,     ///< programs data of the write buffer
    collect,     ///< empties a block
    fold,        ///< empties a superblock of the SLC cache
    merge,       ///< copies the pages of a logical block together into a data block
    erase,       ///< erases a block without data
    retire,      ///< takes a block out of service
    journal,     ///< programs a page of records
    checkpoint,  ///< programs the whole map
    read_only,   ///< takes no more writes
    writable,    ///< takes writes again
    ready,       ///< has found its state on flash
};
constexpr std::array<std::string_view, 11> kDeedNames{"destage",   "collect",  "fold",    "merge",
                                                      "erase",     "retire",   "journal", "checkpoint",
                                                      "read_only", "writable", "ready"};

enum class Reason : std::uint8_t {
    full,            ///< a whole superpage waits; of a merge: it copies everything
    flush,           ///< a flush, a durable write or an erase waits for it (an erase waits for records)
    starved,         ///< writes wait for slots of the write buffer, and nothing under way will free any
    read_only,       ///< the drive takes no more writes and empties its write buffer
    space,           ///< little or no space is free
    idle,            ///< the host is idle, when more space should be free
    fill_up,         ///< data of an earlier victim did not fill a superpage
    wear,            ///< it has had far fewer erases than others
    weak,            ///< it is hard to read
    program_failed,  ///< a program in it failed
    erase_failed,    ///< its erase failed
    log_worn_out,    ///< the records that its erase must wait for cannot be written
    emptied,         ///< no data in it is needed
    interval,        ///< checkpoint_interval has passed
    log_full,        ///< the bank of the log is full
    capacitor,       ///< on its capacitor the drive could not save more records
    drop,            ///< of a merge: no page has data
    switched,        ///< of a merge: a log block becomes the data block as it is
    partial,         ///< of a merge: a log block becomes the data block, once it is complete
    trim,            ///< TRIM has freed space
    power_on,
};
constexpr std::array<std::string_view, 21> kReasonNames{
    "full",     "flush",     "starved",        "read_only",    "space",        "idle",    "fill_up",
    "wear",     "weak",      "program_failed", "erase_failed", "log_worn_out", "emptied", "interval",
    "log_full", "capacitor", "drop",           "switch",       "partial",      "trim",    "power_on"};

/// The kind of area that a block belongs to.
enum class Area : std::uint8_t { data, map, log, copies };
constexpr std::array<std::string_view, 4> kAreaNames{"data", "map", "log", "copies"};

/// A field that does not apply is kNotTold.
struct Decision {
    static constexpr std::uint32_t kNotTold = 0xFFFF'FFFF;

    Deed deed;
    Reason reason;
    Area area = Area::data;
    Ps at{0};
    std::uint32_t unit = kNotTold;    ///< parallel unit of a superblock
    std::uint32_t block = kNotTold;   ///< superblock of its unit, or block of its area
    std::uint32_t page = kNotTold;    ///< superpage of the superblock
    std::uint32_t count = kNotTold;   ///< units destaged, valid units of a victim, pages, or records
    std::uint32_t erases = kNotTold;  ///< erases of the block before this one
    std::uint32_t free = kNotTold;    ///< free blocks of the unit or area at this time
};

}  // namespace solidtlm::hal
