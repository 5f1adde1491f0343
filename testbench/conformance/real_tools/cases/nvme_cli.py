# SPDX-License-Identifier: Apache-2.0
"""nvme-cli. What the drive does not have is refused with the status that NVMe 1.4 names: Invalid Command Opcode (01h),
Invalid Field (02h), Invalid Log Page (109h), Invalid Namespace (0Bh); bit 14 is Do Not Retry."""
from ..tools import Case, Tool
from . import drives

CONTROLLER, NAMESPACE = "/dev/nvme0", "/dev/nvme0n1"
ONE = bytes(range(256)) * 16             # 4 KiB
LARGEST = bytes(reversed(range(256))) * 512  # 128 KiB
UUID = "[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"


def lines(**fields):
    """Facts for lines as `nsze    : 0x4000`."""
    return tuple(rf"^{name}\s*: {value}\s*$" for name, value in fields.items())


def refused(command, status, why):
    return Case(command, 1, f"status {status}h: {why}", (rf"\(0x{status}\)",))


IDENTIFICATION = (
    Case(f"nvme id-ctrl {CONTROLLER}", 0,
         "model, serial number, firmware, version 1.4, MDTS 5, one namespace; thresholds of the temperature; a qualified "
         "name without blanks",
         lines(sn="SN12345678", mn="Conformance NVMe", fr=r"FIRM1\.05", mdts="5", ver="0x10400", cntrltype="1", nn="1",
               oacs="0", oncs="0x5e", sqes="0x66", cqes="0x44", wctemp="343", cctemp="358",
               subnqn=f"nqn.2014-08.org.nvmexpress:uuid:{UUID}")),
    Case(f"nvme id-ns {NAMESPACE}", 0,
         "16,384 sectors of 512 bytes; no thin provisioning, so that utilisation is the size; deallocated sectors read as "
         "zeroes",
         (*lines(nsze="0x4000", ncap="0x4000", nuse="0x4000", nsfeat="0", nlbaf="0", flbas="0", dlfeat="9"),
          r"^lbaf  0 : ms:0   lbads:9  rp:0 \(in use\)$")),
    Case(f"nvme list-ns {CONTROLLER}", 0, "namespace 1 alone", (r"\A\[   0\]:0x1\s*\Z",)),
    Case(f"nvme ns-descs {NAMESPACE}", 0, "a UUID of version 8", (rf"^uuid\s*: {UUID}$",)),
    Case(f"nvme get-ns-id {NAMESPACE}", 0, "namespace 1", (r"namespace-id:1$",)),
    Case(f"nvme admin-passthru {CONTROLLER} -o 6 -n 0xffffffff --cdw10=1 -l 4096 -r -b > page 2> said; tail -c +25 page | "
         "head -c 16", 0, "Identify Controller with any namespace: the model", (r"\AConformance NVMe\Z",)),
    refused(f"nvme id-ns {CONTROLLER} -n 2", "400b", "there is one namespace"),
    *(refused(f"nvme {command} {node}", "4002", "no such structure of Identify")
      for command, node in (("list-ctrl", CONTROLLER), ("id-nvmset", CONTROLLER), ("id-uuid", CONTROLLER),
                            ("id-iocs", CONTROLLER), ("list-endgrp", CONTROLLER), ("primary-ctrl-caps", CONTROLLER),
                            ("list-secondary", CONTROLLER), ("nvm-id-ctrl", CONTROLLER), ("cmdset-ind-id-ns", NAMESPACE),
                            ("id-ns-granularity", CONTROLLER))),
)

FEATURES = (
    Case(f"nvme get-feature {CONTROLLER} -f 4 -H", 0, "over temperature: WCTEMP", (r"343 Kelvin",)),
    Case(f"nvme set-feature {CONTROLLER} -f 4 -v 313", 0, "a threshold at the drive's temperature", (r"^set-feature:0x04",)),
    Case(f"nvme smart-log {CONTROLLER}", 0, "40 °C and the warning", lines(critical_warning="0x2") + (r"\(313 Kelvin\)",)),
    Case(f"nvme set-feature {CONTROLLER} -f 4 -v 343", 0, "back", (r"^set-feature:0x04",)),
    *(Case(f"nvme get-feature {CONTROLLER} -f {number}", 0, meaning, (rf"Current value:{value}$",))
      for number, value, meaning in ((1, "00000000", "arbitration"), (2, "00000000", "power state 0"),
                                     (5, "00000000", "error recovery"), (7, "0x00070007", "queues that were asked for"),
                                     (8, "00000000", "no coalescing"), (9, "0x00010000", "the admin queue's vector is not coalesced"),
                                     ("0xa", "00000000", "atomicity"), ("0xb", "00000000", "no events"))),
    Case(f"nvme set-feature {CONTROLLER} -f 6 -v 0", 0, "write cache off", (r"^set-feature:0x06",)),
    Case(f"nvme get-feature {CONTROLLER} -f 6 -H", 0, "off", (r"\(WCE\): Disabled",)),
    Case(f"nvme get-feature {CONTROLLER} -f 6 -s 1 -H", 0, "on by default", (r"\(WCE\): Enabled",)),
    Case(f"nvme get-feature {CONTROLLER} -f 0xe", 0, "a time that was never set: 0", (r"^0000: 00 00 00 00 00 00 00 00",)),
    refused(f"nvme set-feature {CONTROLLER} -f 6 -v 1 -s", "410d", "no feature is saved"),
    refused(f"nvme get-feature {CONTROLLER} -f 3", "4002", "no such feature"),
    refused(f"nvme get-feature {CONTROLLER} -f 0xc", "4002", "no such feature"),
)

READS_AND_WRITES = (
    Case(f"nvme write {NAMESPACE} -s 100 -c 7 -z 4096 -d one", 0, "8 sectors", (r"^write: Success",)),
    Case(f"nvme read {NAMESPACE} -s 100 -c 7 -z 4096 -d got && cmp got one", 0, "they come back", (r"^read: Success",)),
    Case(f"for i in 1 2 3 4 5 6 7 8 9; do nvme write {NAMESPACE} -s $((1024 * i)) -c 255 -z 131072 -d largest || exit; done", 0,
         "9 writes of 128 KiB"),
    Case(f"for i in 1 2 3 4; do nvme read {NAMESPACE} -s $((1024 * i)) -c 255 -z 131072 -d got && cmp got largest || exit; done", 0,
         "4 reads of 128 KiB"),
    Case(f"nvme smart-log {CONTROLLER}", 0,
         "2,312 sectors in 10 writes, 1,032 in 5 reads, in thousands rounded up; no error",
         (r"^Data Units Written\s*: 3 ", r"^Data Units Read\s*: 2 ",
          *lines(host_write_commands="10", host_read_commands="5", media_errors="0", num_err_log_entries="0",
                 critical_warning="0", power_cycles="1", available_spare="100%", available_spare_threshold="10%"))),
    Case(f"nvme flush {NAMESPACE}", 0, "Flush", (r"^NVMe Flush: success",)),
    Case(f"nvme write-zeroes {NAMESPACE} -s 100 -c 3", 0, "4 sectors", (r"^NVME Write Zeroes Success",)),
    Case(f"nvme read {NAMESPACE} -s 100 -c 7 -z 4096 -d got && cmp -n 2048 got /dev/zero && cmp -i 2048 -n 2048 got one", 0,
         "zeroes, and what was there behind them"),
    Case(f"nvme dsm {NAMESPACE} -d -s 1024,3072 -b 256,256", 0, "deallocates two ranges", (r"^NVMe DSM: success",)),
    Case(f"nvme read {NAMESPACE} -s 3072 -c 255 -z 131072 -d got && cmp -n 131072 got /dev/zero", 0, "zeroes"),
    Case(f"nvme read {NAMESPACE} -s 2048 -c 255 -z 131072 -d got && cmp got largest", 0, "what lay between is intact"),
    Case(f"nvme id-ns {NAMESPACE}", 0, "utilisation is the size, as announced", lines(nuse="0x4000", nsfeat="0")),
    Case(f"nvme write-uncor {NAMESPACE} -s 2050 -c 0", 0, "a sector that cannot be read", (r"Success",)),
    Case(f"nvme read {NAMESPACE} -s 2048 -c 7 -z 4096 -d got", 1, "status 281h: Unrecovered Read Error", (r"\(0x281\)",)),
    Case(f"nvme smart-log {CONTROLLER}", 0, "a media error; the error log has those of doorbells alone",
         lines(media_errors="1", num_err_log_entries="0")),
    Case(f"nvme write {NAMESPACE} -s 2050 -c 0 -z 512 -d one", 0, "repairs it", (r"^write: Success",)),
    Case(f"nvme read {NAMESPACE} -s 2050 -c 0 -z 512 -d got && cmp -n 512 got one", 0, "it can be read again", (r"^read: Success",)),
    Case(f"nvme io-passthru {NAMESPACE} -o 2 -n 1 -l 512 -r --cdw10=100 -b 2> said | cmp -n 512 - /dev/zero", 0,
         "a read by its fields"),
    refused(f"nvme read {NAMESPACE} -s 16384 -c 0 -z 512 -d got", "4080", "behind the last sector"),
    refused(f"nvme compare {NAMESPACE} -s 100 -c 7 -z 4096 -d one", "4001", "no Compare"),
    refused(f"nvme verify {NAMESPACE} -s 0 -c 7", "4001", "no Verify"),
    refused(f"nvme resv-report {NAMESPACE}", "4001", "no reservations"),
)

LOGS = (
    Case(f"nvme fw-log {CONTROLLER}", 0, "slot 1 is active", (r"^afi  : 0x1$", r"^frs1 : .*\(FIRM1\.05")),
    Case(f"nvme error-log {CONTROLLER} -e 4", 0, "four entries, all empty", (r"entries:4", r" Entry\[ 3\]")),
    Case(f"nvme get-log {CONTROLLER} -i 2 -l 512 -b | head -c 3 | od -An -tx1", 0, "the SMART log as bytes: 313 K",
         (r"^ 00 39 01$",)),
    *(refused(f"nvme {command}", "4109", "no such log")
      for command in (f"changed-ns-list-log {CONTROLLER}", f"self-test-log {CONTROLLER}",
                      f"endurance-log {CONTROLLER} -g 1", f"sanitize-log {CONTROLLER}",
                      f"persistent-event-log {CONTROLLER} -a 0", f"supported-log-pages {CONTROLLER}",
                      f"resv-notif-log {CONTROLLER}", f"predictable-lat-log {CONTROLLER} -i 1")),
)

ADMINISTRATION = (
    *(refused(f"nvme {command}", "4001", why)
      for command, why in ((f"create-ns {CONTROLLER} -s 100 -c 100 -f 0", "no namespace management"),
                           (f"delete-ns {CONTROLLER} -n 1", "no namespace management"),
                           (f"format {NAMESPACE} --force -l 0", "no Format"),
                           (f"sanitize {CONTROLLER} -a 2", "no Sanitize"),
                           (f"device-self-test {CONTROLLER} -s 1", "no self-test"),
                           (f"fw-download {CONTROLLER} -f one", "no firmware download"),
                           (f"fw-commit {CONTROLLER} -s 1 -a 1", "no firmware download"),
                           (f"security-recv {CONTROLLER} -p 0 -x 0 -t 16", "no security protocols"),
                           (f"dir-receive {NAMESPACE} -D 0 -O 1", "no directives"),
                           (f"lockdown {CONTROLLER}", "no lockdown"))),
    Case(f"nvme reset {CONTROLLER}", 0, "the controller is reset and enabled again"),
    Case(f"nvme get-feature {CONTROLLER} -f 6 -H", 0, "features have their defaults", (r"\(WCE\): Enabled",)),
    Case(f"nvme read {NAMESPACE} -s 2048 -c 0 -z 512 -d got && cmp -n 512 got largest", 0, "data are kept",
         (r"^read: Success",)),
    Case(f"nvme ns-rescan {CONTROLLER}", 0, "nothing to find"),
)

TOOL = Tool("nvme_cli", "nvme-cli", ("nvme",), drives.NVME,
            IDENTIFICATION + FEATURES + READS_AND_WRITES + LOGS + ADMINISTRATION,
            {"one": ONE, "largest": LARGEST})
