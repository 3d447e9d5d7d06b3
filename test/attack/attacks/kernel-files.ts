/**
 * Files of /proc and /sys that affect the whole machine. The usual defaults of the OCI runtime
 * specification hide some of them and make others read-only; a container, even one of user 0, must not
 * get further.
 *
 * Most are only opened for writing and not written: that the kernel lets a process open them is enough.
 */
import { readFileSync } from 'node:fs';
import { battery, type BatteryItem } from '../harness/battery.ts';
import { perl } from '../harness/perl.ts';
import type { PodShape } from '../harness/pods.ts';
import type { Attack } from '../harness/types.ts';

const MASKED = [
  'kcore',
  'keys',
  'timer_list',
  'timer_stats',
  'sched_debug',
  'latency_stats',
  'kmsg',
  'scsi/scsi',
];

const READ_ONLY = [
  'sys/kernel/modprobe',
  'sys/kernel/hotplug',
  'sys/kernel/panic',
  'sys/kernel/sysrq',
  'sys/kernel/printk',
  'sys/kernel/randomize_va_space',
  'sys/kernel/unprivileged_bpf_disabled',
  'sys/kernel/ns_last_pid',
  'sys/vm/overcommit_memory',
  'sys/vm/drop_caches',
  'sys/vm/swappiness',
  'sys/fs/protected_hardlinks',
  'sys/fs/suid_dumpable',
  'sys/fs/binfmt_misc/register',
  'sys/user/max_user_namespaces',
  'sysrq-trigger',
  'irq/default_smp_affinity',
  'mtrr',
];

const SYS_FILES = [
  'kernel/uevent_helper',
  'kernel/mm/transparent_hugepage/enabled',
  'kernel/profiling',
  'power/state',
  'fs/cgroup/release_agent',
  'fs/cgroup/memory/release_agent',
  'fs/cgroup/cgroup.procs',
  'fs/cgroup/pids/release_agent',
  'module/kernel/parameters/panic',
  'devices/system/cpu/cpu1/online',
];

const opened = (file: string): string =>
  perl(
    `sysopen(my $h, '${file}', O_WRONLY) and print "SUCCEEDED: ${file} was opened for writing\\n";`,
  );

/** Empty, absent and forbidden are all fine. */
const read = (file: string): string =>
  `[ "$(timeout 2 head -c 64 ${file} 2>/dev/null | tr -d '\\000' | wc -c)" -eq 0 ] || echo "SUCCEEDED: ${file} can be read"`;

const CORE_PATTERN = '/proc/sys/kernel/core_pattern';

const ITEMS: readonly BatteryItem[] = [
  {
    id: 'core-pattern',
    tries: 'It names the program that the kernel runs as root when a process dumps core.',
    script: `echo '|/bin/true podkeep-attack' >${CORE_PATTERN}`,
    check: (target) => target.machine.restore(CORE_PATTERN),
  },
  {
    id: 'core-pattern-remounted',
    tries: 'It mounts /proc and /proc/sys once more for writing before it names that program.',
    script: `mount -o remount,rw /proc; mount -o remount,rw,bind /proc/sys; mkdir /tmp/p; mount -t proc proc /tmp/p; umount /proc/sys; for f in ${CORE_PATTERN} /tmp/p/sys/kernel/core_pattern; do echo '|/bin/true podkeep-attack' >$f; done`,
    check: (target) => target.machine.restore(CORE_PATTERN),
  },
  ...MASKED.map((name) => ({
    id: `proc-${name.replaceAll('/', '-')}-read`,
    tries: `It reads /proc/${name}, which speaks of the whole machine.`,
    script: read(`/proc/${name}`),
  })),
  ...READ_ONLY.map((name) => ({
    id: `proc-${name.replaceAll('/', '-')}-write`,
    tries: `It opens /proc/${name} for writing.`,
    script: opened(`/proc/${name}`),
  })),
  {
    id: 'proc-sys-any-write',
    tries: 'It looks for any setting of the machine below /proc/sys that it may write.',
    script: `find /proc/sys -path /proc/sys/net -prune -o -type f -writable -print 2>/dev/null | grep -vE '/kernel/(hostname|domainname|shm|msg|sem)|/fs/mqueue' | head -n 3 | sed 's/^/SUCCEEDED: writable: /'`,
  },
  {
    id: 'proc-kallsyms',
    tries: 'It reads addresses of the kernel.',
    script: `head -n 200 /proc/kallsyms | awk '$1 !~ /^0+$/ { print "SUCCEEDED: an address of the kernel: " $0; exit }'`,
    unless: addressesForAll,
  },
  {
    id: 'oom-score',
    tries: 'It makes itself the last process that the kernel ends when memory runs out.',
    script: `before=$(cat /proc/self/oom_score_adj); sh -c 'echo -1000 >/proc/self/oom_score_adj; cat /proc/self/oom_score_adj' 2>/dev/null | awk -v b="$before" '$1 < b { print "SUCCEEDED: oom_score_adj " $1 " below " b }'`,
  },
  ...SYS_FILES.map((name) => ({
    id: `sys-${name.replaceAll('/', '-')}-write`,
    tries: `It opens /sys/${name} for writing.`,
    script: opened(`/sys/${name}`),
  })),
  {
    id: 'sys-any-write',
    tries: 'It looks for any file of /sys that it may write.',
    script: `find /sys -maxdepth 5 -type f -writable 2>/dev/null | grep -v '^/sys/fs/cgroup' | head -n 3 | sed 's/^/SUCCEEDED: writable: /'`,
  },
  {
    id: 'sys-firmware',
    tries: 'It reads tables of the firmware.',
    script: `find /sys/firmware -type f 2>/dev/null | head -n 1 | sed 's/^/SUCCEEDED: visible: /'`,
  },
  {
    id: 'sys-debug',
    tries: 'It reads what the kernel shows for debugging.',
    script: `for d in /sys/kernel/debug /sys/kernel/tracing /sys/kernel/security; do find $d -type f 2>/dev/null | head -n 1 | sed 's/^/SUCCEEDED: visible: /'; done`,
  },
  {
    id: 'cgroup-escape',
    tries: 'It mounts control groups of version 1 and names a release agent.',
    script: `mkdir /tmp/cg; for kind in memory pids rdma cpu; do mount -t cgroup -o $kind cgroup /tmp/cg 2>/dev/null && mkdir -p /tmp/cg/x && [ -w /tmp/cg/release_agent ] && echo "SUCCEEDED: release_agent of $kind can be written"; umount /tmp/cg 2>/dev/null; done; true`,
  },
  {
    id: 'cgroup-limits',
    tries: 'It raises the limits of its own control group.',
    script: `find /sys/fs/cgroup -type f -writable 2>/dev/null | head -n 2 | sed 's/^/SUCCEEDED: writable: /'`,
  },
];

/** Where the machine itself lets every user read them, a container may, too. */
function addressesForAll(): string | undefined {
  const read = (name: string): number =>
    Number(readFileSync(`/proc/sys/kernel/${name}`, 'utf8').trim());
  const isOpen = read('kptr_restrict') === 0 && read('perf_event_paranoid') <= 1;
  return isOpen ? 'kptr_restrict and perf_event_paranoid show addresses to every user' : undefined;
}

function suite(name: string, pod: PodShape): readonly Attack[] {
  return battery({ class: 'kernel-files', name, pod, items: ITEMS, seconds: 90 });
}

export const KERNEL_FILES: readonly Attack[] = [
  ...suite('restricted', {}),
  ...suite('as-root', { as: 'root' }),
  ...suite('default', { as: 'default' }),
];
