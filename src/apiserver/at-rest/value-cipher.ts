/**
 * Implements the ciphers of kube-apiserver's encryption providers, byte for byte.
 *
 *     aescbc      IV (16 bytes), AES-CBC with PKCS#7 padding; does not detect tampering
 *     aesgcm      nonce (12 bytes), AES-GCM, tag (16 bytes); also authenticates the object's key
 *     secretbox   nonce (24 bytes), tag (16 bytes), XSalsa20 and Poly1305
 *
 * The caller passes random bytes from the system's cryptographic source. Errors have kube-apiserver's
 * messages, including its misleading one for secretbox.
 */
import { createCipheriv, createDecipheriv, type CipherGCMTypes } from 'node:crypto';
import { NONCE_BYTES, openSecretbox, sealSecretbox, TAG_BYTES } from '../../lib/nacl/secretbox.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import type { KeyedProvider } from './encryption-config.ts';

/** `context`: the key of the object, which must be the same when the value is decrypted. */
export interface ValueCipher {
  seal(text: Uint8Array, context: string): Buffer;
  /** Throws a DecryptError. */
  open(bytes: Uint8Array, context: string): Buffer;
}

/** API clients see its message. */
export class DecryptError extends Error {
  override readonly name = 'DecryptError';
}

const BLOCK_BYTES = 16;
const GCM_NONCE_BYTES = 12;
const GCM_TAG_BYTES = 16;
const GCM_NAMES: ReadonlyMap<number, CipherGCMTypes> = new Map([
  [16, 'aes-128-gcm'],
  [24, 'aes-192-gcm'],
  [32, 'aes-256-gcm'],
]);
const TOO_SHORT = 'the stored data was shorter than the required size';

export function createCipher(
  type: KeyedProvider,
  key: Uint8Array,
  random: Pick<IdentityRandom, 'bytes'>,
): ValueCipher {
  switch (type) {
    case 'aescbc':
      return cbc(key, random);
    case 'aesgcm':
      return gcm(key, random);
    case 'secretbox':
      return secretbox(key, random);
  }
}

function cbc(key: Uint8Array, random: Pick<IdentityRandom, 'bytes'>): ValueCipher {
  const name = `aes-${key.length * 8}-cbc`;
  return {
    seal: (text) => {
      const iv = random.bytes(BLOCK_BYTES);
      const cipher = createCipheriv(name, key, iv);
      return Buffer.concat([iv, cipher.update(text), cipher.final()]);
    },
    open: (bytes) => {
      if (bytes.length < BLOCK_BYTES) throw new DecryptError(TOO_SHORT);
      if (bytes.length % BLOCK_BYTES !== 0) {
        throw new DecryptError('the stored data is not a multiple of the block size');
      }
      const decipher = createDecipheriv(name, key, bytes.subarray(0, BLOCK_BYTES));
      decipher.setAutoPadding(false);
      const padded = Buffer.concat([
        decipher.update(bytes.subarray(BLOCK_BYTES)),
        decipher.final(),
      ]);
      return withoutPadding(padded);
    },
  };
}

function withoutPadding(padded: Buffer): Buffer {
  const count = padded.at(-1) ?? 0;
  if (count === 0 || count > padded.length) {
    throw new DecryptError('invalid PKCS7 data (empty or not padded)');
  }
  const size = padded.length - count;
  if (padded.subarray(size).some((byte) => byte !== count)) {
    throw new DecryptError('invalid padding on input');
  }
  return padded.subarray(0, size);
}

function gcm(key: Uint8Array, random: Pick<IdentityRandom, 'bytes'>): ValueCipher {
  const name = GCM_NAMES.get(key.length) ?? 'aes-256-gcm';
  return {
    seal: (text, context) => {
      const nonce = random.bytes(GCM_NONCE_BYTES);
      const cipher = createCipheriv(name, key, nonce);
      cipher.setAAD(Buffer.from(context));
      return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    },
    open: (bytes, context) => {
      if (bytes.length < GCM_NONCE_BYTES) throw new DecryptError(TOO_SHORT);
      const tagStart = bytes.length - GCM_TAG_BYTES;
      try {
        const nonce = bytes.subarray(0, GCM_NONCE_BYTES);
        const decipher = createDecipheriv(name, key, nonce, { authTagLength: GCM_TAG_BYTES });
        decipher.setAAD(Buffer.from(context));
        decipher.setAuthTag(bytes.subarray(Math.max(tagStart, GCM_NONCE_BYTES)));
        const text = decipher.update(bytes.subarray(GCM_NONCE_BYTES, tagStart));
        return Buffer.concat([text, decipher.final()]);
      } catch (error) {
        throw new DecryptError('cipher: message authentication failed', { cause: error });
      }
    },
  };
}

function secretbox(key: Uint8Array, random: Pick<IdentityRandom, 'bytes'>): ValueCipher {
  return {
    seal: (text) => {
      const nonce = random.bytes(NONCE_BYTES);
      return Buffer.concat([nonce, sealSecretbox(text, nonce, key)]);
    },
    open: (bytes) => {
      if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new DecryptError(TOO_SHORT);
      const [nonce, box] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)];
      const text = openSecretbox(box, nonce, key);
      if (!text) throw new DecryptError('output array was not large enough for encryption');
      return Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    },
  };
}
