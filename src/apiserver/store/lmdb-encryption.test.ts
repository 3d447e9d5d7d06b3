import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { put, remove } from '../../../test/suites/object-store/world.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { systemRandom } from '../../platform/system-random.ts';
import type {
  EncryptionRule,
  KeyedProvider,
  ProviderConfig,
} from '../at-rest/encryption-config.ts';
import { createEncryption, type Encryption } from '../at-rest/encryption.ts';
import { parseGroupResource } from '../at-rest/group-resource.ts';
import { openLmdbStore, type LmdbStore } from './lmdb-store.ts';

const IDENTITY: ProviderConfig = { type: 'identity' };
const KEY = '/core/secrets/default/a';
const VALUE = 'the-value-that-must-not-be-seen';

function provider(name: string, type: KeyedProvider = 'aesgcm'): ProviderConfig {
  return { type, keys: [{ name, secret: Buffer.alloc(32, name) }] };
}

function secrets(...providers: readonly ProviderConfig[]): Encryption {
  const rules: EncryptionRule[] = [{ resources: [parseGroupResource('secrets')], providers }];
  return createEncryption(rules, systemRandom);
}

function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-sealed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(folder: string, encryption?: Encryption, log = silentLog): Promise<LmdbStore> {
  const options = { clock: new VirtualClock(), log, folder };
  return openLmdbStore(encryption ? { ...options, encryption } : options);
}

async function using<Result>(
  folder: string,
  encryption: Encryption | undefined,
  act: (store: LmdbStore) => Promise<Result> | Result,
): Promise<Result> {
  const store = await open(folder, encryption);
  try {
    return await act(store);
  } finally {
    await store.close();
  }
}

function secret(value = VALUE) {
  return { data: { password: Buffer.from(value).toString('base64') }, text: value };
}

/** The files that contain the value, plain or in base64. */
function filesWith(folder: string, value = VALUE): readonly string[] {
  const forms = [value, Buffer.from(value).toString('base64')];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = path.join(folder, name);
    return statSync(file).isFile() && forms.some((form) => readFileSync(file).includes(form));
  });
}

describe('encrypted objects on disk', () => {
  test.each(['aescbc', 'aesgcm', 'secretbox'] as const)(
    'with %s nothing of a Secret is readable in the files, and all of it is after a restart',
    async (type) => {
      const folder = makeFolder();
      const encryption = secrets(provider('k', type));
      await using(folder, encryption, async (store) => {
        await store.commit([
          put(KEY, secret()),
          put('/core/configmaps/default/a', { text: 'seen' }),
        ]);
        await store.commit([put(KEY, { ...secret(), n: 2 })]);
      });
      expect(filesWith(folder)).toEqual([]);
      expect(filesWith(folder, 'seen')).toEqual(['objects.mdb']);
      await using(folder, encryption, (store) => {
        expect(store.get(KEY)?.value).toMatchObject({ ...secret(), n: 2 });
        expect(store.list('/core/secrets/', { revision: 1 }).objects[0]?.value).toMatchObject(
          secret(),
        );
        expect(store.isStale(KEY)).toBe(false);
      });
    },
  );

  test('plain values are encrypted at the next start: objects, history and what was deleted', async () => {
    const folder = makeFolder();
    await using(folder, undefined, async (store) => {
      await store.commit([put(KEY, secret())]);
      await store.commit([put('/core/secrets/default/gone', secret())]);
      for (let n = 0; n < 50; n++) await store.commit([put(KEY, { ...secret(), n })]);
      await store.commit([remove('/core/secrets/default/gone')]);
      store.compact(30);
      await store.commit([]);
    });
    expect(filesWith(folder)).toEqual(['objects.mdb']);
    await using(folder, secrets(provider('k'), IDENTITY), (store) => {
      expect(filesWith(folder)).toEqual([]);
      expect(store.get(KEY)?.value).toMatchObject({ ...secret(), n: 49 });
      expect(store.revision).toBe(54);
    });
    expect(filesWith(folder)).toEqual([]);
  });

  test('a file that is up to date is not written again', async () => {
    const folder = makeFolder();
    const file = path.join(folder, 'objects.mdb');
    await using(folder, secrets(provider('k')), (store) => store.commit([put(KEY, secret())]));
    const { ino } = statSync(file);
    await using(folder, secrets(provider('k'), provider('old'), IDENTITY), () => {});
    expect(statSync(file).ino).toBe(ino);
    await using(folder, secrets(provider('new'), provider('k')), () => {});
    expect(statSync(file).ino).not.toBe(ino);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a key can be replaced without a restart, and the old one is not needed any more', async () => {
    const folder = makeFolder();
    await using(folder, secrets(provider('one')), async (store) => {
      await store.commit([put(KEY, secret())]);
      const waiting = store.commit([put('/core/secrets/default/b', secret())]);
      const switched = store.encryptWith(secrets(provider('two'), provider('one')));
      expect(store.isStale(KEY)).toBe(true);
      await Promise.all([
        waiting,
        switched,
        store.commit([put('/core/secrets/default/c', secret())]),
      ]);
      expect(store.isStale(KEY)).toBe(false);
      await store.commit([put('/core/secrets/default/d', secret())]);
    });
    await using(folder, secrets(provider('two')), (store) => {
      expect(store.list('/core/secrets/', { strict: true }).objects).toHaveLength(4);
    });
  });

  test('a stale object that cannot be written again at start stays stale until it is written', async () => {
    const folder = makeFolder();
    await using(folder, undefined, (store) => store.commit([put(KEY, secret())]));
    // A folder in place of the new file stands for a full disk.
    const errors: string[] = [];
    const log = { ...silentLog, error: (message: string) => void errors.push(message) };
    const encryption = secrets(provider('k'), IDENTITY);
    const failing = {
      ...encryption,
      seal: () => {
        throw new Error('no space');
      },
    };
    const store = await open(folder, failing, log);
    expect(errors).toEqual(['Failed to re-encrypt stored objects']);
    expect(store.isStale(KEY)).toBe(true);
    expect(store.get(KEY)?.value).toMatchObject(secret());
    await store.close();
    await using(folder, encryption, (again) => expect(again.isStale(KEY)).toBe(false));
    expect(filesWith(folder)).toEqual([]);
  });

  test('with identity first, encrypted objects become plain again', async () => {
    const folder = makeFolder();
    await using(folder, secrets(provider('k')), (store) => store.commit([put(KEY, secret())]));
    await using(folder, secrets(IDENTITY, provider('k')), () => {});
    await using(folder, undefined, (store) =>
      expect(store.get(KEY)?.value).toMatchObject(secret()),
    );
    expect(filesWith(folder)).toEqual(['objects.mdb']);
  });

  test('without encryption an older podkeep can still read the file', async () => {
    const folder = makeFolder();
    await using(folder, undefined, (store) => store.commit([put(KEY, secret())]));
    expect(readFileSync(path.join(folder, 'objects.mdb')).includes('{"format":1,')).toBe(true);
  });
});

describe('wrong keys', () => {
  test('a wrong key, and no configuration, keep the store from opening, and change nothing', async () => {
    const folder = makeFolder();
    await using(folder, secrets(provider('k')), (store) => store.commit([put(KEY, secret())]));
    const before = readFileSync(path.join(folder, 'objects.mdb'));
    await expect(open(folder, secrets(provider('other')))).rejects.toMatchObject({
      code: 'ENCRYPTION_KEY_WRONG',
      message: expect.stringContaining('none of the 1 encrypted objects in '),
    });
    await expect(open(folder)).rejects.toMatchObject({ code: 'ENCRYPTION_CONFIG_MISSING' });
    await expect(open(folder, secrets(IDENTITY))).rejects.toMatchObject({
      message: expect.stringContaining('no matching prefix found'),
    });
    expect(readFileSync(path.join(folder, 'objects.mdb')).equals(before)).toBe(true);
  });

  test('one object that cannot be decrypted fails only the requests for it', async () => {
    const folder = makeFolder();
    const other = '/core/secrets/default/b';
    await using(folder, secrets(provider('lost')), (store) => store.commit([put(KEY, secret())]));
    const file = path.join(folder, 'objects.mdb');
    const [one, two] = ['lost', 'k'].map((name) => provider(name));
    if (!one || !two) throw new Error('two providers');
    // Written while both keys were there; the first one was lost then.
    const first = createEncryption(
      [{ resources: [parseGroupResource('secrets')], providers: [one] }],
      systemRandom,
    );
    const both = {
      ...first,
      seal: (key: string, text: Buffer) => (key === KEY ? first : secrets(two)).seal(key, text),
    };
    await using(
      folder,
      { ...both, isStale: () => false, open: (key, bytes) => secrets(one, two).open(key, bytes) },
      (store) => store.commit([put(other, secret())]),
    );
    const errors: unknown[] = [];
    const log = { ...silentLog, error: (_: string, facts?: unknown) => void errors.push(facts) };
    const store = await open(folder, secrets(two), log);
    onTestFinished(() => store.close());
    expect(errors[0]).toEqual({
      object: KEY,
      reason: 'no matching key was found for the provided AES transformer',
    });
    expect(store.get(other)?.value).toMatchObject(secret());
    expect(() => store.get(KEY)).toThrow(expect.objectContaining({ code: 'OBJECT_UNDECRYPTABLE' }));
    expect(store.list('/core/secrets/').objects.map(({ key }) => key)).toEqual([other]);
    expect(() => store.list('/core/secrets/', { strict: true })).toThrow(
      `unable to transform key "${KEY}"`,
    );
    expect(() => store.watch('', 0, () => {})).toThrow(
      expect.objectContaining({ code: 'REVISION_TOO_OLD' }),
    );
    const events: unknown[] = [];
    store.watch('', store.revision, (event) => void events.push(event));
    await store.commit([remove(KEY)]);
    expect(events).toMatchObject([
      { type: 'delete', key: KEY, value: { metadata: { name: 'a', namespace: 'default' } } },
    ]);
    expect(store.list('/core/secrets/', { strict: true }).objects).toHaveLength(1);
    expect(filesWith(folder)).toEqual([]);
    writeFileSync(`${file}.new`, VALUE); // what a killed process left is removed at the next start
    await store.close();
    await using(folder, secrets(two), () => {});
    expect(filesWith(folder)).toEqual([]);
  });
});
