/**
 * The server is killed while it encrypts the store, and while clients rewrite everything: no Secret is
 * lost, none is half written, and none is readable in the files afterwards.
 *
 * `KILLS=50 npm run test:slow -- encryption-kill` for a long run.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { bundlePodkeep } from '../support/podkeep-bundle.ts';
import { ServerProcess } from './server-process.ts';

const KILLS = Number(process.env['KILLS'] ?? 4);
const SECRETS = 60;
/** A start takes about this long, and encrypting is somewhere in it. */
const START_MS_MAX = 2500;
const ROTATION_MS_MAX = 250;
const PATH = '/api/v1/namespaces/default/secrets';
const VALUE = 'never-to-be-found-in-a-file';
const ENCODED = Buffer.from(VALUE).toString('base64');

test(
  'a rotation of the encryption key that is killed loses nothing and leaves nothing readable',
  async () => {
    const root = mkdtempSync(path.join(tmpdir(), 'podkeep-encryption-kill-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const folder = path.join(root, 'data');
    const config = path.join(root, 'encryption.yaml');
    const flags = ['--encryption-provider-config', config];
    const program = await bundlePodkeep('encryption-kill');
    const random = seededRandom(7);
    await createAll(await ServerProcess.start(program, folder));
    expect(filesWithValue(folder)).toEqual([path.join('store', 'objects.mdb')]);
    for (let kill = 0; kill < KILLS; kill++) {
      writeConfig(config, kill);
      await ServerProcess.killAfter(program, folder, flags, random.next() * START_MS_MAX);
      const server = await ServerProcess.start(program, folder, flags);
      await examine(server, SECRETS);
      const rotation = replaceAll(server, kill);
      await delay(random.next() * ROTATION_MS_MAX);
      await server.kill('SIGKILL');
      await rotation;
      expect(filesWithValue(folder)).toEqual([]);
    }
    const server = await ServerProcess.start(program, folder, flags);
    await examine(server, SECRETS);
    await server.kill('SIGTERM');
    expect(filesWithValue(folder)).toEqual([]);
  },
  90_000 + KILLS * 15_000,
);

/** The newest key first, then the previous one, which is no encryption in the first turn. */
function writeConfig(file: string, turn: number): void {
  const types = ['aesgcm', 'secretbox', 'aescbc'];
  const providerOf = (number: number): JsonObject => {
    const secret = Buffer.alloc(32, number + 1).toString('base64');
    return { [types[number % 3] ?? '']: { keys: [{ name: `key${number}`, secret }] } };
  };
  const providers = [providerOf(turn), turn > 0 ? providerOf(turn - 1) : { identity: {} }];
  const [apiVersion, kind] = ['apiserver.config.k8s.io/v1', 'EncryptionConfiguration'];
  const resources = [{ resources: ['secrets'], providers }];
  writeFileSync(file, JSON.stringify({ apiVersion, kind, resources }), { mode: 0o600 });
}

function secret(index: number, turn: number): JsonObject {
  const fill = Buffer.from('x'.repeat((index % 7) ** 2 * 300)).toString('base64');
  return {
    metadata: { name: `s${index}`, labels: { turn: `t${turn + 1}` } },
    data: { value: ENCODED, index: Buffer.from(String(index)).toString('base64'), fill },
  };
}

async function createAll(server: ServerProcess): Promise<void> {
  for (let index = 0; index < SECRETS; index++) {
    expect((await server.send('POST', PATH, secret(index, -1))).code).toBe(201);
  }
  await server.kill('SIGTERM');
}

/** As `kubectl replace` does it, until the server is gone. */
async function replaceAll(server: ServerProcess, turn: number): Promise<void> {
  for (let index = 0; index < SECRETS; index++) {
    try {
      const { code } = await server.send('PUT', `${PATH}/s${index}`, secret(index, turn));
      expect(code).toBe(200);
    } catch (error) {
      if (error instanceof Error && 'code' in error) return;
      throw error;
    }
  }
}

async function examine(server: ServerProcess, count: number): Promise<void> {
  const { code, body } = await server.send('GET', PATH);
  expect(code).toBe(200);
  const items = body['items'] as readonly JsonObject[];
  const own = items.filter(({ data }) => (data as JsonObject)['value'] === ENCODED);
  expect(own).toHaveLength(count);
}

function filesWithValue(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = path.join(folder, name);
    if (!statSync(file).isFile()) return false;
    const bytes = readFileSync(file);
    return bytes.includes(VALUE) || bytes.includes(ENCODED);
  });
}
