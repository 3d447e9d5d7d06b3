/**
 * Stores a node's certificates in the files that Kubernetes' kubelet uses:
 *
 *     kubelet-client-2030-01-02-03-04-05.pem   a certificate and its key; one file for each certificate
 *     kubelet-client-current.pem               a link to the one in use
 *
 * The new file is complete and durable before the link is replaced, and the link is replaced atomically. So
 * the link always points to a matching pair, even after a power loss. Kubernetes' kubelet removes the old
 * link first; if it crashes before it has created the new link, it leaves `…-updated.pem`, which podkeep
 * uses.
 */
import { mkdir, open, readlink, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { readTrustedFile } from '../../lib/trusted-file.ts';
import type { Clock } from '../../ports/clock.ts';
import { certificateFolderUnusable, reasonOf } from './certificate-errors.ts';
import { readPair, type CertificatePair } from './certificate-pair.ts';

export interface CertificateStoreOptions {
  readonly clock: Clock;
  readonly folder: string;
  /** `kubelet-client` or `kubelet-server`. */
  readonly prefix: string;
}

const OWNER_ONLY = 0o700;
const OWNER_ONLY_FILE = 0o600;

export class CertificateStore {
  readonly #options: CertificateStoreOptions;

  constructor(options: CertificateStoreOptions) {
    this.#options = options;
  }

  /** The link, which exists after the first `update`. */
  get currentPath(): string {
    return this.#file('current');
  }

  /** Null: there is no certificate. Throws CERTIFICATE_UNUSABLE if it cannot be used. */
  async current(): Promise<CertificatePair | null> {
    await this.#recover();
    const file = this.currentPath;
    const text = await readIfThere(file);
    return text === null ? null : readPair(text, text, file);
  }

  /** Stores the pair and makes it the current one. Throws CERTIFICATE_FOLDER_UNUSABLE. */
  async update({ cert, key }: CertificatePair): Promise<void> {
    const { folder, clock } = this.#options;
    const when = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(/[T:]/g, '-');
    try {
      await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
      const file = this.#file(when);
      await writeDurably(file, `${cert.trimEnd()}\n${key.trimEnd()}\n`);
      await this.#linkTo(file);
    } catch (error) {
      throw certificateFolderUnusable({ folder, reason: reasonOf(error) }, error);
    }
  }

  async #linkTo(file: string): Promise<void> {
    const link = this.#file('updated');
    await rm(link, { force: true });
    await symlink(file, link);
    await rename(link, this.currentPath);
    await syncFolder(this.#options.folder);
  }

  async #recover(): Promise<void> {
    if ((await readIfThere(this.currentPath)) !== null) return;
    const updated = this.#file('updated');
    if (await isLink(updated)) await rename(updated, this.currentPath);
  }

  #file(part: string): string {
    const { folder, prefix } = this.#options;
    return path.join(folder, `${prefix}-${part}.pem`);
  }
}

/** Atomic, and readable by the owner only. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const draft = `${file}.new`;
  await rm(draft, { force: true });
  const handle = await open(draft, 'wx', OWNER_ONLY_FILE);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  await syncFolder(path.dirname(file));
}

/** Null: there is no such file. Throws UNTRUSTED_FILE. */
export async function readIfThere(file: string): Promise<string | null> {
  try {
    return readTrustedFile(file);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Without this, a power loss could undo the rename. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function isLink(file: string): Promise<boolean> {
  try {
    await readlink(file);
    return true;
  } catch {
    return false; // it does not exist, or is no link
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
