// SPDX-License-Identifier: Apache-2.0
//
// Formats with one request per line, each declared in one line. A format whose lines are numbers alone says
// what a file must show before it is taken for one (evidence.h); words, headings and a length that is given
// twice are evidence themselves.
#include <array>

#include "testbench/sim/load/trace/formats.h"

namespace solidtlm::testbench {

Format declared(hal::Named named, std::string_view declaration) {
    const auto columns = std::make_shared<const Columns>(parse_columns(declaration));
    const FormatTraits traits{.in_time_order = columns->ordered,
                              .has_devices = columns->device.given(),
                              .has_actions = columns->action.given(),
                              .has_contents = false};
    return {named, nullptr, traits, columns};
}

std::span<const Format> declared_formats() {
    static const std::array all{
        declared({"alibaba", "Alibaba block traces 2020"},
                 "device=1 op=2{R;W} offset=3:B size=4:B time=5:us columns=5 sep=,"),
        declared({"biosnoop", "bcc's biosnoop"},
                 "time=TIME(s):s wide=COMM device=DISK op=T:rwbs offset=SECTOR:sectors size=BYTES:B "
                 "latency=LAT(ms):ms ignore={*}"),
        declared({"blkparse", "blkparse text"},
                 "device=1:pair number=2 number=3 time=4:s action=6 op=7:rwbs range=8 "
                 "ignore={CPU,Total,Input,Throughput}"),
        declared({"blkreplay", "blkreplay's load files"},
                 "time=1:s offset=2:sectors size=3:sectors op=4{R;W} sep=; ignore={*}"),
        declared({"bpftrace", "bpftrace: nsecs major,minor rwbs sector sectors"},
                 "time=1:ns device=2:pair op=3:rwbs offset=4:sectors size=5:sectors columns=5 ignore={*}"),
        declared({"disksim", "DiskSim ASCII: t_ms device lba sectors flags"},
                 "time=1:ms device=2 number=2 offset=3:sectors size=4:sectors op=5&1{1;0} columns=5 ordered "
                 "evidence={time:point;size:8,op:2}"),
        declared(
            {"disksim_validate", "DiskSim's form for validation: op cache lba sectors service_us next_us"},
            "op=1{R;W} offset=3:sectors size=4:sectors number=5 after=6:us columns=6 ordered"),
        declared({"etw", "DiskIO events of Windows, as xperf's dumper writes them"},
                 "op=1{DiskRead;DiskWrite;;DiskFlush;*} time=TimeStamp:us offset=ByteOffset:B size=IOSize:B "
                 "latency=ElapsedTime:us device=DiskNum sep=,"),
        declared({"flashsim", "FlashSim: t_ms device lba pages op"},
                 "time=1:ms device=2 number=2 offset=3:sectors size=4:pages op=5{1;0} columns=5 ordered "
                 "evidence={time:point;size:8,op:2}"),
        declared({"ftrace", "block_rq_issue of ftrace, trace-cmd and perf script"},
                 "at=block_rq_issue: time=-1:s device=1:pair op=2:rwbs range=3 evidence={time:point}"),
        declared({"ftrace_bio", "block_bio_queue of ftrace: devices that only pass requests on"},
                 "at=block_bio_queue: time=-1:s device=1:pair op=2:rwbs range=3 "
                 "evidence={time:point;without:block_rq_issue:}"),
        declared({"ftrace_ns", "as ftrace, with times in ns, as trace_clock boot and mono_raw may give"},
                 "at=block_rq_issue: time=-1:ns device=1:pair op=2:rwbs range=3 evidence={time:apart}"),
        declared({"mqsim", "MQSim ASCII: t_ns device lba sectors op"},
                 "time=1:ns device=2 number=2 offset=3:sectors size=4:sectors op=5{1;0} columns=5 ordered "
                 "evidence={time:apart;size:8,op:2}"),
        declared({"msr", "MSR Cambridge CSV"},
                 "time=1:100ns device=3 number=3 op=4{Read;Write} offset=5:B size=6:B columns=7 sep=,"),
        declared({"msr_cut", "MSR Cambridge cut: t_ms device offset bytes op"},
                 "time=1:ms device=2 number=2 offset=3:B size=4:B whole op=5{1;0} columns=5 ordered "
                 "evidence={time:point;lines:16;offset:512;size:512;size:4096+}"),
        declared({"nvme_setup_cmd", "nvme_setup_cmd of ftrace, trace-cmd and perf script"},
                 "at=nvme_setup_cmd: time=-1:s device=disk= op=cmd={nvme_cmd_read;"
                 "nvme_cmd_write,nvme_cmd_zone_append;;nvme_cmd_flush;nvme_cmd_dsm,nvme_cmd_compare,"
                 "nvme_cmd_write_uncor,nvme_cmd_verify,nvme_cmd_zone_mgmt_send,nvme_cmd_zone_mgmt_recv,*;"
                 "nvme_cmd_write_zeroes} offset=slba=:sectors size=len=:sectors+1 "
                 "evidence={without:block_rq_issue:}"),
        declared({"nexus5", "Nexus 5 phone trace"},
                 "offset=1:sectors size=2:sectors again=3:B op=4&1{0;1} time=5:s number=6 number=7 number=8 "
                 "columns=8"),
        declared({"spc", "UMass/SPC: ASU,LBA,size,opcode,timestamp"},
                 "device=1 number=1 offset=2:sectors size=3:B op=4{R;W} time=5:s sep=, ordered"),
        declared({"systor17", "SYSTOR '17: timestamp,response,op,LUN,offset,size"},
                 "time=1:s op=3{R;W;;;''} device=4 offset=5:B size=6:B columns=6 sep=,"),
        declared({"tencent", "Tencent CBS: s,sector,sectors,op,volume"},
                 "time=1:s offset=2:sectors size=3:sectors op=4{0;1} device=5 columns=5 sep=, "
                 "evidence={time:calendar;size:8,op:2}"),
        declared({"vscsi_rw", "vscsiStats as text: op s lba sectors"},
                 "op=1{R,Read;W,Write} time=2:s offset=3:sectors size=4:sectors columns=4"),
        declared({"vscsi_text", "vscsiStats as text: version us opcode bytes lba [response_us]"},
                 "is=1{1,2} time=2:us op=3:scsi size=4:B offset=5:sectors evidence={op:known}")};
    return all;
}

}  // namespace solidtlm::testbench
