// SPDX-License-Identifier: Apache-2.0
//
// Frames as the link and its ends hand them on. An end that shares the link's agenda calls the link and is
// called by it; over TLM sockets, where a protocol checker or a module of another make stands, the same goes
// as payloads: LinkPlug makes them of an end's calls, and LinkSide of the link's.
#pragma once

#include "hw/sata/fis.h"

namespace solidtlm::hw {

/// Host or device. Of frames with SataFrame::in_phase it may be told when `at` has passed (hw/tlm/machine.h):
/// its answer is a frame that it sends in the call, at `at`.
class LinkEnd {
  public:
    /// The last dword of a frame comes at `at`; its content is there during the call only. `alone`: nothing
    /// else is due at that instant, so the end may do at once what it would ask the agenda for.
    virtual void frame_came(const SataFrame& frame, Ps at, bool alone) = 0;
    /// One of this end has gone at `at`, or is lost.
    virtual void frame_gone(const SataFrame& frame, Ps at, bool alone) = 0;
    /// To the device.
    virtual void signalled(LinkSignal signal) = 0;

  protected:
    ~LinkEnd() = default;
};

}  // namespace solidtlm::hw
