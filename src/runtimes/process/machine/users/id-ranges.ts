/**
 * Allocates a range of user and group IDs to each pod, so that a process that breaks out of a pod has no
 * rights on the machine.
 *
 * Each range is recorded as a file before it is used, in a folder that all podkeep processes of the machine
 * share. The file is created exclusively, so no two pods ever have the same range. Ranges avoid the IDs of
 * the machine's users (/etc/passwd, /etc/group) and of their containers (/etc/subuid, /etc/subgid).
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { codeOf, reasonOf } from '../../json-file.ts';
import { idsExhausted } from '../../errors.ts';

export interface IdRange {
  readonly first: number;
  readonly count: number;
}

export interface IdRangesOptions {
  /** Distinguishes the ranges of this runtime from those of another. */
  readonly key: string;
  /** The folder that all podkeep processes of the machine share. */
  readonly folder?: string;
  /** The folder of the machine's account files. */
  readonly etc?: string;
}

export const IDS_PER_POD = 65_536;
/**
 * Above the IDs that systemd uses for its own containers, and below those that it reserves for foreign
 * images.
 */
const FIRST_ID = 0x7000_0000;
const RANGES = 4094;
const FOLDER = '/run/podkeep/ids';

export class IdRanges {
  readonly #folder: string;
  readonly #etc: string;
  readonly #key: string;
  /** Ranges that this runtime holds, which it need not try. Ranges of others may be released at any time. */
  readonly #own = new Set<number>();
  #reserved: { readonly facts: string; readonly ranges: readonly IdRange[] } | undefined;

  constructor({ key, folder = FOLDER, etc = '/etc' }: IdRangesOptions) {
    this.#key = key;
    this.#folder = folder;
    this.#etc = etc;
  }

  /** Throws IDS_EXHAUSTED. */
  take(podUid: string): IdRange {
    const reserved = this.#reservedNow();
    mkdirSync(this.#folder, { recursive: true, mode: 0o755 });
    const start = Number.parseInt(this.#key.slice(0, 6), 16) % RANGES;
    for (let step = 0; step < RANGES; step++) {
      const first = FIRST_ID + ((start + step) % RANGES) * IDS_PER_POD;
      if (this.#own.has(first)) continue;
      const range = { first, count: IDS_PER_POD };
      if (!reserved.some((each) => overlaps(each, range)) && this.#claim(first, podUid))
        return range;
    }
    throw idsExhausted({ count: RANGES });
  }

  #claim(first: number, podUid: string): boolean {
    try {
      writeFileSync(this.#file(first), `${this.#key} ${podUid}\n`, { flag: 'wx', mode: 0o644 });
      this.#own.add(first);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw new Error(`${this.#file(first)}: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** Reads the account files again when one of them has changed. */
  #reservedNow(): readonly IdRange[] {
    const facts = ACCOUNT_FILES.map((name) => factsOf(path.join(this.#etc, name))).join(' ');
    if (this.#reserved?.facts !== facts) {
      this.#reserved = { facts, ranges: reservedRanges(this.#etc) };
    }
    return this.#reserved.ranges;
  }

  release({ first }: Pick<IdRange, 'first'>): void {
    this.#own.delete(first);
    rmSync(this.#file(first), { force: true });
  }

  /** Releases ranges without a sandbox: podkeep was killed before it wrote the sandbox's record. */
  sweep(known: ReadonlySet<number>): void {
    for (const first of known) this.#own.add(first);
    for (const name of namesIn(this.#folder)) {
      const first = Number(name);
      if (!known.has(first) && readOwner(this.#file(first)) === this.#key) this.release({ first });
    }
  }

  #file(first: number): string {
    return path.join(this.#folder, String(first));
  }
}

const ACCOUNT_FILES = ['subuid', 'subgid', 'passwd', 'group'];

/** A fingerprint that changes when the file is written or replaced. */
function factsOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino}/${found.size}/${found.mtimeNs}/${found.ctimeNs}` : '-';
}

function overlaps(a: IdRange, b: IdRange): boolean {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

/** The ranges that the machine's account files assign to others. */
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
    // A missing file reserves nothing.
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
