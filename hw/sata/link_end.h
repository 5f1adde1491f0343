// SPDX-License-Identifier: Apache-2.0
//
// Frames as the link and its ends hand them on. An end that shares the link's agenda calls the link and is
// called by it; over TLM sockets, where a protocol checker or a module of another make stands, the same goes
// as payloads: LinkPlug makes them of an end's calls, and LinkSide of the link's.
#pragma once

#include "hw/sata/fis.h"

namespace solidtlm::hw {

/// Host or device.
class LinkEnd {
  public:
    /// The last dword of a frame comes at `at`; its content is there during the call only.
    virtual void frame_came(const SataFrame& frame, Ps at) = 0;
    /// One of this end has gone, or is lost.
    virtual void frame_gone(const SataFrame& frame) = 0;
    /// To the device.
    virtual void signalled(LinkSignal signal) = 0;

  protected:
    ~LinkEnd() = default;
};

}  // namespace solidtlm::hw
