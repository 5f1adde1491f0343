// SPDX-License-Identifier: Apache-2.0
//
// The entry point of the firmware's tests, which need no SystemC.
#include <gtest/gtest.h>

int main(int argc, char* argv[]) {
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
