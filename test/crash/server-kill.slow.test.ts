/**
 * The server is killed while eight clients write, again and again: every acknowledged write survives,
 * nothing is half written, and no resourceVersion goes back.
 *
 * `KILLS=200 npm run test:slow -- test/crash/server-kill` for a long run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { bundlePodkeep } from '../support/podkeep-bundle.ts';
import { ServerProcess } from './server-process.ts';

const KILLS = Number(process.env['KILLS'] ?? 5);
const CLIENTS = 8;
/** Rounds that are acknowledged before a kill: a slow machine gets the time that they take. */
const ROUNDS_MAX = 60;
/** The kill comes at any moment of a round. */
const MOMENT_MS_MAX = 30;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** What one client knows: the last acknowledged round, and whether another may have been committed. */
interface Client {
  acknowledged: number;
  version: number;
  isUnsure: boolean;
}

/** Counts acknowledged rounds of all clients up to a number. */
class Rounds {
  readonly reached: Promise<void>;
  #left: number;
  #reach: () => void = () => {};

  constructor(wanted: number) {
    this.#left = wanted;
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
  }

  count(): void {
    this.#left -= 1;
    if (this.#left === 0) this.#reach();
  }
}

test(
  'no acknowledged write is lost by a kill, and nothing is half written',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-server-kill-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const program = await bundlePodkeep('server-kill');
    const random = seededRandom(1);
    const clients = Array.from({ length: CLIENTS }, (): Client => {
      return { acknowledged: 0, version: 0, isUnsure: false };
    });
    for (let kill = 0; kill < KILLS; kill++) {
      const server = await ServerProcess.start(program, folder);
      await examineAll(server, clients);
      const rounds = new Rounds(1 + Math.floor(random.next() * ROUNDS_MAX));
      const writers = clients.map((client, index) => write(server, index, client, rounds));
      await Promise.race([rounds.reached, Promise.all(writers)]);
      await delay(random.next() * MOMENT_MS_MAX);
      await server.kill('SIGKILL');
      await Promise.all(writers);
    }
    const server = await ServerProcess.start(program, folder);
    await examineAll(server, clients);
    await server.kill('SIGTERM');
    const total = clients.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
    console.log(`${KILLS} kills, ${total} acknowledged rounds`);
    expect(total).toBeGreaterThan(KILLS);
  },
  60_000 + KILLS * 10_000,
);

/** Round after round, until the connection breaks: every tenth creates the object again, others change it. */
async function write(
  server: ServerProcess,
  index: number,
  client: Client,
  rounds: Rounds,
): Promise<void> {
  const place = `${CONFIG_MAPS}/c${index}`;
  for (;;) {
    const round = client.acknowledged + 1;
    const body = { metadata: { name: `c${index}` }, data: dataOf(round) };
    const isNew = round % 10 === 1;
    client.isUnsure = true;
    try {
      if (isNew && round > 1) await server.send('DELETE', place);
      const { code, body: written } = isNew
        ? await server.send('POST', CONFIG_MAPS, body)
        : await server.send('PUT', place, body);
      expect(code).toBe(isNew ? 201 : 200);
      acknowledge(client, round, written);
      rounds.count();
    } catch (error) {
      if (error instanceof Error && 'code' in error) return; // the server is gone
      throw error;
    }
  }
}

/** Two fields that must agree, and a size that goes over many pages now and then. */
function dataOf(round: number): JsonObject {
  return { a: String(round), b: String(round), fill: 'x'.repeat((round % 7) ** 2 * 500) };
}

function acknowledge(client: Client, round: number, { metadata }: JsonObject): void {
  const version = Number((metadata as JsonObject)['resourceVersion']);
  expect(version).toBeGreaterThan(client.version);
  client.acknowledged = round;
  client.version = version;
  client.isUnsure = false;
}

/** Also resolves what the clients could not know. */
async function examineAll(server: ServerProcess, clients: readonly Client[]): Promise<void> {
  for (const [index, client] of clients.entries()) await examine(server, index, client);
}

async function examine(server: ServerProcess, index: number, client: Client): Promise<void> {
  const { code, body } = await server.send('GET', `${CONFIG_MAPS}/c${index}`);
  const next = client.acknowledged + 1;
  if (code === 404) {
    // Never created, or deleted at the beginning of a round that was not completed.
    expect(client.acknowledged === 0 || (client.isUnsure && next % 10 === 1)).toBe(true);
    client.acknowledged = Math.max(0, next - 1);
    await settleMissing(server, index, client);
    return;
  }
  const { metadata, data } = body as { metadata: JsonObject; data: JsonObject };
  const found = Number(data['a']);
  expect(data).toEqual(dataOf(found));
  expect(client.isUnsure ? [client.acknowledged, next] : [client.acknowledged]).toContain(found);
  const version = Number(metadata['resourceVersion']);
  expect(version).toBeGreaterThanOrEqual(client.version);
  if (found === client.acknowledged && client.version > 0) expect(version).toBe(client.version);
  Object.assign(client, { acknowledged: found, version, isUnsure: false });
}

/** The object does not exist, but the next round expects it, unless it is one that creates it. */
async function settleMissing(server: ServerProcess, index: number, client: Client): Promise<void> {
  client.isUnsure = false;
  if (client.acknowledged === 0) return;
  const body = { metadata: { name: `c${index}` }, data: dataOf(client.acknowledged) };
  const { code, body: made } = await server.send('POST', CONFIG_MAPS, body);
  expect(code).toBe(201);
  client.version = Number((made['metadata'] as JsonObject)['resourceVersion']);
}
