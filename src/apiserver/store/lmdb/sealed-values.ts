/**
 * Decrypts values while a store opens, and records whether the keys are correct, and which objects were
 * encrypted with another key than the current one.
 *
 * Encrypted values are decrypted and parsed when the store opens, not when they are read, because a wrong key
 * must be detected before anything is written with it.
 */
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { isEncrypted, type Encryption } from '../../at-rest/encryption.ts';
import { DecryptError } from '../../at-rest/value-cipher.ts';
import { Unreadable, Version } from '../version.ts';
import { parseObject, type RawVersion, type ValueReader } from './record.ts';
import { parseExactJson } from '../../../lib/json-text/exact-json.ts';

interface Finding {
  /** The value is encrypted, or should be and cannot be read. */
  readonly isSealed: boolean;
  readonly isStale: boolean;
  /** Why the value cannot be read. Null: it can be. */
  readonly reason: string | null;
}

export class SealedValues implements ValueReader {
  readonly #encryption: Encryption | null;
  /** By name, for the newest version that was read here: whether it is stale or unreadable. */
  readonly #newest = new Map<string, Finding>();
  /** Whether any version, including old ones, would be written differently now. */
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

  /** A deleted object needs no key. Must be called for all versions, in order. */
  forget(version: Version): void {
    if (this.#newest.size > 0 && version.isDeletion) this.#newest.delete(version.key);
  }

  /** The number of objects that are encrypted, or are plaintext and cannot be read. */
  get sealedCount(): number {
    return [...this.#newest].filter(([, { isSealed }]) => isSealed).length;
  }

  /** Why each of these objects cannot be read, by name. */
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
      // Plaintext is parsed when the object is read, as in a store without encryption.
      if (text === value) return () => parseObject(value, 0, value.length);
      const object = parseExactJson(text.toString());
      return isJsonObject(object) ? object : new Unreadable(NO_OBJECT);
    } catch (error) {
      if (error instanceof DecryptError) return new Unreadable(error.message);
      // AES-CBC does not detect a wrong key, so the result may be anything.
      if (error instanceof SyntaxError) return new Unreadable(NO_OBJECT);
      throw error;
    }
  }
}

const NO_ENCRYPTION = 'identity transformer tried to read encrypted data';
const NO_OBJECT = 'the decrypted value is no object';
