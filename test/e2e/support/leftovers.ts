/** What a podkeep has left on the machine: processes, mounts, networks, control groups. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { keyOf } from '../../../src/runtimes/process/layout.ts';

/** A sentence for each thing; empty: it left nothing. `data` is its data folder. */
export function leftoversOf(data: string): readonly string[] {
  const runtime = path.join(data, 'node', 'runtime');
  const key = keyOf(runtime);
  return [
    ...processesOf(data).map(({ pid, words }) => `process ${pid}: ${words}`),
    ...mountsOf(data, key).map((line) => `mount ${line}`),
    ...placesOf(key).filter(existsSync),
  ];
}

export interface LeftProcess {
  readonly pid: number;
  readonly words: string;
}

/** Processes that name the folder in their arguments or environment, or live in a root below it. */
export function processesOf(data: string): readonly LeftProcess[] {
  const home = namespaceOf('self');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const words = read(`/proc/${name}/cmdline`).replaceAll('\0', ' ').trim();
      const isInside = namespaceOf(name) !== home && hasMountsFrom(name, data);
      const isOurs =
        isInside || words.includes(data) || read(`/proc/${name}/environ`).includes(data);
      // A process without a command line is a zombie that its parent will reap.
      if (words === '' || !isOurs) return [];
      return [{ pid: Number(name), words: words.slice(0, 200) }];
    });
}

/**
 * At another path than on the machine: a new mount namespace, such as another podkeep's, has a copy of
 * all mounts, and is none of ours.
 */
function hasMountsFrom(pid: string, data: string): boolean {
  const lines = read(`/proc/${pid}/mountinfo`).split('\n');
  return lines.some((line) => line.includes(data) && !line.split(' ')[4]?.startsWith(data));
}

function mountsOf(data: string, key: string): readonly string[] {
  const lines = read('/proc/self/mountinfo').split('\n');
  return lines.filter((line) => line.includes(data) || line.includes(`/run/podkeep/${key}`));
}

/** The innermost first, so that they can be unmounted in this order. */
export function mountPointsBelow(folder: string): readonly string[] {
  const points = read('/proc/self/mountinfo')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  return points.filter((point) => point.startsWith(`${folder}/`)).toReversed();
}

function placesOf(key: string): readonly string[] {
  const trees = existsSync('/sys/fs/cgroup') ? readdirSync('/sys/fs/cgroup') : [];
  const groups = ['', ...trees].map((tree) => `/sys/fs/cgroup/${tree}/podkeep-${key}`);
  return [`/run/podkeep/${key}`, `/sys/class/net/pk-${key}`, ...groups];
}

function namespaceOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return '';
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has just ended.
    return '';
  }
}
