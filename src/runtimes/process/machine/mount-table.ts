/** Reads the mounts of this machine from /proc/self/mountinfo. */
import { readFileSync } from 'node:fs';

export interface HostMount {
  readonly point: string;
  readonly type: string;
}

const FRESH_MS = 1000;

/**
 * Caches the list for one second: listing hundreds of mounts takes the kernel long, and the mounts that pods
 * add do not change which disks of the machine containers see.
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
      // Skips the mounts that keep namespaces of pods alive: they hold no files.
      .filter((line) => line !== '' && !line.includes(' - nsfs '))
      .map((line) => {
        const fields = line.split(' ');
        const type = fields[fields.indexOf('-') + 1] ?? '';
        return { point: unescapeField(fields[4] ?? ''), type };
      })
  );
}

function unescapeField(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 8)),
  );
}

/** Whether `file` is the folder or below it. */
export function isInside(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
