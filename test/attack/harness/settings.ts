/**
 * Settings of the kernel and files of the machine that no pod may change: read before the attacks,
 * compared after them, and restored if they differ.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';

const SETTINGS = [
  'kernel/core_pattern',
  'kernel/hostname',
  'kernel/domainname',
  'kernel/modprobe',
  'kernel/hotplug',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/randomize_va_space',
  'kernel/sysrq',
  'kernel/printk',
  'kernel/pid_max',
  'kernel/threads-max',
  'kernel/yama/ptrace_scope',
  'kernel/dmesg_restrict',
  'kernel/kptr_restrict',
  'kernel/unprivileged_bpf_disabled',
  'kernel/perf_event_paranoid',
  'kernel/shmmax',
  'kernel/msgmax',
  'vm/overcommit_memory',
  'vm/swappiness',
  'vm/mmap_min_addr',
  'vm/panic_on_oom',
  'fs/protected_hardlinks',
  'fs/protected_symlinks',
  'fs/suid_dumpable',
  'fs/file-max',
  'fs/pipe-max-size',
].map((name) => `/proc/sys/${name}`);

const OTHER_SETTINGS = ['/sys/kernel/uevent_helper', '/sys/kernel/mm/transparent_hugepage/enabled'];

const FILES = [
  '/etc/passwd',
  '/etc/group',
  '/etc/shadow',
  '/etc/hosts',
  '/etc/hostname',
  '/etc/ld.so.preload',
  '/etc/ld.so.cache',
  '/etc/nsswitch.conf',
  '/bin/sh',
  '/usr/bin/setpriv',
  '/usr/bin/perl',
  '/usr/bin/env',
];

export class MachineState {
  readonly #settings = new Map<string, string>();
  readonly #files = new Map<string, string>();

  constructor() {
    for (const file of [...SETTINGS, ...OTHER_SETTINGS]) {
      const value = readQuietly(file);
      if (value !== undefined) this.#settings.set(file, value);
    }
    for (const file of FILES) this.#files.set(file, fingerprint(file));
  }

  /** A sentence for each setting of the kernel that differs; all of them are restored. */
  restoreSettings(): readonly string[] {
    const changes: string[] = [];
    for (const [file, before] of this.#settings) {
      const after = readQuietly(file);
      if (after === undefined || after === before) continue;
      changes.push(`${file} was ${before.trim()}, is ${after.trim()}`);
      putBack(file, before);
    }
    return changes;
  }

  /** One setting; restored if it differs. */
  restore(file: string): string | undefined {
    const [before, after] = [this.#settings.get(file), readQuietly(file)];
    if (before === undefined || after === undefined || after === before) return undefined;
    putBack(file, before);
    return `${file} was ${before.trim()}, became ${after.trim()}`;
  }

  changedFiles(): readonly string[] {
    return [...this.#files]
      .filter(([file, before]) => fingerprint(file) !== before)
      .map(([file]) => `${file} is not as it was`);
  }
}

/** A file that shows its choices names the present one in brackets. */
function putBack(file: string, value: string): void {
  const chosen = /\[(\w+)\]/.exec(value)?.[1];
  writeFileSync(file, chosen ?? value);
}

function readQuietly(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function fingerprint(file: string): string {
  if (!existsSync(file)) return 'absent';
  try {
    const { mode, uid, gid } = statSync(file);
    // Runs of this suite add and remove accounts.
    const text = readFileSync(file, 'latin1').replaceAll(/^pkattack.*\n/gm, '');
    return [mode, uid, gid, createHash('sha256').update(text).digest('hex')].join(' ');
  } catch {
    return 'unreadable';
  }
}
