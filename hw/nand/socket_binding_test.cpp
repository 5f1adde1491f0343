// SPDX-License-Identifier: Apache-2.0
//
// Which sockets bind to each other: only those of one protocol. A wrong binding does not compile.
#include <gtest/gtest.h>

#include "hw/nand/nand_protocol.h"
#include "hw/tlm/flash_protocol.h"

namespace solidtlm::hw {
namespace {

struct Anyone;
using BaseInitiator = tlm_utils::simple_initiator_socket<Anyone>;
using BaseTarget = tlm_utils::passthrough_target_socket<Anyone>;
using FlashInitiator = FlashInitiatorSocket<Anyone>;
using FlashTarget = FlashTargetSocket<Anyone>;
using NandInitiator = NandInitiatorSocket;
using NandTarget = NandTargetSocket<Anyone>;

template <class Initiator, class Target>
concept Binds = requires(Initiator& initiator, Target& target) {
    initiator.bind(target);
};

TEST(Sockets, BindWithinTheirProtocolOnly) {
    static_assert(Binds<BaseInitiator, BaseTarget>);
    static_assert(Binds<FlashInitiator, FlashTarget>);
    static_assert(Binds<NandInitiator, NandTarget>);

    static_assert(!Binds<BaseInitiator, FlashTarget> && !Binds<BaseInitiator, NandTarget>);
    static_assert(!Binds<FlashInitiator, BaseTarget> && !Binds<FlashInitiator, NandTarget>);
    static_assert(!Binds<NandInitiator, BaseTarget> && !Binds<NandInitiator, FlashTarget>);
}

}  // namespace
}  // namespace solidtlm::hw
