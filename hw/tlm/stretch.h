// SPDX-License-Identifier: Apache-2.0
//
// Stretches: while a data phase has link, DRAM port and host port to itself, one object computes its
// remaining frames in a loop. It does so late and all at once, for the same instants at which the agenda
// would have called the blocks. An access from outside to one of the blocks first makes the stretch catch up,
// so that it finds the block as it is by then. So the agenda has an entry for the end of a stretch instead of
// some for each of its steps. Ties: an access from outside at the instant of a step comes before the step.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/tlm/dram_service.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw {

class Stretch {
  public:
    /// Does what has happened before now.
    virtual void catch_up() = 0;
    /// Catches up and ends: the blocks are as if the agenda had called them all the time.
    virtual void cut() = 0;
    /// Another access to the DRAM begins now.
    virtual void dram_asked() = 0;
    /// After dram_asked(): that access takes the DRAM up to `until`.
    virtual void dram_taken(Ps until) = 0;

  protected:
    ~Stretch() = default;
};

/// The DRAM, as the host port's stretch sees it.
class StretchDram {
  public:
    /// False: somebody watches, is being served or waits.
    virtual bool begin_stretch(Stretch& stretch) = 0;
    virtual void end_stretch() = 0;
    /// An access that is asked for at `at`, when the DRAM is idle; since then nobody has come.
    virtual DramTimes serve_stretch(Ps at, const DramRequest& request) = 0;

  protected:
    ~StretchDram() = default;
};

/// A host that takes part in stretches of data phases: it may be told late of data that it receives, and
/// asked late for those that it sends.
class StretchHost {
  public:
    /// The next full Data FIS of the open phase: its content, or null. It has gone.
    virtual std::byte* next_data(std::uint32_t bytes) = 0;
    /// Sends it as if it had been asked for now.
    virtual void send_data() = 0;

  protected:
    ~StretchHost() = default;
};

}  // namespace solidtlm::hw
