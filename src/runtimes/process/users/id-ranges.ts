/**
 * A range of user and group IDs for each pod, so that a process that gets out of a pod has no rights on the machine.
 *
 * Ranges are written down before they are used, one file each, in a folder that all podkeeps of the machine share:
 * a file can be made only once, so no two pods ever have the same range. They keep away from IDs that the machine
 * gives to people (/etc/passwd, /etc/group) and to their containers (/etc/subuid, /etc/subgid).
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { codeOf, reasonOf } from '../json-file.ts';
import { idsExhausted } from '../errors.ts';

export interface IdRange {
  readonly first: number;
  readonly count: number;
}

export interface IdRangesOptions {
  /** Tells the ranges of one runtime from those of another. */
  readonly key: string;
  /** Shared by all podkeeps of the machine. */
  readonly folder?: string;
  /** Where the machine's accounts are. */
  readonly etc?: string;
}

export const IDS_PER_POD = 65_536;
/** Above what service managers give to their own containers, and below what they keep for foreign images. */
const FIRST_ID = 0x7000_0000;
const RANGES = 4094;
const FOLDER = '/run/podkeep/ids';

export class IdRanges {
  readonly #folder: string;
  readonly #etc: string;
  readonly #key: string;

  constructor({ key, folder = FOLDER, etc = '/etc' }: IdRangesOptions) {
    this.#key = key;
    this.#folder = folder;
    this.#etc = etc;
  }

  /** Throws IDS_EXHAUSTED. */
  take(podUid: string): IdRange {
    const reserved = reservedRanges(this.#etc);
    mkdirSync(this.#folder, { recursive: true, mode: 0o755 });
    const start = Number.parseInt(this.#key.slice(0, 6), 16) % RANGES;
    for (let step = 0; step < RANGES; step++) {
      const first = FIRST_ID + ((start + step) % RANGES) * IDS_PER_POD;
      const range = { first, count: IDS_PER_POD };
      if (!reserved.some((each) => overlaps(each, range)) && this.#claim(first, podUid))
        return range;
    }
    throw idsExhausted({ count: RANGES });
  }

  #claim(first: number, podUid: string): boolean {
    try {
      writeFileSync(this.#file(first), `${this.#key} ${podUid}\n`, { flag: 'wx', mode: 0o644 });
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw new Error(`${this.#file(first)}: ${reasonOf(error)}`, { cause: error });
    }
  }

  release({ first }: Pick<IdRange, 'first'>): void {
    rmSync(this.#file(first), { force: true });
  }

  /** Gives back ranges of this runtime that no sandbox has: a kill came before its record. */
  sweep(known: ReadonlySet<number>): void {
    for (const name of namesIn(this.#folder)) {
      const first = Number(name);
      if (!known.has(first) && readOwner(this.#file(first)) === this.#key) this.release({ first });
    }
  }

  #file(first: number): string {
    return path.join(this.#folder, String(first));
  }
}

function overlaps(a: IdRange, b: IdRange): boolean {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

/** What the machine has given to others. */
export function reservedRanges(etc: string): readonly IdRange[] {
  const rows = (name: string): readonly (readonly string[])[] => readRows(path.join(etc, name));
  const range = (first: string | undefined, count: string | undefined): readonly IdRange[] => {
    const [from, many] = [Number(first), Number(count)];
    return Number.isInteger(from) && many > 0 ? [{ first: from, count: many }] : [];
  };
  return [
    ...['subuid', 'subgid'].flatMap(rows).flatMap(([, first, count]) => range(first, count)),
    ...['passwd', 'group'].flatMap(rows).flatMap(([, , id]) => range(id, '1')),
  ];
}

function readRows(file: string): readonly (readonly string[])[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => line.split(':'));
  } catch {
    // A machine without such a file has given away nothing in it.
    return [];
  }
}

function readOwner(file: string): string {
  try {
    return readFileSync(file, 'utf8').split(' ')[0] ?? '';
  } catch {
    return '';
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
