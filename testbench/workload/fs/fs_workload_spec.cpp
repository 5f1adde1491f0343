// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/fs/fs_workload_spec.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "fw/hal/check.h"
#include "testbench/workload/fs/layout.h"
#include "testbench/workload/spec_items.h"
#include "testbench/workload/suggest.h"
#include "testbench/workload/units.h"
#include "testbench/workload/workload_keys.h"

namespace solidtlm::testbench::fs {
namespace {

using View = std::string_view;

constexpr std::array<View, 5> kDiscards{"none", "per_extent", "batched", "queued", "fstrim"};
constexpr std::array<View, 2> kWorkers{"commit", "background"};
constexpr std::array<View, 2> kOrders{"created", "random"};
constexpr std::uint64_t kBlocksPerGroupLeast = 256;   // mke2fs -g
constexpr std::uint64_t kBlocksPerGroupMost = 32768;  // bits of a bitmap block
constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kDefaultTrimDepth = 32;  // NCQ

/// A workload while its keys are read.
struct Parsed {
    FsWorkloadConfig config;
    std::optional<std::uint64_t> ranges;
    std::optional<std::uint64_t> trim_depth;
    std::optional<std::uint64_t> files;
    std::optional<std::uint64_t> threads;
    std::optional<std::uint64_t> fs_bytes;
    bool has_worker = false;
    bool has_interval = false;
};

using Scope = std::uint32_t;
constexpr Scope kPostmark = 1;
constexpr Scope kFilebench = 2;
constexpr Scope kBoth = kPostmark | kFilebench;

struct Key {
    View name;
    Scope scope;
    View expected;
    View help;
    bool (*set)(View value, Parsed& parsed);
};

template <class Value, class Target>
bool keep(const std::optional<Value>& value, Target& target) {
    if (value) {
        target = static_cast<Target>(*value);
    }
    return value.has_value();
}

/// A count from `low` to `high`.
template <class Target>
bool keep_count(View text, Target& target, std::uint64_t low, std::uint64_t high) {
    const auto count = parse_count(text);
    return count && *count >= low && *count <= high && keep(count, target);
}

template <class Target>
bool keep_size(View text, Target& target, std::uint64_t low) {
    const auto bytes = parse_size(text);
    return bytes && *bytes >= low && keep(bytes, target);
}

bool keep_duration(View text, Ps& target) {
    const auto duration = parse_duration(text);
    return duration && duration->count() > 0 && keep(duration, target);
}

/// Whole blocks.
bool keep_blocks(View text, std::uint64_t& target, std::uint64_t low, std::uint64_t high) {
    const auto bytes = parse_size(text);
    if (!bytes || *bytes % kBlockBytes != 0 || *bytes / kBlockBytes < low || *bytes / kBlockBytes > high) {
        return false;
    }
    target = *bytes / kBlockBytes;
    return true;
}

bool set_file_sizes(View text, PostmarkConfig& config) {
    const std::size_t dash = text.find('-');
    const auto smallest = parse_size(text.substr(0, dash));
    const auto largest = dash == View::npos ? smallest : parse_size(text.substr(dash + 1));
    if (!smallest || !largest || *smallest == 0 || *largest < *smallest) {
        return false;
    }
    config.smallest = *smallest;
    config.largest = *largest;
    return true;
}

constexpr View kShare = "a share such as 0.3 or 30%";
constexpr View kAtLeastOne = "a number of at least 1";
constexpr std::uint64_t kMany = 1'000'000'000;

constexpr std::array kKeys{
    Key{"pattern", kBoth, "postmark or filebench_delete", "the benchmark; may come first without the key",
        [](View v, Parsed& p) { return keep_name(v, kFilesystemPatternNames, p.config.benchmark); }},
    Key{"files", kBoth, kAtLeastOne, "files at the start [postmark 500, filebench_delete 30000]",
        [](View v, Parsed& p) { return keep_count(v, p.files, 1, kMany); }},
    Key{"threads", kBoth, "a number from 1 to 1024", "threads [postmark 1, filebench_delete 16]",
        [](View v, Parsed& p) { return keep_count(v, p.threads, 1, kMostThreads); }},
    Key{"transactions", kPostmark, kAtLeastOne, "transactions, each a pair of calls [500]",
        [](View v, Parsed& p) { return keep_count(v, p.config.postmark.transactions, 1, kMany); }},
    Key{"size", kPostmark, "sizes smallest-largest such as 500-10000 or 4k-64k", "of files [500-10000]",
        [](View v, Parsed& p) { return set_file_sizes(v, p.config.postmark); }},
    Key{"read", kPostmark, kShare, "reads among reads and appends [0.5]",
        [](View v, Parsed& p) { return keep(parse_share(v), p.config.postmark.read_share); }},
    Key{"create", kPostmark, kShare, "creates among creates and deletes [0.5]",
        [](View v, Parsed& p) { return keep(parse_share(v), p.config.postmark.create_share); }},
    Key{"directories", kPostmark, "a number", "subdirectories; 0: the root alone [0]",
        [](View v, Parsed& p) { return keep_count(v, p.config.postmark.directories, 0, kMany); }},
    Key{"fsync", kPostmark, kShare, "creates and appends with an fsync() behind them [0]",
        [](View v, Parsed& p) { return keep(parse_share(v), p.config.postmark.fsync_share); }},
    Key{"file_size", kFilebench, kSizeExample, "of a file [16KiB]",
        [](View v, Parsed& p) { return keep_size(v, p.config.filebench.bytes, 1); }},
    Key{"width", kFilebench, kAtLeastOne, "files a directory [100]",
        [](View v, Parsed& p) { return keep_count(v, p.config.filebench.width, 1, kMany); }},
    Key{"order", kFilebench, "created or random", "in which files are deleted [created]",
        [](View v, Parsed& p) { return keep_name(v, kOrders, p.config.filebench.shuffled); }},
    Key{"discard", kBoth, "none, per_extent, batched, queued or fstrim",
        "how the drive hears of freed blocks: not at all; at commit one command an extent, as Linux; up to "
        "64 "
        "extents a command; one an extent, queued; or every fstrim_interval [per_extent]",
        [](View v, Parsed& p) { return keep_name(v, kDiscards, p.config.fs.discard); }},
    Key{"ranges", kBoth, "a number from 1 to 64", "extents a TRIM command [batched 64, others 1]",
        [](View v, Parsed& p) { return keep_count(v, p.ranges, 1, kRangesPerTrim); }},
    Key{"trim_depth", kBoth, "a number from 1 to 32",
        "TRIM commands sent before one has ended [queued 32, others 1]",
        [](View v, Parsed& p) { return keep_count(v, p.trim_depth, 1, kDefaultTrimDepth); }},
    Key{"trim_at", kBoth, "commit or background",
        "whether a commit waits for its trims; background: as Linux from 5.15 on [commit]",
        [](View v, Parsed& p) {
            p.has_worker = true;
            return keep_name(v, kWorkers, p.config.fs.discard_in_background);
        }},
    Key{"fstrim_interval", kBoth, kDurationExample, "between two runs of fstrim [10s]",
        [](View v, Parsed& p) {
            p.has_interval = true;
            return keep_duration(v, p.config.fs.fstrim_interval);
        }},
    Key{"commit", kBoth, kDurationExample, "age at which a transaction is committed [5s]",
        [](View v, Parsed& p) { return keep_duration(v, p.config.fs.commit_interval); }},
    Key{"fua", kBoth, "yes or no", "commit blocks with FUA instead of a flush behind them [no]",
        [](View v, Parsed& p) {
            constexpr std::array<View, 2> kNoYes{"no", "yes"};
            return keep_name(v, kNoYes, p.config.fs.fua);
        }},
    Key{"fs_size", kBoth, "a size in multiples of 4 KiB", "of the file system [the device]",
        [](View v, Parsed& p) {
            return keep_size(v, p.fs_bytes, kBlockBytes) && *p.fs_bytes % kBlockBytes == 0;
        }},
    Key{"journal", kBoth, "a size in multiples of 4 KiB, 256 KiB or more", "of the journal [as mke2fs]",
        [](View v, Parsed& p) {
            return keep_blocks(v, p.config.fs.journal_blocks, kLeastJournalBlocks, kMany);
        }},
    Key{"group", kBoth, "a size in multiples of 4 KiB from 1 MiB to 128 MiB", "of a block group [128MiB]",
        [](View v, Parsed& p) {
            return keep_blocks(v, p.config.fs.group_blocks, kBlocksPerGroupLeast, kBlocksPerGroupMost);
        }},
    Key{"memory", kBoth, "a size of 1 MiB or more", "of the page cache [8GiB]",
        [](View v, Parsed& p) { return keep_size(v, p.config.fs.memory_bytes, std::uint64_t{1} << 20U); }},
    Key{"background", kBoth, "a share such as 0.1 or 10%", "of memory dirty before write-back begins [0.1]",
        [](View v, Parsed& p) { return keep(parse_share(v), p.config.fs.background_ratio); }},
    Key{"dirty", kBoth, "a share such as 0.2 or 20%", "of memory dirty before writers wait [0.2]",
        [](View v, Parsed& p) { return keep(parse_share(v), p.config.fs.dirty_ratio); }},
    Key{"expire", kBoth, kDurationExample, "age at which dirty pages and metadata are written back [30s]",
        [](View v, Parsed& p) { return keep_duration(v, p.config.fs.expire); }},
    Key{"writeback", kBoth, kDurationExample, "between two looks for aged pages [5s]",
        [](View v, Parsed& p) { return keep_duration(v, p.config.fs.writeback_interval); }},
    Key{"cpus", kBoth, "a number from 1 to 1024", "processors of the host [4]",
        [](View v, Parsed& p) { return keep_count(v, p.config.fs.cpus, 1, kMostThreads); }},
    Key{"cpu_time", kBoth, kDurationExample, "of a file system call on a processor [20us]",
        [](View v, Parsed& p) { return keep_duration(v, p.config.fs.cpu_time); }},
    Key{"seed", kBoth, "a whole number", "of the random numbers [1]",
        [](View v, Parsed& p) { return keep(parse_count(v), p.config.seed); }},
};

/// Returns what is wrong with the item, or nothing.
std::string read_item(const SpecItem& item, Parsed& parsed, std::vector<View>& seen) {
    if (item.key.empty()) {
        return "found " + in_quotes(item.text) + ", expected key=value";
    }
    const auto known = std::find_if(kKeys.begin(), kKeys.end(),
                                    [&](const Key& candidate) { return candidate.name == item.key; });
    const std::vector<View> names = names_of(kKeys);
    if (known == kKeys.end()) {
        return unknown_key(item.key, names);
    }
    const std::string key(item.key);
    const bool postmark = parsed.config.benchmark == Benchmark::postmark;
    if ((known->scope & (postmark ? kPostmark : kFilebench)) == 0) {
        return key + ": not for " + std::string(postmark ? "postmark" : "filebench_delete");
    }
    if (std::find(seen.begin(), seen.end(), item.key) != seen.end()) {
        return key + ": given twice";
    }
    seen.push_back(known->name);
    return known->set(item.value, parsed)
               ? std::string()
               : key + ": found " + in_quotes(item.value) + ", expected " + std::string(known->expected);
}

/// What depends on other keys.
void settle(Parsed& parsed, std::uint64_t device_sectors, std::vector<std::string>& errors) {
    FsConfig& fs = parsed.config.fs;
    const bool at_commit = fs.discard != Discard::none && fs.discard != Discard::fstrim;
    const auto misplaced = [&errors, &fs](bool given, View key) {
        if (given) {
            errors.push_back(std::string(key) + ": not for discard=" +
                             std::string(kDiscards[static_cast<std::size_t>(fs.discard)]));
        }
    };
    misplaced(parsed.ranges && fs.discard == Discard::none, "ranges");
    misplaced(parsed.trim_depth && !at_commit, "trim_depth");
    misplaced(parsed.has_worker && !at_commit, "trim_at");
    misplaced(parsed.has_interval && fs.discard != Discard::fstrim, "fstrim_interval");
    fs.ranges = static_cast<std::uint32_t>(
        parsed.ranges.value_or(fs.discard == Discard::batched ? kRangesPerTrim : 1));
    fs.trims_outstanding = static_cast<std::uint32_t>(
        parsed.trim_depth.value_or(fs.discard == Discard::queued ? kDefaultTrimDepth : 1));
    fs.blocks = parsed.fs_bytes.value_or(device_sectors * hal::kSectorBytes) / kBlockBytes;
    if (fs.blocks > device_sectors / kSectorsPerBlock) {
        errors.push_back("fs_size: found " + std::to_string(*parsed.fs_bytes) +
                         " bytes, expected at most the " +
                         std::to_string(device_sectors * hal::kSectorBytes) + " of the device");
    }
    if (fs.dirty_ratio < fs.background_ratio || fs.background_ratio <= 0) {
        errors.emplace_back("dirty: expected background above 0 and not above dirty");
    }
    PostmarkConfig& postmark = parsed.config.postmark;
    FilebenchConfig& filebench = parsed.config.filebench;
    postmark.files = parsed.files.value_or(postmark.files);
    postmark.threads = static_cast<std::uint32_t>(parsed.threads.value_or(postmark.threads));
    filebench.files = parsed.files.value_or(filebench.files);
    filebench.threads = static_cast<std::uint32_t>(parsed.threads.value_or(filebench.threads));
    if (parsed.config.benchmark == Benchmark::postmark && postmark.threads > postmark.files) {
        errors.push_back("threads: found " + std::to_string(postmark.threads) +
                         ", expected at most one a file, of which there are " +
                         std::to_string(postmark.files));
    }
}

/// Whether the file system can be made, and its files fit at their largest.
void check_space(const FsWorkloadConfig& config, std::vector<std::string>& errors) {
    const std::string device = std::to_string(config.fs.blocks * kBlockBytes) + " bytes";
    const Layout layout(config.fs);
    if (config.fs.blocks == 0 || !layout.valid()) {
        errors.push_back("fs_size: found " + device + ", expected room for the metadata and a journal" +
                         " (journal=SIZE makes it smaller; mke2fs makes none below 8 MiB)");
        return;
    }
    const bool postmark = config.benchmark == Benchmark::postmark;
    const std::uint64_t files = postmark ? config.postmark.files : config.filebench.files;
    const std::uint64_t largest = postmark ? config.postmark.largest : config.filebench.bytes;
    const std::uint64_t blocks = files * ((largest + kBlockBytes - 1) / kBlockBytes);
    const std::uint64_t free = layout.blocks() - layout.fixed_blocks();
    if (blocks > free || files > layout.inodes()) {
        errors.push_back("files: found " + std::to_string(files) + " of up to " + std::to_string(largest) +
                         " bytes, expected " + std::to_string(free) + " blocks of 4 KiB and " +
                         std::to_string(layout.inodes()) + " files at most in a file system of " + device);
    }
}

}  // namespace

bool is_fs_workload(std::string_view spec) {
    const View pattern = value_of(split_spec(spec), "pattern");
    return std::find(kFilesystemPatternNames.begin(), kFilesystemPatternNames.end(), pattern) !=
           kFilesystemPatternNames.end();
}

FsWorkloadConfig parse_fs_workload(std::string_view spec, std::uint64_t device_sectors) {
    SOLIDTLM_CHECK(is_fs_workload(spec), "a benchmark on a file system");
    Parsed parsed;
    const std::vector<SpecItem> items = split_spec(spec);
    // Which keys are known depends on the pattern, wherever it stands.
    (void)keep_name(value_of(items, "pattern"), kFilesystemPatternNames, parsed.config.benchmark);
    std::vector<std::string> errors;
    std::vector<View> seen;
    for (const SpecItem& item : items) {
        std::string error = read_item(item, parsed, seen);
        if (!error.empty()) {
            errors.push_back(std::move(error));
        }
    }
    if (errors.empty()) {
        settle(parsed, device_sectors, errors);
    }
    if (errors.empty()) {
        check_space(parsed.config, errors);
    }
    throw_spec_errors(spec, errors);
    return parsed.config;
}

std::string fs_workload_help() {
    return key_help(kKeys);
}

}  // namespace solidtlm::testbench::fs
