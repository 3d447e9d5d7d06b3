/** The mounts of this machine. */
import { readFileSync } from 'node:fs';

export interface HostMount {
  readonly point: string;
  readonly type: string;
}

const FRESH_MS = 1000;

/**
 * Listing hundreds of mounts takes the kernel long, and pods that start together each add some. Those make no
 * difference to what containers see of the machine's disks, so starts within one second share a list.
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
      // Namespaces are kept alive by mounts that hold no files, three for each pod.
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

/** The same path, or one below it. */
export function isInside(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
