/** One user sends more than its share: the others are served, and that user gets 429 with Retry-After. */
import { describe, expect, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/http/api-server.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import type { ApiRequest, ApiResponse, User } from '../../src/ports/api/http-handler.ts';
import { silentLog } from '../support/silent-ports.ts';
import { promisesSettled, VirtualClock } from '../support/virtual-clock.ts';

const NAMESPACES = '/api/v1/namespaces';
const mallory: User = { name: 'mallory', groups: [] };
const alice: User = { name: 'alice', groups: [] };
const admin: User = { name: 'admin', groups: ['system:masters'] };
const node: User = { name: 'system:node:n', groups: ['system:nodes'] };

/** Lets real sockets and timers have their turn, as the clock of this machine does. */
class TurningClock extends VirtualClock {
  turns = 0;

  turn(): Promise<void> {
    this.turns += 1;
    return promisesSettled();
  }
}

/** Each step of a request takes 100 ms. */
class LaboriousClock extends TurningClock {
  #computedMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.#computedMs;
  }

  drained(then: () => void): void {
    this.#computedMs += 100;
    then();
  }
}

function bodyOf(text: string): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      await Promise.resolve();
      yield new TextEncoder().encode(text);
    },
  };
}

function open(clock: VirtualClock) {
  const server = new ApiServer({
    store: openMemoryStore({ clock, log: silentLog }),
    clock,
    random: seededRandom(1),
    log: silentLog,
    kinds: builtInKinds,
    version: {},
  });
  return (user: User, path: string, more: Partial<ApiRequest> = {}): Promise<ApiResponse> =>
    server.answer(
      { method: 'GET', url: `http://podkeep${path}`, headers: new Headers(), body: null, ...more },
      { user },
    );
}

/** A body that never ends. */
const endless: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {
    yield new TextEncoder().encode('{');
    await new Promise(() => {});
  },
};

const post = { method: 'POST', body: endless };

describe('requests', () => {
  test('of another user are answered between those of a user who sends hundreds', async () => {
    const send = open(new TurningClock());
    const order: string[] = [];
    const flood = Array.from({ length: 100 }, async () => {
      await send(mallory, NAMESPACES);
      order.push('mallory');
    });
    const one = send(alice, NAMESPACES).then(() => order.push('alice'));
    await Promise.all([...flood, one]);
    expect(order.indexOf('alice')).toBeLessThan(20);
  });

  test('beyond the queue of a user are answered with 429 and Retry-After', async () => {
    const clock = new TurningClock();
    const send = open(clock);
    const answers = await Promise.all(Array.from({ length: 300 }, () => send(mallory, NAMESPACES)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(100);
    expect([...(refused[0]?.headers ?? [])]).toContainEqual(['retry-after', '1']);
    expect(await new Response(refused[0]?.body as string).json()).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Too many requests, please try again later.',
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 1 },
      code: 429,
    });
    expect((await send(alice, NAMESPACES)).status).toBe(200);
    const { body } = await send(admin, '/metrics');
    expect(body).toContain(
      'apiserver_flowcontrol_rejected_requests_total{flow_schema="global-default",' +
        `priority_level="global-default",reason="queue-full"} ${refused.length}`,
    );
    expect(body).toContain('apiserver_flowcontrol_current_executing_requests{');
  });

  test('whose bodies never end take no seats, and are bounded for each user', async () => {
    const send = open(new VirtualClock());
    const answers: number[] = [];
    for (let count = 0; count < 150; count++) {
      void send(mallory, NAMESPACES, post).then(({ status }) => answers.push(status));
    }
    await promisesSettled();
    expect(answers).toEqual(Array.from({ length: 50 }, () => 429));
    expect((await send(mallory, NAMESPACES)).status).toBe(200);
    expect((await send(alice, NAMESPACES)).status).toBe(200);
  });
});

test('a large body is read in steps, between which its user rests if there are others', async () => {
  const clock = new LaboriousClock();
  const send = open(clock);
  const text = JSON.stringify({ metadata: { name: 'a', annotations: { a: 'x'.repeat(100_000) } } });
  const large = { method: 'POST', body: bodyOf(text) };
  // An administrator is exempt, and still another user.
  await send(admin, NAMESPACES);
  let isAnswered = false;
  const answer = send(mallory, NAMESPACES, large).then(({ status }) => {
    isAnswered = true;
    return status;
  });
  await clock.pass(399);
  expect(isAnswered).toBe(false);
  await send(admin, NAMESPACES);
  await clock.pass(2000);
  expect(await answer).toBe(201);
});

describe('exempt, and never queued, are', () => {
  const flood = async (clock: VirtualClock) => {
    const send = open(clock);
    for (let count = 0; count < 100; count++) void send(mallory, NAMESPACES);
    return send;
  };

  test.each([
    ['system:masters', admin, NAMESPACES, {}],
    ['health', mallory, '/livez', {}],
    ['leases of nodes', node, '/apis/coordination.k8s.io/v1/leases', {}],
    ['calls in this process', alice, NAMESPACES, { inProcess: { object: null } }],
  ] as const)('%s', async (_name, user, path, more) => {
    const clock = new TurningClock();
    const send = await flood(clock);
    const turnsBefore = clock.turns;
    expect((await send(user, path, more)).status).toBe(200);
    expect(clock.turns - turnsBefore).toBeLessThanOrEqual(1);
  });
});

describe('watches', () => {
  const WATCH = `${NAMESPACES}?watch=1`;

  test('are bounded for each user, and free their seat when they end', async () => {
    const send = open(new VirtualClock());
    const opened = await Promise.all(Array.from({ length: 50 }, () => send(mallory, WATCH)));
    for (let count = 50; count < 1000; count++) opened.push(await send(mallory, WATCH));
    expect(opened.every(({ status }) => status === 200)).toBe(true);
    expect((await send(mallory, WATCH)).status).toBe(429);
    expect((await send(alice, WATCH)).status).toBe(200);
    const [first] = opened;
    if (first?.body instanceof ReadableStream) await first.body.cancel();
    expect((await send(mallory, WATCH)).status).toBe(200);
  });
});
