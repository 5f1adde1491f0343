// SPDX-License-Identifier: Apache-2.0
//
// The entry point of every test executable that links SystemC.
#include <gtest/gtest.h>

#include <systemc>

#include "hw/tlm/report_guard.h"

int sc_main(int argc, char* argv[]) {
    testing::InitGoogleTest(&argc, argv);
    solidtlm::hw::install_report_guard();
    return RUN_ALL_TESTS();
}
