// SPDX-License-Identifier: Apache-2.0
//
// How hardware tells firmware that something is done: a plain call-back (an interrupt, if you like). The
// runtime turns it into the resumption of a coroutine.
#pragma once

namespace solidtlm::hal {

struct Completion {
    void (*notify)(void* context) = nullptr;
    void* context = nullptr;

    void operator()() const { notify(context); }
    explicit operator bool() const { return notify != nullptr; }
};

}  // namespace solidtlm::hal
