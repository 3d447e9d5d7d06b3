/** What podkeep or its containers have left on the machine. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { keyOf } from '../../../src/runtimes/process/layout.ts';
import { MARK } from './pods.ts';

const PLACES = ['/run/podkeep', '/sys/class/net', '/dev/shm', '/sys/fs/cgroup', '/var/run/netns'];

/** Everything with the runtime's key outside of its folder: links, namespaces, groups, memory; and mounts. */
export function leftOutside(dataFolder: string): readonly string[] {
  const key = keyOf(path.join(dataFolder, 'node', 'runtime'));
  const groups = list('/sys/fs/cgroup').map((name) => path.join('/sys/fs/cgroup', name));
  const found = [...PLACES, ...groups].flatMap((place) =>
    list(place).flatMap((name) => (name.includes(key) ? [path.join(place, name)] : [])),
  );
  return [...found, ...mountsBelow(dataFolder)];
}

/** Where something is mounted in a folder, the last first. */
export function mountsBelow(folder: string): readonly string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const places = lines.flatMap((line) => line.split(' ')[4] ?? []);
  return places.filter((place) => place.startsWith(`${folder}/`)).toReversed();
}

/** The first processes of containers, in the order of their IDs; `podUid`: of one pod alone. */
export function initsOf(dataFolder: string, podUid = ''): readonly number[] {
  const script = `${dataFolder}/node/runtime/init.sh`;
  return (
    list('/proc')
      .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/cmdline`).includes(script))
      .map(Number)
      // The kernel keeps the first fifteen characters of a name.
      .filter((pid) => /^(?:sh|podkeep-init.*)$/.test(read(`/proc/${pid}/comm`).trim()))
      .filter((pid) => read(`/proc/${pid}/cmdline`).includes(podUid))
      .toSorted((a, b) => a - b)
  );
}

/** Every process that has the mark of this ledger in its environment, and every init of the folder. */
export function containerProcesses(ledgerFolder: string, dataFolder: string): readonly number[] {
  return list('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const marked = read(`/proc/${name}/environ`).includes(`${MARK}=${ledgerFolder}\0`);
    const words = read(`/proc/${name}/cmdline`);
    const scripts = ['init.sh', 'pause.sh'].map((file) => `${dataFolder}/node/runtime/${file}`);
    return marked || scripts.some((script) => words.includes(script)) ? [Number(name)] : [];
  });
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not on this machine, or not for this user
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended, or belongs to another user
  }
}
