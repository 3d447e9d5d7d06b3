/**
 * Reads the file of `--encryption-provider-config` when podkeep starts and, with
 * `--encryption-provider-config-automatic-reload`, whenever it has changed.
 *
 * The file holds keys, so no error quotes it, and podkeep keeps only a hash of it to notice a change.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readEncryptionConfig } from '../../apiserver/at-rest/encryption-config.ts';
import { encryptionConfigInvalid } from '../../apiserver/at-rest/encryption-errors.ts';
import { createEncryption, type Encryption } from '../../apiserver/at-rest/encryption.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { IdentityRandom } from '../../ports/random.ts';

export interface EncryptionFile {
  readonly encryption: Encryption;
  /** The hash of the file's content. */
  readonly hash: string;
}

/** The poll interval of kube-apiserver. */
const POLL_MS = 60_000;

/** Throws ENCRYPTION_CONFIG_INVALID. */
export async function loadEncryptionFile(
  file: string,
  random: IdentityRandom,
): Promise<EncryptionFile> {
  const { text, hash } = await readText(file);
  const { parseDocument } = await import('yaml');
  // Pretty errors would quote the line, which may hold a key.
  const document = parseDocument(text, { version: '1.1', prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line, col } = positionOf(text, error.pos[0]);
    const reason = `${file} is no YAML: ${error.code} in line ${line}, column ${col}`;
    throw encryptionConfigInvalid({ reason });
  }
  const rules = readEncryptionConfig(document.toJS() as unknown);
  return { encryption: createEncryption(rules, random), hash };
}

async function readText(file: string): Promise<{ text: string; hash: string }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw encryptionConfigInvalid(
      { reason: `error reading encryption provider configuration file "${file}": ${reason}` },
      error,
    );
  }
  if (text === '') {
    const reason = `encryption provider configuration file "${file}" is empty`;
    throw encryptionConfigInvalid({ reason });
  }
  return { text, hash: createHash('sha256').update(text).digest('hex') };
}

function positionOf(text: string, offset: number): { line: number; col: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, col: (before.at(-1)?.length ?? 0) + 1 };
}

export interface ReloadOptions {
  readonly file: string;
  /** The hash of the content that is in use. */
  readonly hash: string;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  readonly use: (encryption: Encryption) => Promise<void>;
}

/**
 * Checks the file once a minute. If the new content cannot be used, podkeep logs an error and keeps the old
 * keys.
 */
export function reloadEncryption(options: ReloadOptions): () => Promise<void> {
  const { file, clock, random, log, use } = options;
  let { hash } = options;
  let cancel: Cancel = () => {};
  let isStopped = false;
  let looking = Promise.resolve();
  const look = async (): Promise<void> => {
    try {
      if ((await readText(file)).hash === hash) return;
      const loaded = await loadEncryptionFile(file, random);
      await use(loaded.encryption);
      hash = loaded.hash;
      log.info('Reloaded the encryption provider configuration', { file });
    } catch (error) {
      log.error('Failed to reload the encryption provider configuration; using the old one', {
        file,
        error,
      });
    }
  };
  const plan = (): void => {
    cancel = clock.after(POLL_MS, () => {
      looking = look().then(() => {
        if (!isStopped) plan();
      });
    });
  };
  plan();
  return async () => {
    isStopped = true;
    cancel();
    await looking;
  };
}
