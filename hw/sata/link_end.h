// SPDX-License-Identifier: Apache-2.0
//
// The interface through which the link calls its ends. An end that shares the link's agenda calls the link
// and is called by it. Where a protocol checker or another model is bound, TLM sockets carry these calls as
// payloads: LinkPlug turns an end's calls into payloads, and LinkSide turns the link's calls into payloads.
#pragma once

#include "hw/sata/fis.h"

namespace solidtlm::hw {

/// A host or a device.
class LinkEnd {
  public:
    /// The last dword of a frame comes at `at`: now, or ahead for a host that does not share the link's
    /// agenda. Its content is valid only during the call. `alone`: nothing else is due now, so the end may do
    /// directly what it would ask the agenda for.
    virtual void frame_came(const SataFrame& frame, Ps at, bool alone) = 0;
    /// A frame of this end has gone, or is lost.
    virtual void frame_gone(const SataFrame& frame, bool alone) = 0;
    /// The host has signalled. Only a device is called.
    virtual void signalled(LinkSignal signal) = 0;

  protected:
    ~LinkEnd() = default;
};

}  // namespace solidtlm::hw
