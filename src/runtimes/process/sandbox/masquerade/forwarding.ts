/**
 * Enables packet forwarding per interface, and restores each interface's old setting.
 *
 * podkeep does not change net.ipv4.ip_forward, which would make the machine a router for all of its
 * interfaces. Several podkeep processes may need the same interface, so each leaves a note in a shared
 * folder, and the last one restores the setting:
 *
 *     <interface>/before      the setting before the first podkeep changed it
 *     <interface>/by-<key>    the podkeep with this key needs the interface
 *
 * The folder is in memory and named after the network namespace. The kernel reuses that name after the
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
  /** Distinguishes this podkeep from others on the machine. */
  readonly key: string;
  /** The folder that all podkeep processes of the machine share. */
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

  /** Interfaces for which this podkeep has left a note, now or before a crash. */
  get held(): readonly string[] {
    return namesIn(this.#folder).filter((name) => existsSync(this.#note(name, this.#holder)));
  }

  /** Whether the interface did not forward before a podkeep enabled it. */
  isOpened(name: string): boolean {
    return readOr(this.#note(name, 'before'), ON) === OFF;
  }

  /**
   * Leaves the note that this podkeep needs the interface. It is written before `open`, so that a kill cannot
   * leave forwarding on without a note.
   */
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
      // Another podkeep was first and has saved the original setting.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }

  /** Enables forwarding. Call `hold` first. */
  open(name: string): void {
    writeFileSync(this.#setting(name), ON);
  }

  release(name: string): void {
    rmSync(this.#note(name, this.#holder), { force: true });
    if (this.#holders(name).length > 0) return;
    const before = readOr(this.#note(name, 'before'), '');
    // An interface that no longer exists has no setting to restore.
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
