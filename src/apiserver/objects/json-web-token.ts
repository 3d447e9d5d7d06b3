/**
 * Reads, writes and verifies JSON Web Tokens in compact form, with ES256 only.
 *
 *     base64url(header) . base64url(claims) . base64url(signature)
 *
 * The algorithm is not taken from the token: a token that names another one is rejected.
 */
import { sign, verify } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { SigningKey, VerifyingKey } from './signing-key.ts';

export interface Token {
  /** The key ID in its header. Empty: there is none. */
  readonly keyId: string;
  readonly claims: JsonObject;
  /** The part of the text that is signed. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

const ALGORITHM = 'ES256';
const SIGNATURE_BYTES = 64;
const WORD = /^[\w-]+$/;

export function writeToken(key: SigningKey, claims: JsonObject): string {
  const signed = `${encode({ alg: ALGORITHM, kid: key.id })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), {
    key: key.privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  return `${signed}.${signature.toString('base64url')}`;
}

/** Parses a token without verifying it. Null: it is malformed, or has another algorithm. */
export function readToken(text: string): Token | null {
  const [head = '', body = '', tail = '', ...more] = text.split('.');
  if (more.length > 0 || ![head, body, tail].every((word) => WORD.test(word))) return null;
  const header = decode(head);
  const claims = decode(body);
  if (!header || !claims || header['alg'] !== ALGORITHM) return null;
  const { kid } = header;
  return {
    keyId: typeof kid === 'string' ? kid : '',
    claims,
    signed: `${head}.${body}`,
    signature: Buffer.from(tail, 'base64url'),
  };
}

export function isSignedBy({ publicKey }: VerifyingKey, { signed, signature }: Token): boolean {
  if (signature.byteLength !== SIGNATURE_BYTES) return false;
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' as const };
  return verify('sha256', Buffer.from(signed), key, signature);
}

function encode(part: JsonObject): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function decode(part: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
