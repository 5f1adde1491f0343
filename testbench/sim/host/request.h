// SPDX-License-Identifier: Apache-2.0
//
// A request as a trace or a generator produces it, before the host turns it into commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fw/hal/host.h"
#include "fw/hal/types.h"
#include "testbench/sim/host/content_layout.h"

namespace solidtlm::testbench {

using hal::Lba;
using hal::Ps;
using hal::TrimRange;

enum class Operation : std::uint8_t { read, write, trim, flush };

struct Request {
    Operation operation = Operation::read;
    Ps arrival{0};              ///< since the first request of the source; 0 for all: as fast as possible
    Lba lba;                    ///< for read, write
    std::uint64_t sectors = 0;  ///< for read, write: at least 1; may exceed one ATA command
    bool fua = false;           ///< for write
    bool queued = true;         ///< read, write: NCQ; false: READ/WRITE DMA EXT. Trim: SEND FPDMA QUEUED
    /// recorded number of requests outstanding at issue, this one included; 0: unknown
    std::uint32_t queue_depth = 0;
    std::uint64_t token = 0;        ///< for the source's use, returned by SourceFeedback::completed()
    std::vector<TrimRange> ranges;  ///< for trim; a range may exceed the 65,535 sectors of one DSM entry
    /// For write: the content identity of each 4 KiB block in order, if the source knows them (0: all zeros).
    /// Empty: the host makes up unique contents.
    std::vector<std::uint64_t> content;
    ContentLayout content_layout;  ///< for write: which sectors each identity covers
    /// With ContentMode::bytes: the bytes to write, or the place for the bytes read, until the request has
    /// ended. Empty: contents are made up, and bytes read are dropped.
    std::span<std::byte> data;

    /// Resets to a default request, keeping the vectors' memory.
    void clear() {
        operation = Operation::read;
        arrival = Ps{0};
        lba = Lba{0};
        sectors = 0;
        fua = false;
        queued = true;
        queue_depth = 0;
        token = 0;
        ranges.clear();
        content.clear();
        content_layout = {};
        data = {};
    }
};

/// A user's mistake in an input. The message names the file, the line, what was found and what was expected.
/// Exit code 2.
class InputError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// For a source whose next requests depend on how earlier ones went, such as a program that waits for a read
/// before it continues. Times count from the source's time 0, as Request::arrival does, and never decrease.
class SourceFeedback {
  public:
    virtual ~SourceFeedback() = default;
    /// The time is `now`. Called before every next(), which may then return false although more requests will
    /// come.
    virtual void advance(Ps now) = 0;
    /// All commands of the request with this token have ended; `ok`: without an error.
    virtual void completed(std::uint64_t token, bool ok, Ps now) = 0;
    /// No request will come any more: next() has returned false for good.
    [[nodiscard]] virtual bool ended() const = 0;
    /// When next() may have a request even if no other request completes; nothing: it waits for a completion.
    [[nodiscard]] virtual std::optional<Ps> wakes_at() const = 0;
    /// Named numbers about the run for the result's section `filesystem`; empty: there is no such section.
    [[nodiscard]] virtual std::vector<std::pair<std::string, double>> counters() const = 0;
};

/// Consecutive sectors.
struct SectorRange {
    Lba first;
    std::uint64_t sectors = 0;
};

/// A source of requests. They are taken one at a time, so that a trace is never in memory as a whole.
class RequestSource {
  public:
    virtual ~RequestSource() = default;
    /// Fills `request` (cleared by the callee) and returns true, or returns false at the end.
    /// Throws InputError for malformed input.
    virtual bool next(Request& request) = 0;
    /// Total number of requests, if it is known without reading everything (for the progress bar).
    [[nodiscard]] virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
    /// Where requests will read, in ascending order; empty: nowhere, or it is not known beforehand.
    [[nodiscard]] virtual std::vector<SectorRange> reads() const { return {}; }
    /// The object that is told how the requests went. Null: there is none, and next() returns false only at
    /// the end.
    [[nodiscard]] virtual SourceFeedback* feedback() { return nullptr; }
};

}  // namespace solidtlm::testbench
