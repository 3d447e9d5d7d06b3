/**
 * The folder of one run: podkeep's data, its log, its configuration. It is not below /tmp, which every
 * container has for itself, so that a container that sees the machine sees this folder, too.
 *
 * A suite that is killed cannot clean up; its folder has its PID, and the next run removes it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { keyOf } from '../../../src/runtimes/process/layout.ts';
import { mountPointsBelow, processesOf } from '../../e2e/support/leftovers.ts';

const PARENT = '/var/tmp';
const PREFIX = 'podkeep-attack';
/** MNT_DETACH | UMOUNT_NOFOLLOW: what is mounted there may be a link that an attacker has made. */
const UNMOUNT = `syscall(${process.arch === 'arm64' ? 39 : 166}, $ARGV[0], 2 | 8)`;

export function makeFolder(name: string): string {
  for (const old of readdirSync(PARENT)) {
    const owner = new RegExp(`^${PREFIX}-(\\d+)-`).exec(old)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) removeFolder(path.join(PARENT, old));
  }
  return mkdtempSync(path.join(PARENT, `${PREFIX}-${process.pid}-${name}-`));
}

/** With everything that still runs in it or is mounted below it. PODKEEP_E2E_KEEP=1 keeps the files. */
export function removeFolder(folder: string): void {
  for (const { pid } of processesOf(path.join(folder, 'data'))) killQuietly(pid);
  for (const point of mountPointsBelow(folder)) spawnSync('perl', ['-e', UNMOUNT, point]);
  for (const data of foldersOf(path.join(folder, 'data'))) clearTraces(data);
  if (process.env['PODKEEP_E2E_KEEP']) return console.log(`kept: ${folder}`);
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    console.log(`${folder} stays: ${String(error)}`);
  }
}

/** What a podkeep that was ended by an attack leaves outside of its data folder. */
function clearTraces(data: string): void {
  const key = keyOf(path.join(data, 'node', 'runtime'));
  const names = `/run/podkeep/${key}`;
  for (const name of foldersOf(names)) spawnSync('umount', ['--lazy', name]);
  if (existsSync(names)) rmSync(names, { recursive: true, force: true });
  if (existsSync(`/sys/class/net/pk-${key}`)) spawnSync('ip', ['link', 'del', `pk-${key}`]);
  for (const name of readdirSync('/dev/shm').filter((each) => each.startsWith(`podkeep-${key}-`))) {
    spawnSync('umount', ['--lazy', `/dev/shm/${name}`]);
    rmSync(`/dev/shm/${name}`, { recursive: true, force: true });
  }
  const trees = existsSync('/sys/fs/cgroup') ? ['', ...readdirSync('/sys/fs/cgroup')] : [];
  for (const tree of trees) {
    const group = path.join('/sys/fs/cgroup', tree, `podkeep-${key}`);
    if (!existsSync(group)) continue;
    spawnSync('find', [group, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';']);
  }
}

function foldersOf(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
