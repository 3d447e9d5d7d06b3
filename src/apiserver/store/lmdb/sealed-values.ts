/**
 * Reads encrypted values of a store that opens, and collects what the encryption at rest needs: whether the
 * keys are right, and which objects another key wrote.
 *
 * Encrypted values are decrypted and parsed when the store opens, and not on request: a wrong key has to be
 * noticed before anything is written with it.
 */
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { isEncrypted, type Encryption } from '../../at-rest/encryption.ts';
import { DecryptError } from '../../at-rest/value-cipher.ts';
import { Unreadable, Version } from '../version.ts';
import { parseObject, type RawVersion, type ValueReader } from './record.ts';
import { parseExactJson } from '../../../lib/json-text/exact-json.ts';

interface Finding {
  /** It is encrypted, or should be and cannot be read. */
  readonly isSealed: boolean;
  readonly isStale: boolean;
  /** Why it cannot be read; null: it can be. */
  readonly reason: string | null;
}

export class SealedValues implements ValueReader {
  readonly #encryption: Encryption | null;
  /** The newest version of each name that was read here: whether it is stale or unreadable. */
  readonly #newest = new Map<string, Finding>();
  /** Whether any version, old ones included, would be written in another way now. */
  hasStale = false;

  constructor(encryption: Encryption | null) {
    this.#encryption = encryption;
  }

  get readsAll(): boolean {
    return this.#encryption !== null;
  }

  read({ name, revision, index, value }: RawVersion): Version {
    const encryption = this.#encryption;
    const isStale = encryption?.isStale(name, value) ?? false;
    const content = this.#open(name, value);
    const reason = content instanceof Unreadable ? content.reason : null;
    if (isStale) this.hasStale = true;
    const isSealed = reason !== null || isEncrypted(value);
    if (isStale || isSealed) this.#newest.set(name, { isSealed, isStale, reason });
    else this.#newest.delete(name);
    return new Version(name, revision, index, content);
  }

  /** A deleted object needs no key: call it for all versions, in their order. */
  forget(version: Version): void {
    if (this.#newest.size > 0 && version.isDeletion) this.#newest.delete(version.key);
  }

  /** The number of objects that are encrypted, or cannot be read although they are plain. */
  get sealedCount(): number {
    return [...this.#newest].filter(([, { isSealed }]) => isSealed).length;
  }

  /** By name: why each of these objects cannot be read. */
  get unreadable(): ReadonlyMap<string, string> {
    const entries = [...this.#newest].flatMap(([name, { reason }]) =>
      reason === null ? [] : [[name, reason] as const],
    );
    return new Map(entries);
  }

  get staleNames(): ReadonlySet<string> {
    return new Set([...this.#newest].flatMap(([name, { isStale }]) => (isStale ? [name] : [])));
  }

  #open(name: string, value: Buffer): JsonObject | (() => JsonObject) | Unreadable {
    if (!this.#encryption) return new Unreadable(NO_ENCRYPTION);
    try {
      const text = this.#encryption.open(name, value);
      // Plain text is parsed when the object is read, as in a store without encryption.
      if (text === value) return () => parseObject(value, 0, value.length);
      const object = parseExactJson(text.toString());
      return isJsonObject(object) ? object : new Unreadable(NO_OBJECT);
    } catch (error) {
      if (error instanceof DecryptError) return new Unreadable(error.message);
      // AES-CBC does not notice a wrong key: the result may be anything.
      if (error instanceof SyntaxError) return new Unreadable(NO_OBJECT);
      throw error;
    }
  }
}

const NO_ENCRYPTION = 'identity transformer tried to read encrypted data';
const NO_OBJECT = 'the decrypted value is no object';
