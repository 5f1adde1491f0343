// SPDX-License-Identifier: Apache-2.0
//
// Tries to break the drive.
#include <systemc>

#include "testbench/sim/log.h"
#include "testbench/torture/torture_program.h"

int sc_main(int argc, char* argv[]) {
    solidtlm::testbench::start_logging("error");
    return solidtlm::testbench::torture_program(argc, argv);
}
