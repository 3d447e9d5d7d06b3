/**
 * What a containerd leaves on the machine, found by the folder it worked in, and how it is removed:
 * processes, mounts, network namespaces, the bridge, rules of iptables, control groups, sockets.
 *
 * A test that is killed leaves all of it. The next run finds its folder, whose name has the PID of a
 * process that has ended, and clears it before it begins. Nothing is touched that does not name the
 * folder, or the key that is made of its name.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { containersFolder } from '../../../scripts/cluster/cache-folder.ts';
import { mountPointsBelow } from '../../e2e/support/leftovers.ts';
import { makeWorkFolder } from '../../e2e/support/work-folder.ts';

const GROUPS = '/sys/fs/cgroup';
const ROUNDS_MAX = 100;
const ROUND_MS = 50;

/** A folder for one containerd or one cluster, after the leftovers of killed runs have been cleared. */
export function makeClusterFolder(name: string): string {
  return makeWorkFolder(name, { prefix: 'podkeep-cluster', clear: clearTraces });
}

/** Names the bridge, the network and the control group of a folder; short enough for a bridge. */
export function keyOfFolder(folder: string): string {
  return `pkc${createHash('sha256').update(path.basename(folder)).digest('hex').slice(0, 10)}`;
}

/** Removes whatever still runs, is mounted or is set up for this folder. */
export function clearTraces(folder: string): void {
  const key = keyOfFolder(folder);
  const sockets = shimSocketsOf(folder);
  const groups = endProcesses(folder);
  for (const point of mountPointsBelow(folder)) spawnSync('umount', ['--lazy', point]);
  for (const socket of sockets) rmSync(socket, { force: true });
  for (const group of groups) removeGroupUpwards(group);
  for (const tree of groupTrees()) removeGroup(path.join(tree, key));
  if (existsSync(`/sys/class/net/${key}`)) spawnSync('ip', ['link', 'delete', key]);
  removeRules(key);
}

/** A sentence for each thing that is still there. */
export function tracesOf(folder: string): readonly string[] {
  const key = keyOfFolder(folder);
  return [
    ...processesOf(folder).map((pid) => `process ${pid}: ${read(`/proc/${pid}/cmdline`)}`),
    ...mountPointsBelow(folder).map((point) => `mount ${point}`),
    ...groupTrees()
      .map((tree) => path.join(tree, key))
      .filter(existsSync),
    ...(existsSync(`/sys/class/net/${key}`) ? [`bridge ${key}`] : []),
    ...rulesOf(key).map((rule) => `rule ${rule}`),
  ];
}

/** Kills them until none is left, and returns the control groups in which they were. */
function endProcesses(folder: string): ReadonlySet<string> {
  const groups = new Set<string>();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const left = processesOf(folder);
    if (left.length === 0) break;
    for (const pid of left) {
      for (const group of groupsOf(String(pid))) groups.add(group);
      killQuietly(pid);
    }
    sleep(ROUND_MS);
  }
  for (const group of groupsOf('self')) groups.delete(group);
  return groups;
}

/** Those that name the folder in their arguments or environment, and those whose root is in it. */
function processesOf(folder: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => isOf(name, folder))
    .map(Number);
}

/**
 * Other mounts of a process prove nothing: a mount namespace that is created while a container runs has a
 * copy of that container's mounts.
 */
function isOf(pid: string, folder: string): boolean {
  const words = read(`/proc/${pid}/cmdline`);
  // A process without a command line is a zombie that its parent will reap, or a kernel thread.
  if (words === '') return false;
  if (words.includes(folder) || read(`/proc/${pid}/environ`).includes(folder)) return true;
  const mounts = read(`/proc/${pid}/mountinfo`).split('\n');
  return mounts.some((line) => line.split(' ')[4] === '/' && line.includes(folder));
}

function groupsOf(pid: string): readonly string[] {
  return read(`/proc/${pid}/cgroup`)
    .split('\n')
    .flatMap((line) => {
      const [, controllers = '', group = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      if (group === '/') return [];
      const tree = controllers === '' ? 'unified' : controllers.replace('name=', '');
      return [path.join(GROUPS, tree, group), path.join(GROUPS, group)].filter(existsSync);
    });
}

/** The hierarchies of version 1, and the one of version 2. */
function groupTrees(): readonly string[] {
  return [GROUPS, ...readdirSync(GROUPS).map((name) => path.join(GROUPS, name))];
}

/** The innermost first; a group in use stays. */
function removeGroup(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeGroup(path.join(folder, entry.name));
  }
  removeEmpty(folder);
}

function removeGroupUpwards(group: string): void {
  let folder = group;
  while (path.dirname(folder) !== GROUPS && removeEmpty(folder)) folder = path.dirname(folder);
}

function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    // It has processes, or is the root of a hierarchy.
    return false;
  }
}

/** A shim listens outside of the folder, and writes down where. */
function shimSocketsOf(folder: string): readonly string[] {
  const bundles = path.join(folder, 'state/io.containerd.runtime.v2.task/k8s.io');
  if (!existsSync(bundles)) return [];
  return readdirSync(bundles).flatMap((id) => {
    const address = read(path.join(bundles, id, 'address')).trim();
    return address.startsWith('unix://') ? [address.slice('unix://'.length)] : [];
  });
}

/** The plugins write the name of the network into each rule, and jump from there to a chain of it. */
function removeRules(key: string): void {
  const chains = new Set<string>();
  for (const rule of rulesOf(key)) {
    const words = [...rule.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '',
    );
    const target = words[words.indexOf('-j') + 1] ?? '';
    if (/^CNI-(?:[0-9a-f]{24}|DN-[0-9a-f]+)$/.test(target)) chains.add(target);
    iptables(['-D', ...words.slice(1)]);
  }
  for (const chain of chains) {
    iptables(['-F', chain]);
    iptables(['-X', chain]);
  }
}

function rulesOf(key: string): readonly string[] {
  const program = path.join(containersFolder(process.env), 'bin/iptables-save');
  const { stdout } = spawnSync(program, ['-t', 'nat'], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').filter((line) => line.startsWith('-A') && line.includes(key));
}

function iptables(words: readonly string[]): void {
  const program = path.join(containersFolder(process.env), 'bin/iptables');
  execFileSync(program, ['-t', 'nat', '-w', ...words], { stdio: 'ignore' });
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

/** Clearing happens before anything else runs, so a synchronous wait delays nothing. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has just ended, or never existed.
    return '';
  }
}
