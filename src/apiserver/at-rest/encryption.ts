/**
 * Encrypts values before they are stored and decrypts them after they are read, with the provider that the
 * EncryptionConfiguration names.
 *
 * The prefix of an encrypted value names its provider and key:
 *
 *     k8s:enc:aescbc:v1:KEYNAME:…   k8s:enc:aesgcm:v1:KEYNAME:…   k8s:enc:secretbox:v1:KEYNAME:…
 *
 * A value without such a prefix is plaintext: the provider `identity` wrote it. For each resource the first
 * key of the first provider encrypts. A value that another key encrypted is stale: the next write of the
 * object re-encrypts it on disk, even if the object itself does not change.
 */
import { createHash } from 'node:crypto';
import type { IdentityRandom } from '../../ports/random.ts';
import type { EncryptionRule, KeyedProvider, ProviderConfig } from './encryption-config.ts';
import { patternsFor, printGroupResource, resourceOfKey } from './group-resource.ts';
import { createCipher, DecryptError, type ValueCipher } from './value-cipher.ts';

export interface Encryption {
  /** Equal for two configurations if and only if the same key encrypts each resource in both. */
  readonly fingerprint: string;
  /** The bytes to store. The plaintext itself if the resource is not encrypted. */
  seal(key: string, text: Buffer): Buffer;
  /** The plaintext of a stored value. Throws a DecryptError. */
  open(key: string, bytes: Buffer): Buffer;
  /** Whether the value would be encrypted differently now. */
  isStale(key: string, bytes: Buffer): boolean;
}

/** One provider of the configuration. `identity` has no keys. */
interface Provider {
  /** The prefix of all values of this provider. */
  readonly start: Buffer;
  readonly keys: readonly ProviderKey[];
  readonly noKey: string;
}

interface ProviderKey {
  /** The prefix of all values of this key. */
  readonly prefix: Buffer;
  readonly cipher: ValueCipher;
}

const ENCRYPTED = Buffer.from('k8s:enc:');
const NO_PROVIDER = 'no matching prefix found';
/** kube-apiserver's error if none of the provider's keys decrypts the value. */
const NO_KEY: Readonly<Record<KeyedProvider, string>> = {
  aescbc: 'no matching key was found for the provided AES transformer',
  aesgcm: 'no matching key was found for the provided AES transformer',
  secretbox: 'no matching key was found for the provided Secretbox transformer',
};
const IDENTITY: Provider = { start: Buffer.alloc(0), keys: [], noKey: '' };
/** For resources that no rule names. */
const NO_RULE: readonly Provider[] = [IDENTITY];

export function isEncrypted(bytes: Buffer): boolean {
  return startsWith(bytes, ENCRYPTED);
}

export function createEncryption(
  rules: readonly EncryptionRule[],
  random: Pick<IdentityRandom, 'bytes'>,
): Encryption {
  const providers = new Map<string, readonly Provider[]>();
  for (const rule of rules) {
    const made = rule.providers.map((provider) => openProvider(provider, random));
    for (const resource of rule.resources) {
      const name = printGroupResource(resource);
      // A resource that two rules name has the providers of both, those of the first rule first.
      providers.set(name, [...(providers.get(name) ?? []), ...made]);
    }
  }
  const forKey = (key: string): readonly Provider[] => {
    for (const pattern of patternsFor(resourceOfKey(key))) {
      const found = providers.get(pattern);
      if (found) return found;
    }
    return NO_RULE;
  };
  return {
    fingerprint: fingerprintOf(rules),
    seal: (key, text) => {
      const writer = forKey(key)[0]?.keys[0];
      return writer ? Buffer.concat([writer.prefix, writer.cipher.seal(text, key)]) : text;
    },
    open: (key, bytes) => openWith(forKey(key), key, bytes),
    isStale: (key, bytes) => {
      const writer = forKey(key)[0]?.keys[0];
      return writer ? !startsWith(bytes, writer.prefix) : isEncrypted(bytes);
    },
  };
}

/** Identifies which key encrypts which resource. If it changes, the disk may hold stale values. */
function fingerprintOf(rules: readonly EncryptionRule[]): string {
  const hash = createHash('sha256');
  const seen = new Set<string>();
  const lines = rules.flatMap(({ resources, providers: [first] }) =>
    resources.flatMap((resource) => {
      const name = printGroupResource(resource);
      if (seen.has(name) || !first) return [];
      seen.add(name);
      const key = first.type === 'identity' ? undefined : first.keys[0];
      const secret = key ? createHash('sha256').update(key.secret).digest('hex') : '';
      return [JSON.stringify([name, first.type, key?.name ?? '', secret])];
    }),
  );
  return hash.update(lines.sort().join('\n')).digest('hex');
}

function openProvider(provider: ProviderConfig, random: Pick<IdentityRandom, 'bytes'>): Provider {
  if (provider.type === 'identity') return IDENTITY;
  const { type } = provider;
  const start = `k8s:enc:${type}:v1:`;
  const keys = provider.keys.map(({ name, secret }) => ({
    prefix: Buffer.from(`${start}${name}:`),
    cipher: createCipher(type, secret, random),
  }));
  return { start: Buffer.from(start), keys, noKey: NO_KEY[type] };
}

/** Several keys may have the same name, so all that match are tried before an error. */
function openWith(providers: readonly Provider[], key: string, bytes: Buffer): Buffer {
  const reasons = new Set<string>();
  for (const { start, keys, noKey } of providers) {
    if (keys.length === 0) {
      if (!isEncrypted(bytes)) return bytes;
      if (providers === NO_RULE) reasons.add('identity transformer tried to read encrypted data');
      continue;
    }
    if (!startsWith(bytes, start)) continue;
    const fitting = keys.filter(({ prefix }) => startsWith(bytes, prefix));
    if (fitting.length === 0) reasons.add(noKey);
    for (const { prefix, cipher } of fitting) {
      try {
        return cipher.open(bytes.subarray(prefix.length), key);
      } catch (error) {
        if (!(error instanceof DecryptError)) throw error;
        reasons.add(error.message);
      }
    }
  }
  const [first = NO_PROVIDER, ...more] = reasons;
  throw new DecryptError(more.length === 0 ? first : `[${[first, ...more].join(', ')}]`);
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}
