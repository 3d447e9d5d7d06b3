/**
 * Canaries: values and files that no pod may get hold of, made for each run.
 *
 * A value that appears in a pod's output was read by it. A mark is a file of the machine with known
 * content, mode and owner; each attack that tries to write has its own mark, so that a change names the
 * attack. All of them are checked from outside of the pods.
 *
 *     secret    readable only by the user who runs podkeep, below /etc and /root (root) or its home
 *     open      readable by every user, in folders that no pod should see
 *     object    in a Secret of the API, in a volume and a variable of another pod
 *     process   in the environment of a process of the machine
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { mountPointsBelow } from '../../e2e/support/leftovers.ts';
import type { TrustedAccount } from './account.ts';

const UNTOUCHED = 'untouched\n';
const MARK_MODE = 0o644;
const OPEN_PARENTS = ['/var/lib', '/home', '/opt', '/srv'];

export class Canaries {
  readonly run = randomBytes(4).toString('hex');
  /** Where the files of the trusted user are. */
  readonly home: string;
  readonly secretFile: string;
  readonly openFiles: readonly string[];
  readonly #account: TrustedAccount;
  readonly #values = new Map<string, string>();
  readonly #folders: string[] = [];
  readonly #marks = new Map<string, string>();

  constructor(account: TrustedAccount) {
    this.#account = account;
    const isRoot = account.uid === 0;
    // The suite of an ordinary user can only create files in its home.
    const parent = process.getuid?.() === 0 ? '/home' : homedir();
    this.home = this.#folder(isRoot ? '/etc' : parent, 'trusted', 0o755) ?? '';
    if (this.home === '') throw new Error('no folder for canaries can be made');
    for (const name of ['marks', 'full']) {
      mkdirSync(path.join(this.home, name));
      this.#own(path.join(this.home, name));
    }
    this.#file(path.join(this.home, 'full/file'), UNTOUCHED, MARK_MODE);
    this.secretFile = path.join(this.home, 'secret');
    this.#file(this.secretFile, this.value('a file of the user who runs podkeep'), 0o600);
    const rootHome = isRoot ? this.#folder('/root', 'trusted', 0o755) : undefined;
    if (rootHome) this.#file(`${rootHome}/secret`, this.value('a file below /root'), 0o644);
    this.openFiles = OPEN_PARENTS.flatMap((parent) => {
      const folder = this.#folder(parent, 'open', 0o755);
      if (folder === undefined) return [];
      this.#file(`${folder}/open`, this.value(`a file below ${parent}`), 0o644);
      return [`${folder}/open`];
    });
  }

  /** A value that is watched for from now on; the same name has the same value. */
  value(name: string): string {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const value = `canary-${this.run}-${randomBytes(9).toString('hex')}`;
    this.#values.set(name, value);
    return value;
  }

  /** Watches for a value that was not made here. */
  watch(name: string, value: string): void {
    this.#values.set(name, value);
  }

  /** The names of the canaries whose values are in a text, as they are or in base64. */
  leaksIn(text: string): readonly string[] {
    return [...this.#values]
      .filter(([, value]) => text.includes(value) || text.includes(base64Core(value)))
      .map(([name]) => name);
  }

  /** The file that one attack tries to change. */
  mark(id: string): string {
    const known = this.#marks.get(id);
    if (known !== undefined) return known;
    const file = path.join(this.home, 'marks', id.replaceAll(/[^\w.-]/g, '_'));
    this.#file(file, UNTOUCHED, MARK_MODE);
    this.#marks.set(id, file);
    return file;
  }

  /** How it has changed; undefined: it has not. */
  changeOf(id: string): string | undefined {
    const file = this.#marks.get(id);
    return file === undefined ? undefined : this.#changeOf(file, UNTOUCHED, MARK_MODE);
  }

  /** Whether the folder that must not be emptied still has its file. */
  isFull(): boolean {
    return lstatSync(path.join(this.home, 'full/file'), { throwIfNoEntry: false }) !== undefined;
  }

  /** All canaries that have changed. */
  changes(): readonly string[] {
    const marks = [...this.#marks.values()].map((file) =>
      this.#changeOf(file, UNTOUCHED, MARK_MODE),
    );
    const secret = this.value('a file of the user who runs podkeep');
    const files = [...marks, this.#changeOf(this.secretFile, secret, 0o600)];
    return files.filter((change) => change !== undefined);
  }

  remove(): void {
    for (const folder of this.#folders) {
      // An attack that has succeeded may have mounted something there.
      for (const point of mountPointsBelow(folder)) spawnSync('umount', ['--lazy', point]);
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #changeOf(file: string, content: string, mode: number): string | undefined {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return `${file} is gone`;
    if (!found.isFile()) return `${file} is no file any more`;
    if ((found.mode & 0o7777) !== mode) return `${file} has mode ${found.mode.toString(8)}`;
    if (found.uid !== this.#account.uid) return `${file} belongs to ${found.uid}`;
    const text = readFileSync(file, 'utf8');
    return text === content ? undefined : `${file} reads ${JSON.stringify(text.slice(0, 80))}`;
  }

  /** Undefined: this user may not make it there. */
  #folder(parent: string, kind: string, mode: number): string | undefined {
    const folder = path.join(parent, `podkeep-attack-${kind}-${this.run}`);
    try {
      mkdirSync(folder, { mode });
    } catch {
      return undefined;
    }
    this.#folders.push(folder);
    if (kind === 'trusted') this.#own(folder);
    return folder;
  }

  #file(file: string, content: string, mode: number): void {
    writeFileSync(file, content, { mode, flag: 'wx' });
    this.#own(file);
  }

  #own(file: string): void {
    if (process.getuid?.() === 0) chownSync(file, this.#account.uid, this.#account.gid);
  }
}

/** The part of a value's base64 that does not depend on what stands before and after it. */
function base64Core(value: string): string {
  return Buffer.from(value).toString('base64').slice(0, -4);
}
