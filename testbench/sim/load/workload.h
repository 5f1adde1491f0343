// SPDX-License-Identifier: Apache-2.0
//
// Synthetic workloads as a source of requests. The same configuration and seed give the same requests.
//
// A request is drawn in independent steps: operation, size, address, arrival. The models of the studies draw
// operation, size and address together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

/// When requests arrive.
///  none         all at 0: as fast as the device takes them;
///  fixed        every 1 / rate seconds;
///  exponential  gaps exponentially distributed with mean 1 / rate (a Poisson process).
/// The first arrives at 0.
enum class Arrivals : std::uint8_t { none, fixed, exponential };

struct SizeShare {
    std::uint64_t sectors = 8;
    double weight = 1;
};

/// Parameters of the studies' models, in addition to the keys of all workloads (docs/workloads.md). Lengths
/// are those of the full size times `scale`.
struct StudyConfig {
    double scale = 1;  ///< factor for addresses, unique data and requests, relative to the published ones
    std::uint64_t address_bytes = 0;  ///< size of the traced drive
    std::uint64_t unique_bytes = 0;   ///< size of the addresses in use
    std::uint64_t requests = 0;       ///< in the whole workload; first uses of data are spread over them
    double run = 1;                   ///< pc, pc_application, webvm: mean requests in a forward run
    double head = 0;                  ///< pc: probability that a visit begins with a request for the head
    double density = 1;               ///< tpcc: share of the pages in a unit that a sweep writes
    double small = 0;                 ///< iozone, pc_application: share of small requests
    std::vector<SizeShare> small_sizes{{}};
    double reuse = 0;                ///< pc_application: share of small requests that repeat an earlier place
    std::uint64_t file_sectors = 0;  ///< iozone
    std::uint64_t passes = 1;        ///< iozone: number of times that a file is written
    double overwrite = 0;            ///< webvm: share of the writes that repeat an earlier place
};

/// The contents of writes, in blocks of 4 KiB (docs/workloads.md).
struct ContentConfig {
    double duplicates = 0;  ///< share of the blocks that repeat the contents of another place
    double recency = 1;  ///< exponent: contents written d blocks ago are repeated in proportion to d^-recency
    double run = 1;      ///< mean number of consecutive repeated blocks
    double collisions = 0;  ///< share of the blocks whose contents come in pairs with equal CRC-32

    [[nodiscard]] bool given() const { return duplicates > 0 || collisions > 0; }
};

struct WorkloadConfig {
    std::string pattern = "random";  ///< one of patterns()
    double read_share = 1;           ///< share of reads among reads and writes
    double fua_share = 0;            ///< share of writes with FUA
    double trim_share = 0;           ///< share of trims among all requests except flushes
    std::uint64_t flush_every = 0;   ///< a flush after every n-th write, at its arrival; 0: none
    bool queued_trim = false;        ///< use SEND FPDMA QUEUED instead of DATA SET MANAGEMENT
    std::vector<SizeShare> sizes{{}};
    std::vector<SizeShare> trim_sizes{{}};
    std::uint64_t align_sectors = 8;  ///< alignment of every request's start
    /// start of the range, whose length is a whole number of alignment units
    std::uint64_t first_sector = 0;
    std::uint64_t end_sector = 0;
    std::uint64_t count = 0;        ///< number of requests, including flushes and trims; 0: unlimited
    std::uint64_t total_bytes = 0;  ///< stop after this many bytes were read and written; 0: unlimited
    Arrivals arrivals = Arrivals::none;
    double rate = 0;    ///< requests per second without flushes; the rate within a burst if there are pauses
    Ps idle{0};         ///< mean pause between bursts, exponentially distributed; 0: no pauses
    double burst = 64;  ///< mean number of requests per burst, geometrically distributed
    /// for sequential, tpcc, pc_application; for app_install, the number of applications
    std::uint64_t streams = 1;
    double theta = 0.99;      ///< for zipf, pc, financial, webvm
    double hot_space = 0.2;   ///< for hotcold
    double hot_access = 0.8;  ///< for hotcold
    std::uint64_t seed = 1;
    StudyConfig study;
    ContentConfig contents;
};

/// Reads "random,read=0.7,size=4k:3/64k:1,count=100000,range=0-8GiB,...": a pattern, then keys in any order
/// (see workload_help()). Throws InputError that lists all mistakes: key, value, what is allowed, the nearest
/// known key; `option` is the option whose value the text is. The range is the whole device
/// (`device_sectors`) unless the text says otherwise.
[[nodiscard]] WorkloadConfig parse_workload(std::string_view spec, std::uint64_t device_sectors,
                                            std::string_view option = "--workload");

/// Whether writes have content identities; otherwise all blocks are different.
[[nodiscard]] bool tells_contents(const WorkloadConfig& config);

/// How long `count` requests take on average, from the first arrival to the last; 0 without arrivals.
[[nodiscard]] double mean_seconds(const WorkloadConfig& config);

/// One line per key, for --help.
[[nodiscard]] std::string workload_help();

/// The source for a configuration that parse_workload() has checked.
[[nodiscard]] std::unique_ptr<RequestSource> make_workload(const WorkloadConfig& config);

}  // namespace solidtlm::testbench
