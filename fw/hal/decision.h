// SPDX-License-Identifier: Apache-2.0
//
// What firmware has decided to do with its flash, and why: a line of the log that --decisions writes
// (docs/decisions.md). A probe is told.
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
    merge,       ///< makes a data block of the pages of a logical block
    erase,       ///< a block that holds nothing
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
    full,            ///< as much waits as is programmed at once; a merge that copies everything
    flush,           ///< a flush, a durable write, or an erase that a record must precede, waits for it
    starved,         ///< writes wait for slots of the write buffer, and nothing under way will free any
    read_only,       ///< the drive takes no more writes: what it has taken goes to flash
    space,           ///< free space is short, or used up
    idle,            ///< the host is idle, and more space is to be free then
    fill_up,         ///< a superpage of an earlier victim's data must be filled
    wear,            ///< it lags too far behind in erases
    weak,            ///< it is hard to read
    program_failed,  ///< a program failed there
    erase_failed,    ///< its erase failed
    log_worn_out,    ///< what must be noted before its erase cannot be noted
    emptied,         ///< nothing in it is wanted
    interval,        ///< checkpoint_interval is over
    log_full,        ///< the bank of the log is
    capacitor,       ///< more records could not be saved when power is lost
    drop,            ///< of a merge: nothing has data
    switched,        ///< of a merge: a log block becomes the data block as it is
    partial,         ///< of a merge: a log block becomes the data block, once it is complete
    trim,            ///< TRIM has freed space
    power_on,
};
constexpr std::array<std::string_view, 21> kReasonNames{
    "full",     "flush",     "starved",        "read_only",    "space",        "idle",    "fill_up",
    "wear",     "weak",      "program_failed", "erase_failed", "log_worn_out", "emptied", "interval",
    "log_full", "capacitor", "drop",           "switch",       "partial",      "trim",    "power_on"};

/// Whose blocks they are.
enum class Area : std::uint8_t { data, map, log };
constexpr std::array<std::string_view, 3> kAreaNames{"data", "map", "log"};

/// What does not apply is kNotTold.
struct Decision {
    static constexpr std::uint32_t kNotTold = 0xFFFF'FFFF;

    Deed deed;
    Reason reason;
    Area area = Area::data;
    Ps at{0};
    std::uint32_t unit = kNotTold;    ///< parallel unit of a superblock
    std::uint32_t block = kNotTold;   ///< superblock of its unit, or block of its area
    std::uint32_t page = kNotTold;    ///< superpage of the superblock
    std::uint32_t count = kNotTold;   ///< units destaged, or valid when collected; pages; records
    std::uint32_t erases = kNotTold;  ///< of the block before
    std::uint32_t free = kNotTold;    ///< blocks of the unit, or of the area, that are free then
};

}  // namespace solidtlm::hal
