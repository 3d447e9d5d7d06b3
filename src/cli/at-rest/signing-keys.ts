/**
 * Reads, rotates and removes the keys of service account tokens in the data folder: the newest key signs,
 * earlier keys still verify.
 *
 *     pki/sa.key             signs, and verifies
 *     pki/sa-before-ID.pub   the public half of a key that signed before; verifies only
 *
 * A rotation first writes the public half of the old key, then replaces sa.key: after a crash or power loss
 * at any point, every token that was ever signed can still be verified.
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { openSigningKey } from '../../apiserver/objects/signing-key.ts';
import { defineError } from '../../lib/errors.ts';
import { writeFileAtomically } from '../atomic-file.ts';

const SIGNING_KEY = 'sa.key';
const BEFORE = /^sa-before-[\w-]+\.pub$/;

export const keyFileUnreadable = defineError<{ file: string; reason: string }>({
  code: 'KEY_FILE_UNREADABLE',
  retry: 'never',
  message: ({ file, reason }) => `the key in ${file} cannot be read: ${reason}`,
  hint: () =>
    'Give the path of a PEM file that this user may read. `podkeep up` makes the keys of a data folder ' +
    'when it starts for the first time.',
});

export interface Rotation {
  /** IDs of keys, as `/openid/v1/jwks` shows them. */
  readonly signing: string;
  readonly verifying: readonly string[];
}

export function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw keyFileUnreadable({ file, reason }, error);
  }
}

/** The earlier public keys as PEM, in the order of their file names. */
export function readEarlierKeys(folder: string): readonly string[] {
  return earlierFiles(folder).map(readKeyFile);
}

/** Throws KEY_FILE_UNREADABLE or SIGNING_KEY_UNFIT. */
export function rotateSigningKey(folder: string): Rotation {
  const file = path.join(folder, SIGNING_KEY);
  const old = openSigningKey(readKeyFile(file));
  const pem = createPublicKey(old.privateKey).export({ type: 'spki', format: 'pem' }).toString();
  writeFileAtomically(path.join(folder, `sa-before-${old.id}.pub`), pem);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  writeFileAtomically(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  return describeKeys(folder);
}

/** Removes the earlier keys: after the next start, tokens that they signed are refused. */
export function removeEarlierKeys(folder: string): Rotation {
  for (const file of earlierFiles(folder)) rmSync(file);
  return describeKeys(folder);
}

function describeKeys(folder: string): Rotation {
  const signing = openSigningKey(readKeyFile(path.join(folder, SIGNING_KEY))).id;
  const earlier = earlierFiles(folder).map((file) => path.basename(file).slice(10, -4));
  return { signing, verifying: [signing, ...earlier] };
}

function earlierFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => BEFORE.test(name));
  return names.sort().map((name) => path.join(folder, name));
}
