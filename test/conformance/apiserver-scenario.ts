/**
 * Plays recorded requests against the embedded API server with all its parts except controllers, as the
 * recorded kube-apiserver had none, and compares its answers with those of
 * kube-apiserver: codes, reasons, messages, causes, bodies, table cells and watch events.
 *
 * Placeholders in the recording stand for what differs from run to run. `<uid1>` is bound when it is
 * first seen and must be the same afterwards; the others match anything of their kind. Every step that differs
 * is reported: what follows the first may be its consequence.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CONTROLLER_OF, leftOutSentence } from '../../src/apiserver/admission/controlled-kinds.ts';
import { STORED_ONLY_KINDS } from '../../src/apiserver/admission/stored-only-kinds.ts';
import { openEmbeddedServer, type EmbeddedServer } from '../../src/apiserver/embedded-server.ts';
import type { ClientIdentity } from '../../src/apiserver/objects/access.ts';
import { openLmdbStore } from '../../src/apiserver/store/lmdb-store.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import type { ObjectStore } from '../../src/ports/api/object-store.ts';
import { silentLog } from '../support/silent-ports.ts';
import { promisesSettled, VirtualClock } from '../support/virtual-clock.ts';
import type { Difference } from './differences.ts';
import { listPathOf } from './record/recorder.ts';
import { Placeholders, type PlaceholderOptions } from './placeholders.ts';
import type { Vector } from './vector.ts';

interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** Absent: no such header was sent. */
  readonly userAgent?: string;
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

/** The recorded server's address and time. */
const ADDRESS = 'https://192.0.2.2:16443';
const RECORDED_MS = Date.UTC(2026, 10, 15, 12);
/** The recorded requests were sent by this user. */
const ADMIN: ClientIdentity = {
  user: { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
};
/** podkeep's own warnings, about kinds that it stores and on which nothing acts here. */
const OWN_WARNINGS: ReadonlySet<string> = new Set([
  ...STORED_ONLY_KINDS.map(({ sentence }) => sentence),
  ...[...CONTROLLER_OF].map(([resource, controller]) => leftOutSentence(resource, controller)),
]);
const ANSWER_MS_MAX = 5000;
const DIFFERENCES_OF_STEP = 3;
const { privateKey: SIGNING_KEY } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

export async function replayApiServerScenario(vector: Vector): Promise<readonly Difference[]> {
  const steps = vector['steps'] as readonly Step[];
  // The recorded namespaces had these names, and hashes in discovery were made of them.
  const namespace = `rec-${vector.scenario ?? 'recorded'}`;
  const hasOrder = vector['clock'] === true;
  const hasNumbers = vector['numbered'] === true;
  const options = { hasManagers: vector['topic'] !== undefined, hasOrder, hasNumbers };
  const play = (open: OpenStore) => replay(steps, namespace, open, options);
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
  options: PlaceholderOptions,
): Promise<readonly Difference[]> {
  const clock = new VirtualClock(RECORDED_MS);
  const store = await open({ clock, log: silentLog });
  const server = await openEmbeddedServer({
    store,
    clock,
    random: seededRandom(1),
    log: silentLog,
    version: {},
    access: { signingKey: SIGNING_KEY, mode: 'RBAC' },
    caCert: '',
    controllers: new Set(),
  });
  try {
    const harness = new TestHarness(namespace, clock, { store, server }, options);
    await harness.open();
    return await harness.playAll(steps);
  } finally {
    await server.close();
    await store.close();
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

class TestHarness {
  readonly #namespace: string;
  readonly #placeholders: Placeholders;
  readonly #clock: VirtualClock;
  /** Each step is in a second of its own. */
  readonly #everySecond: boolean;
  /** Versions are compared, so that only what the steps write may change them. */
  readonly #hasNumbers: boolean;
  readonly #store: ObjectStore;
  readonly #server: EmbeddedServer;

  constructor(
    namespace: string,
    clock: VirtualClock,
    { store, server }: { readonly store: ObjectStore; readonly server: EmbeddedServer },
    options: PlaceholderOptions,
  ) {
    this.#namespace = namespace;
    this.#clock = clock;
    this.#hasNumbers = options.hasNumbers ?? false;
    this.#everySecond = options.hasOrder ?? false;
    this.#placeholders = new Placeholders(namespace, options);
    this.#store = store;
    this.#server = server;
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
    const differences: Difference[] = [];
    for (const [index, step] of steps.entries()) {
      for (const [place, { watch }] of steps.entries()) {
        if (watch?.overSteps[0] !== index) continue;
        watches.set(place, await this.#watch(watch, versions));
      }
      const found = await this.#playStep(step, watches.get(index));
      const { method = 'WATCH', path: about = step.watch?.path } = step.request ?? {};
      const place = `.steps[${index}] ${method} ${about}`;
      for (const { path, ...values } of found.slice(0, DIFFERENCES_OF_STEP)) {
        differences.push({ path: `${place} ${path}`, ...values });
      }
      versions.push(await this.#listVersion(steps));
    }
    return differences;
  }

  #playStep(
    { request, response, watch }: Step,
    watcher: Watcher | undefined,
  ): Promise<readonly Difference[]> | readonly Difference[] {
    if (request && response) return this.#play(request, response);
    if (!watch || !watcher) return [];
    return promisesSettled().then(() => this.#placeholders.compare(watch.events, watcher.take()));
  }

  /**
   * The resourceVersion from which a watch may start: that of the list of the watched path, without a
   * query.
   */
  async #listVersion(steps: readonly Step[]): Promise<string> {
    const watched = steps.find(({ watch }) => watch?.resourceVersionAfterStep !== undefined)?.watch;
    if (!watched) return '';
    const [path = ''] = watched.path.split('?');
    return this.#currentVersion({ method: 'GET', path: listPathOf(path) });
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
    // The server's own reaction to a write is complete before the next request.
    if (!this.#hasNumbers) await this.#store.commit([]);
    if (this.#everySecond) await this.#clock.pass(1000);
    const current = await this.#currentVersion(request);
    const filled = this.#placeholders.fill(request, expected.code < 400 ? current : '1');
    const response = await withinTime(this.#send(filled as RecordedRequest));
    const text = response && (await withinTime(response.text()));
    if (!response || text === undefined) {
      return [{ path: '', expected, actual: 'an answer without an end' }];
    }
    const contentType = response.headers.get('content-type') ?? '';
    const isJson = contentType.includes('json') && text !== '';
    const body: unknown = isJson ? JSON.parse(text) : text;
    const { code, warnings = [] } = expected;
    if (code !== response.status) return [otherCode(expected, { code: response.status, body })];
    return this.#placeholders.compare(
      { code, contentType: expected.contentType, warnings, body: expected.body },
      { code: response.status, contentType, warnings: readWarnings(response), body },
    );
  }

  /** The resourceVersion for `<rv>` in a request that is to succeed. */
  async #currentVersion({ path: asked }: RecordedRequest): Promise<string> {
    const [path = ''] = this.#placeholders.fillText(asked, '1').split('?');
    const response = await this.#send({ method: 'GET', path: listPathOf(path) });
    if (!response.headers.get('content-type')?.includes('json')) return '1';
    const body = (await response.json()) as { metadata?: { resourceVersion?: string } };
    return body.metadata?.resourceVersion ?? '1';
  }

  async #send({
    method,
    path,
    body,
    contentType,
    accept,
    userAgent,
  }: RecordedRequest): Promise<Response> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const request = new Request(ADDRESS, {
      method,
      headers: {
        ...(contentType !== undefined && { 'content-type': contentType }),
        ...(accept !== undefined && { accept }),
        ...(userAgent !== undefined && { 'user-agent': userAgent }),
      },
      ...(body !== undefined && { body: text }),
    });
    // A Request would have resolved the path, which the recorded server got as it was sent.
    const { headers, body: stream } = request;
    const url = `${ADDRESS}${path}`;
    const answer = await this.#server.answer({ method, url, headers, body: stream }, ADMIN);
    return new Response(answer.body, {
      status: answer.status,
      headers: [...answer.headers].map(([name, value]) => [name, value]),
    });
  }
}

/** A watch where the recorded server answered with an error would never end, and time does not pass here. */
async function withinTime<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ANSWER_MS_MAX);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** Another code comes with another body: one difference says it all. */
function otherCode(expected: RecordedResponse, actual: RecordedResponse): Difference {
  const shown = ({ code, body }: RecordedResponse): unknown => ({
    code,
    answer: (body as { message?: string } | null)?.message ?? body,
  });
  return { path: '', expected: shown(expected), actual: shown(actual) };
}

/** The sentences in the header, one by one. */
function readWarnings(response: Response): readonly string[] {
  const header = response.headers.get('warning') ?? '';
  const sentences = [...header.matchAll(/299 - "(?:[^"\\]|\\.)*"/g)].map(([whole]) => whole);
  return sentences.filter((one) => !OWN_WARNINGS.has(one.slice('299 - "'.length, -1)));
}

async function read(response: Response, notify: (line: string) => void): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) notify(line);
  }
}
