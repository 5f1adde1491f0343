// SPDX-License-Identifier: Apache-2.0
//
// Parameters of the host's file system, of the page cache above it, and of the two benchmarks on it. Defaults
// are those of Linux ext4 and of the benchmarks' own texts; arbitrary choices are marked as such.
#pragma once

#include <cstdint>

#include "fw/hal/types.h"

namespace solidtlm::testbench::fs {

using hal::Ps;

/// Number of a 4 KiB block of the device.
using Block = std::uint64_t;

constexpr std::uint64_t kBlockBytes = 4096;  ///< mke2fs.conf: 4 KiB from 512 MiB on; here for all sizes
constexpr std::uint64_t kSectorsPerBlock = kBlockBytes / hal::kSectorBytes;
constexpr std::uint32_t kRangesPerTrim = 64;  ///< entries of one 512-byte block, ATA ACS-3 7.10

/// Consecutive blocks.
struct Extent {
    Block first = 0;
    std::uint64_t count = 0;

    [[nodiscard]] Block end() const { return first + count; }
    bool operator==(const Extent&) const = default;
};

/// How the drive learns of freed blocks.
enum class Discard : std::uint8_t {
    none,        ///< it does not
    per_extent,  ///< mount -o discard: at the end of a commit, one command per extent
    batched,     ///< as above, up to `ranges` extents per command (study D's proposal)
    queued,      ///< one extent per command, as SEND FPDMA QUEUED: the drive's queue is not drained
    fstrim       ///< FITRIM every `fstrim_interval`, for every free extent that was not trimmed yet
};

struct FsConfig {
    // mke2fs
    std::uint64_t blocks = 0;               ///< size of the device
    std::uint64_t group_blocks = 32768;     ///< in a block group: 128 MiB, one per bit of its bitmap
    std::uint32_t flex_groups = 16;         ///< mke2fs: groups whose bitmaps and inode tables are contiguous
    std::uint64_t bytes_per_inode = 16384;  ///< mke2fs.conf: inode_ratio
    std::uint64_t journal_blocks = 0;       ///< 0: as mke2fs chooses for a device of this size
    // mount
    Ps commit_interval{5'000'000'000'000};  ///< ext4: commit=5 s
    bool fua = false;  ///< commit block with FUA; libata by default sends flush, write, flush
    Discard discard = Discard::per_extent;
    std::uint32_t ranges = 1;                ///< most extents per TRIM command, 1-64
    std::uint32_t trims_outstanding = 1;     ///< at the same time; blkdev_issue_discard() waits for each
    bool discard_in_background = false;      ///< as since Linux 5.15: the commit does not wait for its trims
    Ps fstrim_interval{10'000'000'000'000};  ///< arbitrary; fstrim.timer of util-linux: a week
    // page cache
    std::uint64_t memory_bytes = std::uint64_t{8} << 30U;  ///< memory for pages: the study's host has 8 GiB
    double background_ratio = 0.10;                        ///< vm.dirty_background_ratio: 10 %
    double dirty_ratio = 0.20;                             ///< vm.dirty_ratio: 20 %
    Ps expire{30'000'000'000'000};                         ///< vm.dirty_expire_centisecs: 30 s
    Ps writeback_interval{5'000'000'000'000};              ///< vm.dirty_writeback_centisecs: 5 s
    // processors
    std::uint32_t cpus = 4;   ///< arbitrary: a desktop of the study's year
    Ps cpu_time{20'000'000};  ///< per file system call; arbitrary: 20 us
};

struct PostmarkConfig {
    std::uint64_t files = 500;         ///< Katcher 1997: `set number`
    std::uint64_t transactions = 500;  ///< pairs of read or append with create or delete
    std::uint64_t smallest = 500;      ///< file size in bytes
    std::uint64_t largest = 10'000;    ///< file size in bytes
    double read_share = 0.5;           ///< share among reads and appends; PostMark: bias 5 of 10
    double create_share = 0.5;         ///< share among creates and deletes; PostMark: bias 5 of 10
    std::uint64_t directories = 0;     ///< `set subdirectories`
    std::uint32_t threads = 1;         ///< PostMark has one; several threads divide the transactions
    double fsync_share = 0;            ///< share of creates and appends followed by fsync(); PostMark: none
};

struct FilebenchConfig {
    std::uint64_t files = 30'000;  ///< study D
    std::uint64_t bytes = 16'384;  ///< size of each file; study D
    std::uint32_t threads = 16;    ///< study D
    std::uint64_t width = 100;     ///< files per directory; filemicro_delete.f: meandirwidth 100
    bool shuffled = false;         ///< delete in random order instead of the order of creation
};

enum class Benchmark : std::uint8_t { postmark, filebench_delete };

struct FsWorkloadConfig {
    Benchmark benchmark = Benchmark::postmark;
    FsConfig fs;
    PostmarkConfig postmark;
    FilebenchConfig filebench;
    std::uint64_t seed = 1;
};

constexpr std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) {
    return (a + b - 1) / b;
}

}  // namespace solidtlm::testbench::fs
