// SPDX-License-Identifier: Apache-2.0
//
// How hardware reports to firmware that an operation is done: a plain callback, as an interrupt would be. The
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
