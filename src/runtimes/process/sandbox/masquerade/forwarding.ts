/**
 * Enables packet forwarding per interface, and restores each interface's old setting.
 *
 * The machine's own switch (net.ipv4.ip_forward) stays as it is: it would turn the machine into a router for
 * all of its interfaces. Several podkeeps may need one interface, so each of them leaves a note in one shared
 * folder, and the last one restores the setting:
 *
 *     <interface>/before      the setting before the first of them
 *     <interface>/by-<key>    one of them needs it
 *
 * The folder is in memory and named after the network namespace. The kernel reuses such a name when the
 * namespace is gone, so a note counts only while the bridge of its podkeep exists.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { codeOf } from '../../json-file.ts';
import { BRIDGE_NAMES } from './nft-rules.ts';

export interface ForwardingOptions {
  /** Distinguishes one podkeep from another. */
  readonly key: string;
  /** Shared by all podkeeps of the machine. */
  readonly folder?: string;
  /** The kernel's folder of interface settings. */
  readonly settings?: string;
}

const FOLDER = '/run/podkeep/forwarding';
const SETTINGS = '/proc/sys/net/ipv4/conf';
const OFF = '0';
const ON = '1';

export class Forwarding {
  readonly #folder: string;
  readonly #settings: string;
  readonly #holder: string;

  constructor({ key, folder = FOLDER, settings = SETTINGS }: ForwardingOptions) {
    this.#folder = path.join(folder, networkNamespace());
    this.#settings = settings;
    this.#holder = `by-${key}`;
  }

  /** Interfaces that this podkeep, now or before a crash, has asked to forward. */
  get held(): readonly string[] {
    return namesIn(this.#folder).filter((name) => existsSync(this.#note(name, this.#holder)));
  }

  /** Whether the interface forwards only because a podkeep asked for it. */
  isOpened(name: string): boolean {
    return readOr(this.#note(name, 'before'), ON) === OFF;
  }

  /** Notes that this podkeep is about to need it: a kill at any time later leaves the note. */
  hold(name: string): void {
    if (this.#holders(name).length === 0) {
      rmSync(path.join(this.#folder, name), { recursive: true, force: true });
    }
    mkdirSync(path.join(this.#folder, name), { recursive: true, mode: 0o700 });
    writeFileSync(this.#note(name, this.#holder), '');
    try {
      const before = readFileSync(this.#setting(name), 'utf8').trim();
      writeFileSync(this.#note(name, 'before'), before, { flag: 'wx' });
    } catch (error) {
      // Another podkeep was first: the setting that it found counts.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }

  /** Only for an interface that is held. */
  open(name: string): void {
    writeFileSync(this.#setting(name), ON);
  }

  release(name: string): void {
    rmSync(this.#note(name, this.#holder), { force: true });
    if (this.#holders(name).length > 0) return;
    const before = readOr(this.#note(name, 'before'), '');
    // An interface that is gone has nothing to restore.
    if (before !== '' && existsSync(this.#setting(name))) {
      writeFileSync(this.#setting(name), before);
    }
    rmSync(path.join(this.#folder, name), { recursive: true, force: true });
    for (const folder of [this.#folder, path.dirname(this.#folder)]) {
      if (namesIn(folder).length === 0) rmSync(folder, { recursive: true, force: true });
    }
  }

  #holders(name: string): readonly string[] {
    return namesIn(path.join(this.#folder, name)).filter((each) => {
      const [, key] = /^by-(.+)$/.exec(each) ?? [];
      return key !== undefined && existsSync(path.join(this.#settings, `${BRIDGE_NAMES}${key}`));
    });
  }

  #note(name: string, file: string): string {
    return path.join(this.#folder, name, file);
  }

  #setting(name: string): string {
    return path.join(this.#settings, name, 'forwarding');
  }
}

function networkNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/net').replaceAll(/\D/g, '');
  } catch {
    return 'machine';
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return otherwise;
    throw error;
  }
}
