// SPDX-License-Identifier: Apache-2.0
//
// Synthetic workloads as a source of requests. The same configuration and seed give the same requests.
//
// A request is drawn in steps that do not depend on each other: operation, size, address, arrival. The models
// of the studies draw operation, size and address together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/host/request.h"

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

/// What the models of the studies need in addition to the keys that all workloads share (docs/workloads.md).
/// Lengths are those of the full size times `scale`.
struct StudyConfig {
    double scale = 1;                 ///< of addresses, unique data and requests against the published ones
    std::uint64_t address_bytes = 0;  ///< of the drive that was traced
    std::uint64_t unique_bytes = 0;   ///< of the addresses in use
    std::uint64_t requests = 0;       ///< in the whole workload; new data is spread over them
    double run = 1;                   ///< pc, pc_application, webvm: mean requests in a forward run
    double head = 0;                  ///< pc: probability that a visit begins with a look at the head
    double density = 1;               ///< tpcc: share of the pages that a sweep writes
    double small = 0;                 ///< iozone, pc_application: share of small requests
    std::vector<SizeShare> small_sizes{{}};
    double reuse = 0;                ///< pc_application: share of small requests to a place used before
    std::uint64_t file_sectors = 0;  ///< iozone
    std::uint64_t passes = 1;        ///< iozone: times a file is written
    double overwrite = 0;            ///< webvm: share of the writes that go where an earlier one went
};

/// What is written, in blocks of 4 KiB (docs/workloads.md).
struct ContentConfig {
    double duplicates = 0;  ///< share of the blocks that repeat what another place holds
    double recency = 1;     ///< what was written d blocks ago is repeated in proportion to d^-recency
    double run = 1;         ///< mean blocks repeated one after another
    double collisions = 0;  ///< share of the blocks whose contents come in pairs of equal CRC-32

    [[nodiscard]] bool given() const { return duplicates > 0 || collisions > 0; }
};

struct WorkloadConfig {
    std::string pattern = "random";  ///< one of patterns()
    double read_share = 1;           ///< of reads and writes, those that are reads
    double fua_share = 0;            ///< of writes
    double trim_share = 0;           ///< of all requests but flushes
    std::uint64_t flush_every = 0;   ///< a flush after every n-th write, at its arrival; 0: none
    bool queued_trim = false;        ///< SEND FPDMA QUEUED instead of DATA SET MANAGEMENT
    std::vector<SizeShare> sizes{{}};
    std::vector<SizeShare> trim_sizes{{}};
    std::uint64_t align_sectors = 8;  ///< of every request's start
    std::uint64_t first_sector = 0;   ///< the range, a whole number of alignment units
    std::uint64_t end_sector = 0;
    std::uint64_t count = 0;        ///< requests, flushes and trims included; 0: unlimited
    std::uint64_t total_bytes = 0;  ///< stop when this much has been read and written; 0: unlimited
    Arrivals arrivals = Arrivals::none;
    double rate = 0;            ///< per second, flushes not counted; within a burst if there are pauses
    Ps idle{0};                 ///< mean of the pauses between bursts, exponentially distributed; 0: none
    double burst = 64;          ///< mean requests of a burst, geometrically distributed
    std::uint64_t streams = 1;  ///< sequential, tpcc, pc_application; app_install: applications
    double theta = 0.99;        ///< zipf, pc, financial, webvm
    double hot_space = 0.2;     ///< hotcold
    double hot_access = 0.8;    ///< hotcold
    std::uint64_t seed = 1;
    StudyConfig study;
    ContentConfig contents;
};

/// Reads "random,read=0.7,size=4k:3/64k:1,count=100000,range=0-8GiB,...": a pattern, then keys in any order
/// (see workload_help()). Throws InputError that lists all mistakes: key, value, what is allowed, the nearest
/// known key; `option` is what the text was given to. The range is the whole device (`device_sectors`) unless
/// given.
[[nodiscard]] WorkloadConfig parse_workload(std::string_view spec, std::uint64_t device_sectors,
                                            std::string_view option = "--workload");

/// Writes tell the identities of their contents; otherwise every block is unlike any other.
[[nodiscard]] bool tells_contents(const WorkloadConfig& config);

/// One line per key, for --help.
[[nodiscard]] std::string workload_help();

/// Of a configuration as parse_workload() returns it, which has found all mistakes.
[[nodiscard]] std::unique_ptr<RequestSource> make_workload(const WorkloadConfig& config);

}  // namespace solidtlm::testbench
