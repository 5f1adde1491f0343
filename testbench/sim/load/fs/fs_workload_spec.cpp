// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/fs/fs_workload_spec.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "fw/hal/check.h"
#include "testbench/sim/load/fs/layout.h"
#include "testbench/sim/load/workload_keys.h"

namespace solidtlm::testbench::fs {
namespace {

namespace kinds = platform::kinds;

constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kDefaultTrimDepth = 32;  // NCQ
constexpr std::uint64_t kMany = 1'000'000'000;

platform::Names discards() {
    return {"none", "per_extent", "batched", "queued", "fstrim"};
}

/// A workload while its keys are being read.
struct Parsed {
    FsWorkloadConfig config;
    std::optional<std::uint64_t> ranges;
    std::optional<std::uint64_t> trim_depth;
    std::optional<std::uint64_t> files;
    std::optional<std::uint64_t> threads;
    std::optional<std::uint64_t> fs_blocks;
};

using Scope = std::uint32_t;
constexpr Scope kPostmark = 1;
constexpr Scope kFilebench = 2;
constexpr Scope kBoth = kPostmark | kFilebench;

struct Key : platform::Key<Parsed> {
    Scope scope = kBoth;
};

/// Reads sizes of files: "500-10000".
bool set_file_sizes(std::string_view text, Parsed& parsed) {
    const std::size_t dash = text.find('-');
    const platform::Kind<std::uint64_t> size = kinds::size(1);
    const auto smallest = size.read(text.substr(0, dash));
    const auto largest = dash == std::string_view::npos ? smallest : size.read(text.substr(dash + 1));
    if (!smallest || !largest || *largest < *smallest) {
        return false;
    }
    parsed.config.postmark.smallest = *smallest;
    parsed.config.postmark.largest = *largest;
    return true;
}

/// A number of whole blocks.
platform::Kind<std::uint64_t> blocks(std::uint64_t low_bytes, std::uint64_t high_bytes = kinds::kUnlimited) {
    return kinds::size_in(kBlockBytes, low_bytes, high_bytes);
}

/// A duration above 0.
platform::Kind<Ps> duration() {
    return kinds::duration(Ps{1});
}

#define CONFIG(member) SOLIDTLM_FIELD(config.member)

std::vector<Key> make_keys() {
    constexpr std::uint64_t kLeastGroup = 256 * kBlockBytes;   // mke2fs -g
    constexpr std::uint64_t kMostGroup = 32768 * kBlockBytes;  // bits of a bitmap block
    return {
        {{"pattern", CONFIG(benchmark), kinds::enumerator(filesystem_patterns()),
          "the benchmark; may come first without the key"}},
        {{"files", SOLIDTLM_FIELD(files), kinds::integer(1, kMany), "files at the start",
          "postmark 500, filebench_delete 30000"}},
        {{"threads", SOLIDTLM_FIELD(threads), kinds::integer(1, kMostThreads), "threads",
          "postmark 1, filebench_delete 16"}},
        {{"transactions", CONFIG(postmark.transactions), kinds::integer(1, kMany),
          "transactions, each a pair of calls"},
         kPostmark},
        {{"size",
          {platform::ValueType::text, "sizes smallest-largest", ", such as 500-10000 or 4k-64k"},
          set_file_sizes,
          "of files",
          "500-10000"},
         kPostmark},
        {{"read", CONFIG(postmark.read_share), kinds::share(), "reads among reads and appends"}, kPostmark},
        {{"create", CONFIG(postmark.create_share), kinds::share(), "creates among creates and deletes"},
         kPostmark},
        {{"directories", CONFIG(postmark.directories), kinds::integer(0, kMany),
          "subdirectories; 0: the root alone"},
         kPostmark},
        {{"fsync", CONFIG(postmark.fsync_share), kinds::share(),
          "creates and appends with an fsync() behind them"},
         kPostmark},
        {{"file_size", CONFIG(filebench.bytes), kinds::size(1), "of a file"}, kFilebench},
        {{"width", CONFIG(filebench.width), kinds::integer(1, kMany), "files a directory"}, kFilebench},
        {{"order", CONFIG(filebench.shuffled), kinds::enumerator({"created", "random"}),
          "in which files are deleted"},
         kFilebench},
        {{"discard", CONFIG(fs.discard), kinds::enumerator(discards()),
          "how the drive hears of freed blocks: not at all; at commit one command an extent, as Linux; up to "
          "64 extents per command; one per extent, queued; or every fstrim_interval"}},
        {{"ranges", SOLIDTLM_FIELD(ranges), kinds::integer(1, kRangesPerTrim), "extents a TRIM command",
          "batched 64, others 1"}},
        {{"trim_depth", SOLIDTLM_FIELD(trim_depth), kinds::integer(1, kDefaultTrimDepth),
          "TRIM commands sent before one has ended", "queued 32, others 1"}},
        {{"trim_at", CONFIG(fs.discard_in_background), kinds::enumerator({"commit", "background"}),
          "whether a commit waits for its trims; background: as Linux from 5.15 on"}},
        {{"fstrim_interval", CONFIG(fs.fstrim_interval), duration(), "between two runs of fstrim"}},
        {{"commit", CONFIG(fs.commit_interval), duration(), "age at which a transaction is committed"}},
        {{"fua", CONFIG(fs.fua), kinds::boolean(), "commit blocks with FUA instead of a flush behind them"}},
        {{"fs_size", SOLIDTLM_FIELD(fs_blocks), blocks(kBlockBytes), "of the file system", "the device"}},
        {{"journal", CONFIG(fs.journal_blocks),
          blocks(kLeastJournalBlocks * kBlockBytes, kMany * kBlockBytes), "of the journal", "as mke2fs"}},
        {{"group", CONFIG(fs.group_blocks), blocks(kLeastGroup, kMostGroup), "of a block group"}},
        {{"memory", CONFIG(fs.memory_bytes), kinds::size(hal::kMiB), "of the page cache"}},
        {{"background", CONFIG(fs.background_ratio), kinds::share(),
          "of memory dirty before write-back begins"}},
        {{"dirty", CONFIG(fs.dirty_ratio), kinds::share(), "of memory dirty before writers wait"}},
        {{"expire", CONFIG(fs.expire), duration(), "age at which dirty pages and metadata are written back"}},
        {{"writeback", CONFIG(fs.writeback_interval), duration(), "between two looks for aged pages"}},
        {{"cpus", CONFIG(fs.cpus), kinds::integer(1, kMostThreads), "processors of the host"}},
        {{"cpu_time", CONFIG(fs.cpu_time), duration(), "of a file system call on a processor"}},
        {{"seed", CONFIG(seed), kinds::integer(), "of the random numbers"}},
    };
}

#undef CONFIG

const std::vector<Key>& fs_keys() {
    static const std::vector<Key> keys = make_keys();
    return keys;
}

/// Sets defaults that depend on other keys.
void settle(const std::vector<SpecItem>& items, Parsed& parsed, std::uint64_t device_sectors,
            Errors& errors) {
    FsConfig& fs = parsed.config.fs;
    const bool at_commit = fs.discard != Discard::none && fs.discard != Discard::fstrim;
    const auto misplaced = [&](std::string_view key, bool there) {
        if (!there && !value_of(items, key).empty()) {
            errors.push_back(std::string(key) +
                             ": not for discard=" + discards().at(static_cast<std::size_t>(fs.discard)));
        }
    };
    misplaced("ranges", fs.discard != Discard::none);
    misplaced("trim_depth", at_commit);
    misplaced("trim_at", at_commit);
    misplaced("fstrim_interval", fs.discard == Discard::fstrim);
    fs.ranges = static_cast<std::uint32_t>(
        parsed.ranges.value_or(fs.discard == Discard::batched ? kRangesPerTrim : 1));
    fs.trims_outstanding = static_cast<std::uint32_t>(
        parsed.trim_depth.value_or(fs.discard == Discard::queued ? kDefaultTrimDepth : 1));
    fs.blocks = parsed.fs_blocks.value_or(device_sectors / kSectorsPerBlock);
    if (fs.blocks > device_sectors / kSectorsPerBlock) {
        errors.push_back("fs_size: found " + std::to_string(fs.blocks * kBlockBytes) +
                         " bytes; allowed: at most the " +
                         std::to_string(device_sectors * hal::kSectorBytes) + " of the device");
    }
    if (fs.dirty_ratio < fs.background_ratio || fs.background_ratio <= 0) {
        errors.emplace_back("dirty: allowed: background above 0 and not above dirty");
    }
    PostmarkConfig& postmark = parsed.config.postmark;
    FilebenchConfig& filebench = parsed.config.filebench;
    postmark.files = parsed.files.value_or(postmark.files);
    postmark.threads = static_cast<std::uint32_t>(parsed.threads.value_or(postmark.threads));
    filebench.files = parsed.files.value_or(filebench.files);
    filebench.threads = static_cast<std::uint32_t>(parsed.threads.value_or(filebench.threads));
    if (parsed.config.benchmark == Benchmark::postmark && postmark.threads > postmark.files) {
        errors.push_back("threads: found " + std::to_string(postmark.threads) +
                         "; allowed: at most one per file, here " + std::to_string(postmark.files));
    }
}

/// Checks that the file system can be made, and that its files fit even at their largest.
void check_space(const FsWorkloadConfig& config, Errors& errors) {
    const std::string device = std::to_string(config.fs.blocks * kBlockBytes) + " bytes";
    if (config.fs.blocks == 0 || !Layout(config.fs).valid()) {
        errors.push_back("fs_size: found " + device + "; allowed: room for the metadata and a journal" +
                         " (journal=SIZE makes it smaller; mke2fs makes none below 8 MiB)");
        return;
    }
    const Layout layout(config.fs);
    const bool postmark = config.benchmark == Benchmark::postmark;
    const std::uint64_t files = postmark ? config.postmark.files : config.filebench.files;
    const std::uint64_t largest = postmark ? config.postmark.largest : config.filebench.bytes;
    const std::uint64_t blocks = files * ((largest + kBlockBytes - 1) / kBlockBytes);
    const std::uint64_t free = layout.blocks() - layout.fixed_blocks();
    if (blocks > free || files > layout.inodes()) {
        errors.push_back("files: found " + std::to_string(files) + " of up to " + std::to_string(largest) +
                         " bytes; allowed: " + std::to_string(free) + " blocks of 4 KiB and " +
                         std::to_string(layout.inodes()) + " files at most in a file system of " + device);
    }
}

}  // namespace

bool is_fs_workload(std::string_view spec) {
    const platform::Names names = filesystem_patterns();
    return std::ranges::find(names, value_of(split_spec(spec, "pattern"), "pattern")) != names.end();
}

FsWorkloadConfig parse_fs_workload(std::string_view spec, std::uint64_t device_sectors,
                                   std::string_view option) {
    SOLIDTLM_CHECK(is_fs_workload(spec), "a benchmark on a file system");
    Parsed parsed;
    const std::vector<SpecItem> items = split_spec(spec, "pattern");
    // The pattern decides which keys are known, wherever it is in the text.
    const std::string_view pattern = value_of(items, "pattern");
    const Scope scope = pattern == "postmark" ? kPostmark : kFilebench;
    Errors errors;
    read_items(items, fs_keys(), parsed, errors, pattern,
               [scope](const Key& key) { return (key.scope & scope) != 0; });
    if (errors.empty()) {
        settle(items, parsed, device_sectors, errors);
    }
    if (errors.empty()) {
        check_space(parsed.config, errors);
    }
    throw_spec_errors(option, errors);
    return parsed.config;
}

std::string fs_workload_help() {
    return key_help(fs_keys());
}

}  // namespace solidtlm::testbench::fs
