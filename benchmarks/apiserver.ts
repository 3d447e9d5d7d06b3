/**
 * Measures how soon `podkeep up` serves, and how many requests per second it answers through its listener,
 * with TLS, authentication, RBAC and disk.
 *
 * Clients run in the same process as the server, also for the bare servers, so only the ratios are
 * meaningful.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openLmdbStore } from '../src/apiserver/store/lmdb-store.ts';
import { startCluster, type Cluster } from '../src/cli/cluster.ts';
import { locateDataFolder, type DataFolder } from '../src/cli/data-folder.ts';
import type { JsonObject } from '../src/lib/json.ts';
import { systemClock as clock } from '../src/platform/system-clock.ts';
import { silentLog as log } from '../test/support/silent-ports.ts';
import { BenchClient, credentialsIn, openBareServer, openWatchers } from './apiserver-clients.ts';
import { formatTable } from './table.ts';

type Print = (line: string) => void;

const ROOT = path.join(import.meta.dirname, '..');
const PROGRAM = path.join(ROOT, 'bin', 'podkeep');
const PODS = 10_000;
const POD_BYTES = 3000;
const SECONDS = 2;
const WATCHERS = 100;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const WATCHED = '/api/v1/namespaces/kube-public/configmaps';

export async function benchApiServer(print: Print): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'podkeep-bench-'));
  try {
    await benchStart(home, print);
    await benchRequests(home, print);
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function benchStart(home: string, print: Print): Promise<void> {
  await open(folderIn(home, 'warm-up')).then((cluster) => cluster.close());
  const [warmMs, warm] = await time(() => open(folderIn(home, 'warm')));
  await warm.close();
  const full = folderIn(home, 'full');
  await fill(full);
  const rows = [row('serves after the call, in a warm process', warmMs, 150)];
  const isBuilt = existsSync(path.join(ROOT, 'dist', 'main.js'));
  if (isBuilt) {
    rows.push(
      row(
        'serves after its process began, in an empty folder',
        await startProgram(home, 'new'),
        350,
      ),
      row('the same, with 10,000 pods on disk', await startProgram(home, 'full'), 500),
      row('(a bare node, for comparison)', await startNode(), 50),
    );
  }
  print(formatTable(['podkeep up', 'measured', 'at most'], rows));
  if (!isBuilt) print('skipped: how soon its process serves (dist is missing: npm run build)');
}

async function benchRequests(home: string, print: Print): Promise<void> {
  const folder = folderIn(home, 'full');
  const cluster = await open(folder);
  const credentials = credentialsIn(folder);
  const one = new BenchClient(cluster.url, credentials, 1);
  const many = new BenchClient(cluster.url, credentials, 32);
  const read = (file: string): string => readFileSync(path.join(folder.pki, file), 'utf8');
  const serving = { cert: read('apiserver.crt'), key: read('apiserver.key') };
  try {
    const listBytes = await one.send('GET', '/api/v1/pods');
    const small = await openBareServer(serving, Buffer.alloc(POD_BYTES, 120));
    const large = await openBareServer(serving, Buffer.alloc(listBytes, 120));
    const bareOne = new BenchClient(small.url, credentials, 1);
    const bareMany = new BenchClient(small.url, credentials, 32);
    const bareList = new BenchClient(large.url, credentials, 1);
    const pod = '/api/v1/namespaces/default/pods/p-05000';
    let name = 0;
    const create = (client: BenchClient) => () =>
      client.send('POST', CONFIG_MAPS, JSON.stringify(configMap(`n-${name++}`)));
    const get = (client: BenchClient) => () => client.send('GET', pod);
    print(
      formatTable(
        ['through the listener, per second', 'podkeep', 'bare node:https', 'ratio'],
        [
          await ratio('GET a pod, 1 client', 1, get(one), get(bareOne)),
          await ratio('GET a pod, 32 clients', 32, get(many), get(bareMany)),
          await ratio('POST of 3 KB, durable, 1 client', 1, create(one), create(bareOne)),
          await ratio('POST of 3 KB, durable, 32 clients', 32, create(many), create(bareMany)),
          await ratio(
            'list of 10,000 pods',
            1,
            () => one.send('GET', '/api/v1/pods'),
            () => bareList.send('GET', '/'),
          ),
        ],
      ),
    );
    print(await deliveries(cluster, folder));
    for (const each of [small, large, bareOne, bareMany, bareList]) each.close();
  } finally {
    one.close();
    many.close();
    await cluster.close();
  }
}

async function deliveries(cluster: Cluster, folder: DataFolder): Promise<string> {
  const credentials = credentialsIn(folder);
  const watchers = await openWatchers(cluster.url, credentials, `${WATCHED}?watch=1`, WATCHERS);
  const client = new BenchClient(cluster.url, credentials, 8);
  // Each watcher first gets the existing object.
  while (watchers.lines() < WATCHERS) await new Promise(setImmediate);
  let made = 0;
  const startMs = performance.now();
  await repeat(8, () => client.send('POST', WATCHED, JSON.stringify(configMap(`w-${made++}`))));
  while (watchers.lines() < (made + 1) * WATCHERS) await new Promise(setImmediate);
  const rate = ((made * WATCHERS) / (performance.now() - startMs)) * 1000;
  client.close();
  watchers.close();
  return `events delivered to ${WATCHERS} watchers over HTTP/2: ${Math.round(rate)} per second`;
}

async function ratio(
  title: string,
  clients: number,
  ours: () => Promise<unknown>,
  bare: () => Promise<unknown>,
): Promise<readonly string[]> {
  const [mine, theirs] = [await repeat(clients, ours), await repeat(clients, bare)];
  return [title, mine.toFixed(0), theirs.toFixed(0), (mine / theirs).toFixed(2)];
}

/** Each client waits for its answer before the next request. Resolves with answers per second. */
async function repeat(clients: number, act: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const startMs = performance.now();
  const work = async (): Promise<void> => {
    while (performance.now() - startMs < SECONDS * 1000) {
      await act();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  return (count * 1000) / (performance.now() - startMs);
}

function folderIn(home: string, name: string): DataFolder {
  return locateDataFolder(path.join(home, name), {});
}

function open(folder: DataFolder): Promise<Cluster> {
  const authorizationMode = 'RBAC';
  return startCluster({
    folder,
    port: 0,
    authorizationMode,
    controllers: '*',
    version: '0',
    log,
    out: () => {},
    onOpened: () => {},
  });
}

/** Creates pods that are bound to a node, so that no controller acts on them. */
async function fill({ store: folder }: DataFolder): Promise<void> {
  const store = await openLmdbStore({ folder, clock, log });
  const names = Array.from({ length: PODS }, (_, n) => `p-${String(n).padStart(5, '0')}`);
  const put = (name: string) => ({
    key: `/core/pods/default/${name}`,
    make: (revision: number) => pod(name, revision),
  });
  for (let at = 0; at < PODS; at += 500) await store.commit(names.slice(at, at + 500).map(put));
  const node = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n', uid: 'n' } };
  await store.commit([{ key: '/core/nodes/n', make: () => node }]);
  store.compact(store.revision);
  await store.close();
}

function pod(name: string, revision: number): JsonObject {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, namespace: 'default', uid: name, resourceVersion: String(revision) },
    spec: {
      nodeName: 'n',
      containers: [{ name: 'main', image: 'x', args: ['x'.repeat(POD_BYTES - 300)] }],
    },
    status: { phase: 'Running' },
  };
}

function configMap(name: string): JsonObject {
  return { metadata: { name }, data: { x: 'x'.repeat(POD_BYTES - 100) } };
}

async function startProgram(home: string, name: string): Promise<number> {
  const args = [
    'up',
    '--data-dir',
    path.join(home, name),
    '--port',
    '0',
    '--output',
    'json',
    '--no-node',
  ];
  return bestOf(5, async () => {
    if (name === 'new') rmSync(path.join(home, name), { recursive: true, force: true });
    const child = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    let given = '';
    child.stdout.on('data', (chunk: Buffer) => (given += String(chunk)));
    while (!given.includes('"serving"')) await once(child.stdout, 'data');
    return () => {
      child.kill('SIGTERM');
      return ended;
    };
  });
}

function startNode(): Promise<number> {
  return bestOf(5, async () => {
    await once(spawn(process.execPath, ['-e', '0']), 'exit');
    return async () => {};
  });
}

/** `act` resolves with the function that undoes it. */
async function bestOf(runs: number, act: () => Promise<() => Promise<unknown>>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const [ms, end] = await time(act);
    least = Math.min(least, ms);
    await end();
  }
  return least;
}

function row(name: string, ms: number, most: number): readonly string[] {
  return [name, `${ms.toFixed(0)} ms`, `${most} ms: ${ms <= most ? 'yes' : 'NO'}`];
}

async function time<Result>(
  act: () => Promise<Result>,
): Promise<readonly [ms: number, result: Result]> {
  const startMs = performance.now();
  const result = await act();
  return [performance.now() - startMs, result];
}
