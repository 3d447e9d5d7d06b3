/**
 * Reads the bearer token and the certificate authorities of a receiver from files that are not writable by
 * other users.
 */
import { readTrustedFile } from '../../../lib/trusted-file.ts';

const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Read for every post, because tokens are rotated. Undefined: no file is configured. Throws if the file has
 * no usable token.
 */
export function tokenIn(file: string): string | undefined {
  if (file === '') return undefined;
  const token = readTrustedFile(file).trim();
  if (!TOKEN.test(token)) throw new Error(`${file} has no usable token`);
  return token;
}

/** Read for every post, because authorities are rotated, too. Undefined: no file is configured. */
export function authoritiesIn(file: string): string | undefined {
  if (file === '') return undefined;
  const text = readTrustedFile(file);
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Error(`${file} has no certificate`);
  return text;
}
