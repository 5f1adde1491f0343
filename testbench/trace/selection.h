// SPDX-License-Identifier: Apache-2.0
//
// Which requests of a trace are given, and where they go before they are fitted to a drive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/names.h"
#include "testbench/host/request.h"

namespace solidtlm::testbench {

/// The options that make one.
inline const platform::Names kTraceOptions{"--device",      "--action", "--trace-from",
                                           "--trace-until", "--offset", "--scale"};

struct TraceSelection {
    std::string device;  ///< requests to this one of the trace only; empty: to all, as one device
    std::string action;  ///< D, Q or C: the event that is a request, where a trace tells several; empty: D
    Ps from{0};          ///< since the first request of the trace
    std::optional<Ps> until;  ///< not included; nothing: to the end
    std::int64_t offset = 0;  ///< sectors that are added to every address
    double scale = 1.0;       ///< what addresses, in units of 4 KiB, are multiplied by after that

    [[nodiscard]] bool any() const;
    /// Moves the request's addresses. `where` begins the message of an address that leaves what a drive can
    /// have.
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
