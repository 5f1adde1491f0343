// SPDX-License-Identifier: Apache-2.0
//
// Which requests of a trace are used, and how their addresses are moved before they are fitted to a drive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/names.h"
#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

/// Options that set a TraceSelection.
inline const platform::Names kTraceOptions{"--device",      "--action", "--trace-from",
                                           "--trace-until", "--offset", "--scale"};

struct TraceSelection {
    std::string device;  ///< only requests to this device of the trace; empty: to all, as one device
    /// D, Q or C: the event that counts as the request, if a trace has several; empty: D
    std::string action;
    Ps from{0};               ///< counted from the first request of the trace
    std::optional<Ps> until;  ///< exclusive; nothing: to the end
    std::int64_t offset = 0;  ///< added to every address, in sectors
    double scale = 1.0;       ///< then multiplies addresses, in units of 4 KiB

    [[nodiscard]] bool any() const;
    /// Moves the request's addresses. `where` begins the message for an address beyond the largest possible
    /// drive.
    template <class Where>
    void move(Request& request, Where&& where) const {
        if ((offset != 0 || scale != 1.0) && !moved(request)) {
            refuse(request, where());
        }
    }

  private:
    [[nodiscard]] bool moved(Request& request) const;
    [[nodiscard]] bool moved(Lba& lba, std::uint64_t sectors) const;
    [[noreturn]] void refuse(const Request& request, const std::string& where) const;
};

}  // namespace solidtlm::testbench
