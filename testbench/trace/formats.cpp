// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/formats.h"

#include <array>
#include <vector>

#include "testbench/trace/fields.h"
#include "testbench/workload/suggest.h"

namespace solidtlm::testbench {
namespace {

constexpr std::array kFormats{
    Format{"nbd", "block requests with content identities", true, false, true, make_nbd_reader},
    Format{"cmds", "ATA commands with tags", true, false, false, make_cmds_reader},
    Format{"spc", "UMass/SPC: ASU,LBA,size,opcode,timestamp", true, true, false, make_spc_reader},
    Format{"flashsim", "FlashSim: t_ms device lba pages op", true, true, false, make_flashsim_reader},
    Format{"msr", "MSR Cambridge CSV", false, true, false, make_msr_reader},
    Format{"msr_cut", "MSR Cambridge cut: t_ms device offset bytes op", true, true, false,
           make_msr_cut_reader},
    Format{"disksim", "DiskSim ASCII: t_ms device lba sectors flags", true, true, false, make_disksim_reader},
    Format{"mqsim", "MQSim ASCII: t_ns device lba sectors op", true, true, false, make_mqsim_reader},
    Format{"blkparse", "blkparse text", false, true, false, make_blkparse_reader},
    Format{"fio", "fio iolog version 2 or 3", false, true, false, make_fio_reader},
    Format{"fiu", "FIU block trace with MD5 of the contents", false, true, true, make_fiu_reader},
    Format{"vscsi", "VMware vscsiStats version 1, binary", false, false, false, make_vscsi_reader},
    Format{"nexus5", "Nexus 5 phone trace", false, false, false, make_nexus5_reader},
};

}  // namespace

std::span<const Format> formats() {
    return kFormats;
}

const Format& format_named(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Format& format : kFormats) {
        if (format.name == name) {
            return format;
        }
        names.push_back(format.name);
    }
    throw InputError("--format: found " + quoted(name) + ", expected one of " + join_names(names) +
                     did_you_mean(name, names));
}

}  // namespace solidtlm::testbench
