// SPDX-License-Identifier: Apache-2.0
//
// Where flash programs a word line in several passes, a program waits for the next word line of its block
// (fw/flash/staircase_flash.h). This class programs padding there, if no data come and the drive needs the
// end of the program: docs/architecture/firmware.md, "Word lines in several passes", says when that is so.
//
// Padding counts as the host's (ftl.padded_units) or collection's (gc.padded_units).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fw/flash/program_op.h"
#include "fw/page_map/page_map.h"

namespace solidtlm::fw {

class WordLineCloser {
  public:
    /// Whose programs have to end.
    struct Needs {
        bool host = false;   ///< the host's
        bool space = false;  ///< those of collection whose end frees a superblock
        bool all = false;
    };

    /// REQUIRES: pages.services.staircase.
    explicit WordLineCloser(PageMap& pages);

    /// Programs one word line of padding in each block whose programs wait and have to end, unless more data
    /// are about to come there. To be called again when it has ended, which wakes the destager. Returns units
    /// of padding of the host.
    std::uint32_t close(Needs needs);
    /// Padding is being programmed.
    [[nodiscard]] bool at_work() const { return under_way_ > 0; }

  private:
    struct Padding {
        ProgramOp program;
        SuperpageAddress at;
        Stream stream = Stream::host;
        bool busy = false;
    };

    [[nodiscard]] bool needed(Pu pu, Stream stream, Needs needs) const;
    bool close(Pu pu, Stream stream);
    Task<void> pad(Padding& padding);

    PageMap& pages_;
    StaircaseFlash& flash_;
    std::vector<std::unique_ptr<Padding>> paddings_;  // one for each stream of each parallel unit
    std::uint32_t under_way_ = 0;
};

}  // namespace solidtlm::fw
