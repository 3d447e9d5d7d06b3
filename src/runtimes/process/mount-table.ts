/** The mounts of this machine, and lines of a table from which mount(8) makes new ones. */
import { readFileSync } from 'node:fs';
import type { MountWish } from '../../lib/kernel-hand/kernel-calls.ts';

export interface HostMount {
  readonly point: string;
  readonly type: string;
  /** Those that a bind mount of it must keep, or the kernel refuses to change it. */
  readonly flags: readonly string[];
}

const KEPT_FLAGS: ReadonlySet<string> = new Set([
  'ro',
  'nosuid',
  'nodev',
  'noexec',
  'noatime',
  'nodiratime',
  'relatime',
]);

const FRESH_MS = 1000;

/**
 * The kernel takes long to list hundreds of mounts, and pods that start together each bring some. What
 * they bring makes no difference to what their containers see of the machine's disks, so those of one
 * second share a list.
 */
export class HostMounts {
  #list: readonly HostMount[] = [];
  #readAtMs = Number.NEGATIVE_INFINITY;

  list(nowMs: number): readonly HostMount[] {
    if (Math.abs(nowMs - this.#readAtMs) >= FRESH_MS) {
      this.#list = readHostMounts();
      this.#readAtMs = nowMs;
    }
    return this.#list;
  }
}

export function readHostMounts(): readonly HostMount[] {
  try {
    return parseMountInfo(readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return [];
  }
}

export function parseMountInfo(text: string): readonly HostMount[] {
  return (
    text
      .split('\n')
      // Namespaces are kept alive by mounts that hold no files, and there are three for each pod.
      .filter((line) => line !== '' && !line.includes(' - nsfs '))
      .map((line) => {
        const fields = line.split(' ');
        const flags = (fields[5] ?? '').split(',').filter((flag) => KEPT_FLAGS.has(flag));
        const type = fields[fields.indexOf('-') + 1] ?? '';
        return { point: unescapeField(fields[4] ?? ''), type, flags };
      })
  );
}

function unescapeField(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 8)),
  );
}

/** Of the mount that a path is on: the last one among the deepest. */
export function flagsOf(file: string, mounts: readonly HostMount[]): readonly string[] {
  let best: HostMount | undefined;
  for (const mount of mounts) {
    const isAbove = isInside(file, mount.point);
    if (isAbove && mount.point.length >= (best?.point.length ?? 0)) best = mount;
  }
  return best?.flags ?? [];
}

/** The same path, or one below it. */
export function isInside(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** One line of the table. */
export function mountLine({ source, target, type, options }: MountWish): string {
  const fields = [source, target, type, options.join(',') || 'defaults', '0', '0'];
  return fields.map(escapeField).join(' ');
}

function escapeField(text: string): string {
  return text.replaceAll(
    /[ \t\n\\#]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}
