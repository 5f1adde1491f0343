// SPDX-License-Identifier: Apache-2.0
//
// A file in the Trace Event Format ("Trace Event Format", Google 2016), which ui.perfetto.dev and
// chrome://tracing read: JSON, one event per line. Times are microseconds with six decimals, so every
// picosecond is kept.
//
// Slices are pairs of B and E, not X: viewers round times to nanoseconds, and a rounded begin plus a rounded
// duration may reach into the next slice, which Perfetto then drops.
#pragma once

#include <cstdint>
#include <string_view>

#include "fw/hal/types.h"
#include "testbench/sim/files/streamed_file.h"

namespace solidtlm::testbench {

/// Processes group threads; slices of one thread nest.
struct Track {
    std::uint32_t process = 0;
    std::uint32_t thread = 0;
};

class TimelineWriter {
  public:
    explicit TimelineWriter(StreamedFile& file);

    /// Groups are shown in the order of their numbers.
    void name_process(std::uint32_t process, std::string_view name);
    void name_thread(Track track, std::string_view name);

    /// Slices of a track must come ordered by time. `args`: members of a JSON object, may be empty.
    void begin(Track track, hal::Ps at, std::string_view name, std::string_view category,
               std::string_view args);
    void end(Track track, hal::Ps at);
    /// An arrow between slices that are open at these instants. Call it after their begins were written.
    void flow(std::uint64_t id, Track from, hal::Ps from_at, Track to, hal::Ps to_at);
    void counter(std::uint32_t process, hal::Ps at, std::string_view name, std::uint64_t value);
    /// Ends the document.
    void finish();

  private:
    void line(std::string_view text);

    StreamedFile& file_;
    bool first_ = true;
};

}  // namespace solidtlm::testbench
