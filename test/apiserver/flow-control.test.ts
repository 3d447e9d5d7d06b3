/** One user sends more than its share: the others are served, and it is told to come back later. */
import { describe, expect, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/api-server.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import type { ApiRequest, ApiResponse, User } from '../../src/ports/http-handler.ts';
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

/** A body whose end never comes. */
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

  test('beyond the queue of a user are answered with 429 and when to come back', async () => {
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
    ['calls in this process', alice, NAMESPACES, { inProcess: { said: null } }],
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

  test('are bounded for each user, and make space when they end', async () => {
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
