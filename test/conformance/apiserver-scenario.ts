/**
 * Plays recorded requests against the embedded API server, and compares its answers with those of
 * kube-apiserver: codes, reasons, messages, causes, bodies, table cells and watch events.
 *
 * Placeholders in the recording stand for what differs from run to run. `<uid1>` is bound when it is
 * first seen and must be the same afterwards; the others match anything of their kind.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiServer } from '../../src/apiserver/api-server.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { openLmdbStore } from '../../src/apiserver/store/lmdb-store.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import type { ObjectStore } from '../../src/ports/object-store.ts';
import { silentLog } from '../support/silent-ports.ts';
import { promisesSettled, VirtualClock } from '../support/virtual-clock.ts';
import type { Difference } from './differences.ts';
import { Placeholders } from './placeholders.ts';
import type { Vector } from './vector.ts';

interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
}

interface RecordedResponse {
  readonly code: number;
  readonly contentType?: string;
  readonly warnings?: readonly string[];
  readonly body?: unknown;
}

interface Step {
  readonly request?: RecordedRequest;
  readonly response?: RecordedResponse;
  readonly watch?: {
    readonly path: string;
    readonly events: readonly unknown[];
    readonly overSteps: readonly [number, number];
    readonly resourceVersionAfterStep?: number;
  };
}

interface Watcher {
  /** The events so far. */
  take(): readonly unknown[];
}

/** Where the recorded server was, and when. */
const ADDRESS = 'https://192.0.2.2:16443';
const RECORDED_MS = Date.UTC(2026, 10, 15, 12);

export async function replayApiServerScenario(vector: Vector): Promise<readonly Difference[]> {
  const steps = vector['steps'] as readonly Step[];
  // The recorded namespaces were called so, and hashes in discovery were made of their names.
  const namespace = `rec-${vector.scenario ?? 'recorded'}`;
  const play = (open: OpenStore) => replay(steps, namespace, open);
  const inMemory = await play(openMemoryStore);
  return inMemory.length > 0 ? inMemory : withFolder((folder) => play(onDisk(folder)));
}

type OpenStore = (ports: {
  readonly clock: Clock;
  readonly log: Log;
}) => ObjectStore | Promise<ObjectStore>;

async function replay(
  steps: readonly Step[],
  namespace: string,
  open: OpenStore,
): Promise<readonly Difference[]> {
  const clock = new VirtualClock(RECORDED_MS);
  const stage = new Stage(namespace, clock, await open({ clock, log: silentLog }));
  try {
    await stage.open();
    return await stage.playAll(steps);
  } finally {
    await stage.close();
  }
}

function onDisk(folder: string): OpenStore {
  return (ports) => openLmdbStore({ ...ports, folder });
}

async function withFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-recorded-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class Stage {
  readonly #namespace: string;
  readonly #placeholders: Placeholders;
  readonly #store: ObjectStore;
  readonly #server: ApiServer;

  constructor(namespace: string, clock: Clock, store: ObjectStore) {
    this.#namespace = namespace;
    this.#placeholders = new Placeholders(namespace);
    this.#store = store;
    this.#server = new ApiServer({
      store,
      clock,
      random: seededRandom(1),
      log: silentLog,
      kinds: builtInKinds,
      version: {},
    });
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async open(): Promise<void> {
    for (const [resource, body] of [
      ['namespaces', { metadata: { name: this.#namespace } }],
      [`namespaces/${this.#namespace}/serviceaccounts`, { metadata: { name: 'default' } }],
    ] as const) {
      await this.#send({
        method: 'POST',
        path: `/api/v1/${resource}`,
        body,
        contentType: 'application/json',
      });
    }
  }

  async playAll(steps: readonly Step[]): Promise<readonly Difference[]> {
    const watches = new Map<number, Watcher>();
    const versions: string[] = [];
    for (const [index, step] of steps.entries()) {
      for (const [place, { watch }] of steps.entries()) {
        if (watch?.overSteps[0] !== index) continue;
        watches.set(place, await this.#watch(watch, versions));
      }
      const found = await this.#playStep(step, watches.get(index));
      if (found.length > 0) {
        const { method = 'WATCH', path: about = step.watch?.path } = step.request ?? {};
        return found.map(({ path, ...values }) => ({
          path: `.steps[${index}] ${method} ${about} ${path}`,
          ...values,
        }));
      }
      versions.push(await this.#listVersion(steps));
    }
    return [];
  }

  #playStep(
    { request, response, watch }: Step,
    watcher: Watcher | undefined,
  ): Promise<readonly Difference[]> | readonly Difference[] {
    if (request && response) return this.#play(request, response);
    if (!watch || !watcher) return [];
    return promisesSettled().then(() => this.#placeholders.compare(watch.events, watcher.take()));
  }

  /** The version of the list that a watch may begin at: that of the watched path, without a query. */
  async #listVersion(steps: readonly Step[]): Promise<string> {
    const watched = steps.find(({ watch }) => watch?.resourceVersionAfterStep !== undefined)?.watch;
    if (!watched) return '';
    const [path = ''] = watched.path.split('?');
    return this.#currentVersion({ method: 'GET', path });
  }

  async #watch(
    { path, resourceVersionAfterStep }: NonNullable<Step['watch']>,
    versions: readonly string[],
  ): Promise<Watcher> {
    const version = versions[resourceVersionAfterStep ?? -1] ?? '0';
    const response = await this.#send({
      method: 'GET',
      path: this.#placeholders.fillText(path, version),
    });
    const events: unknown[] = [];
    if (response.status !== 200) {
      events.push({ code: response.status, body: await response.json() });
      return { take: () => events };
    }
    void read(response, (line) => events.push(JSON.parse(line)));
    return { take: () => events };
  }

  async #play(
    request: RecordedRequest,
    expected: RecordedResponse,
  ): Promise<readonly Difference[]> {
    // What the server does by itself after a write is done before the next request.
    await this.#store.commit([]);
    const current = await this.#currentVersion(request);
    const filled = this.#placeholders.fill(request, expected.code < 400 ? current : '1');
    const response = await this.#send(filled as RecordedRequest);
    const contentType = response.headers.get('content-type') ?? '';
    const text = await response.text();
    const body: unknown = contentType.includes('json') ? JSON.parse(text) : text;
    const { code, warnings = [] } = expected;
    return this.#placeholders.compare(
      { code, contentType: expected.contentType, warnings, body: expected.body },
      { code: response.status, contentType, warnings: readWarnings(response), body },
    );
  }

  /** What `<rv>` in a request means if the request is to succeed. */
  async #currentVersion({ path }: RecordedRequest): Promise<string> {
    const response = await this.#send({
      method: 'GET',
      path: this.#placeholders.fillText(path, '1'),
    });
    if (!response.headers.get('content-type')?.includes('json')) return '1';
    const body = (await response.json()) as { metadata?: { resourceVersion?: string } };
    return body.metadata?.resourceVersion ?? '1';
  }

  async #send({ method, path, body, contentType, accept }: RecordedRequest): Promise<Response> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const request = new Request(ADDRESS, {
      method,
      headers: {
        ...(contentType !== undefined && { 'content-type': contentType }),
        ...(accept !== undefined && { accept }),
      },
      ...(body !== undefined && { body: text }),
    });
    // A Request would have resolved the path, which the recorded server saw as it was sent.
    const { headers, body: stream } = request;
    const url = `${ADDRESS}${path}`;
    const answer = await this.#server.answer({ method, url, headers, body: stream });
    return new Response(answer.body, {
      status: answer.status,
      headers: [...answer.headers].map(([name, value]) => [name, value]),
    });
  }
}

/** The sentences in the header, one by one. */
function readWarnings(response: Response): readonly string[] {
  const header = response.headers.get('warning') ?? '';
  return [...header.matchAll(/299 - "(?:[^"\\]|\\.)*"/g)].map(([whole]) => whole);
}

async function read(response: Response, tell: (line: string) => void): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) tell(line);
  }
}
