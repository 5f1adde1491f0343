// SPDX-License-Identifier: Apache-2.0
//
// Writes the requests of the host to a trace of the format `cmds` (traces/README.md), in the order of
// arrival. tb_replay sends the same requests at the same times.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>

#include "testbench/doors/disk/disk_source.h"
#include "testbench/sim/files/streamed_file.h"

namespace solidtlm::testbench::disk {

class RecordingLog : public RequestLog {
  public:
    /// Throws OutputError.
    explicit RecordingLog(const std::filesystem::path& path) : file_(path) {}

    void begun(std::uint64_t number, const Request& request) override;
    void ended(std::uint64_t number, Ps now) override;
    /// Finishes the file without the requests that have not ended. Throws OutputError.
    void finish() { file_.finish(); }

  private:
    struct Line {
        Ps arrival{0};
        std::string text;  ///< the line before its latency
        bool queued = true;
        bool ended = false;
        Ps latency{0};
    };

    StreamedFile file_;
    std::deque<Line> lines_;   ///< from the first unfinished request on
    std::uint64_t first_ = 0;  ///< number of the first line
};

}  // namespace solidtlm::testbench::disk
