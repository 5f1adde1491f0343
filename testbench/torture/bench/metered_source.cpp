// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/bench/metered_source.h"

#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>

#include "hw/tlm/time.h"

namespace solidtlm::testbench {
namespace {

/// The second number of /proc/self/statm is the resident set in pages (proc(5)).
std::uint64_t resident_bytes() {
    std::uint64_t total_pages = 0;
    std::uint64_t resident_pages = 0;
    std::ifstream("/proc/self/statm") >> total_pages >> resident_pages;
    return resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool MeteredSource::next(Request& request) {
    if (marks_.size() < at_.size() && taken_ == at_[marks_.size()]) {
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now().time_since_epoch();
        marks_.push_back(
            Mark{taken_, wall.count(), cpu_seconds(), hw::now(), resident_bytes(), counted_entries()});
    }
    const bool more = source_.next(request);
    taken_ += more ? 1 : 0;
    return more;
}

}  // namespace solidtlm::testbench
