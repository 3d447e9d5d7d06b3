import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../../test/support/silent-ports.ts';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { postJson } from '../../../client/post-json.ts';
import type { HttpPostRequest } from '../../../ports/http-post.ts';
import type { AlertView } from '../alert-view.ts';
import { AlertDelivery } from './alert-delivery.ts';

function alert(index: number, state: AlertView['state'] = 'firing'): AlertView {
  const labels = { alertname: `A${index}` };
  const subject = { pod: null, container: null, labels, annotations: {} };
  const times = {
    activeAtMs: 1000,
    firedAtMs: 1000,
    resolvedAtMs: state === 'resolved' ? 9000 : null,
  };
  return {
    key: `${index}`,
    ruleId: 'rule',
    alertname: `A${index}`,
    severity: 'warning',
    state,
    ...subject,
    ...times,
  };
}

function harness(
  type: 'alertmanager' | 'webhook' = 'alertmanager',
  more: { readonly caFile?: string; readonly severities?: readonly string[] } = {},
) {
  const clock = new VirtualClock();
  const world = {
    clock,
    isDown: false,
    status: 200,
    chance: 0,
    posts: [] as HttpPostRequest[],
    tries: 0,
    warnings: [] as string[],
    dropped: [] as string[],
  };
  const delivery = new AlertDelivery({
    clock,
    random: { next: () => world.chance },
    log: { ...silentLog, warn: (message) => void world.warnings.push(message) },
    dropped: (receiver, reason, alerts) =>
      void world.dropped.push(`${receiver}: ${reason}: ${alerts}`),
    nodeName: 'node1',
    receiver: {
      name: 'main',
      type,
      url: 'http://receiver.example/',
      bearerTokenFile: '',
      caFile: '',
      severities: [],
      ...more,
    },
    post: async (request) => {
      world.tries += 1;
      if (world.isDown) throw new Error('connection refused');
      if (world.status === 200) world.posts.push(request);
      return world.status;
    },
  });
  onTestFinished(() => delivery.close());
  return { ...world, world, delivery };
}

function namesIn(posts: readonly HttpPostRequest[]): readonly string[] {
  return posts.flatMap(({ body }) =>
    (JSON.parse(body) as { labels: { alertname: string } }[]).map(({ labels }) => labels.alertname),
  );
}

test('a receiver that is down for a minute gets every alert once it is back, in few posts', async () => {
  const { world, clock, delivery } = harness();
  world.isDown = true;
  for (let index = 0; index < 200; index += 1) {
    delivery.changed({ before: null, after: alert(index) });
    await clock.pass(300);
  }
  delivery.changed({ before: alert(7), after: alert(7, 'resolved') });
  expect(world.tries).toBeLessThan(10);
  world.isDown = false;
  await clock.pass(60_000);
  expect(new Set(namesIn(world.posts)).size).toBe(200);
  expect(world.posts[0]?.url).toBe('http://receiver.example/api/v2/alerts');
  expect(world.posts.every(({ body }) => (JSON.parse(body) as unknown[]).length <= 64)).toBe(true);
  const resolved = world.posts
    .map(({ body }) => body)
    .join('')
    .includes('1970-01-01T00:00:09.000000Z');
  expect(resolved).toBe(true);
});

test.each([400, 401, 404, 413, 422])(
  'a post that the receiver refuses with %i is dropped, and later alerts arrive',
  async (status) => {
    const { world, clock, delivery } = harness();
    world.status = status;
    delivery.changed({ before: null, after: alert(1) });
    delivery.changed({ before: alert(2), after: alert(2, 'resolved') });
    await clock.pass(1000);
    delivery.changed({ before: alert(3), after: alert(3, 'resolved') });
    await clock.pass(1000);
    expect(world.dropped).toEqual([
      `main: the answer is ${status}: 2`,
      `main: the answer is ${status}: 1`,
    ]);
    expect(world.warnings).toEqual(['Alerts dropped']);
    world.status = 200;
    delivery.changed({ before: null, after: alert(4) });
    await clock.pass(1000);
    expect(namesIn(world.posts)).toEqual(['A4']);
    // What still fires is sent again with the others.
    await clock.pass(60_000);
    expect(new Set(namesIn(world.posts))).toEqual(new Set(['A1', 'A4']));
  },
);

test.each([408, 429, 500, 503, 307])(
  'a post that is answered with %i is sent again with back-off and jitter',
  async (status) => {
    const { world, clock, delivery } = harness();
    world.status = status;
    world.chance = 0.5;
    delivery.changed({ before: alert(1), after: alert(1, 'resolved') });
    await clock.pass(1000);
    // A second and a quarter of it; then two seconds and a quarter of them.
    const tries: number[] = [];
    for (const ms of [1249, 1, 2499, 1, 4999, 1]) {
      await clock.pass(ms);
      tries.push(world.tries);
    }
    expect(tries).toEqual([1, 2, 2, 3, 3, 4]);
    world.status = 200;
    await clock.pass(10_000);
    expect(namesIn(world.posts)).toEqual(['A1']);
    expect(world.dropped).toEqual([]);
  },
);

test('the oldest alerts are dropped when too many wait, which is logged once and counted', async () => {
  const { world, delivery } = harness();
  for (let index = 0; index < 10_003; index += 1)
    delivery.changed({ before: null, after: alert(index) });
  expect(world.dropped).toHaveLength(3);
  expect(world.warnings).toEqual(['Alerts dropped']);
});

test('firing alerts are sent again every minute, and resolved ones once', async () => {
  const { world, clock, delivery } = harness();
  delivery.changed({ before: null, after: alert(1) });
  await clock.pass(125_000);
  expect(namesIn(world.posts)).toEqual(['A1', 'A1', 'A1']);
  delivery.changed({ before: alert(1), after: alert(1, 'resolved') });
  await clock.pass(300_000);
  expect(namesIn(world.posts)).toHaveLength(4);
});

test('a webhook gets the state of each alert, and pending ones are not sent', async () => {
  const { world, clock, delivery } = harness('webhook');
  delivery.changed({ before: null, after: alert(2, 'pending') });
  delivery.changed({ before: null, after: alert(1) });
  await clock.pass(1000);
  expect(JSON.parse(world.posts[0]?.body ?? '')).toMatchObject({
    node: 'node1',
    alerts: [{ status: 'firing', labels: { alertname: 'A1' } }],
  });
});

test('a redirect is not followed, and the token goes to the receiver alone', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization}`);
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const request = { url: `http://127.0.0.1:${port}/hook`, body: '{}', bearerToken: 'abc' };
  expect(await postJson(request, new AbortController().signal)).toBe(307);
  expect(seen).toEqual(['/hook Bearer abc']);
});

test('a receiver with severities gets alerts of these only, and their end in any case', async () => {
  const { world, clock, delivery } = harness('alertmanager', { severities: ['critical', 'page'] });
  const critical = { ...alert(1), severity: 'critical' };
  delivery.changed({ before: null, after: critical });
  delivery.changed({ before: null, after: alert(2) });
  await clock.pass(2000);
  expect(namesIn(world.posts)).toEqual(['A1']);
  // Its rule was changed while it fired.
  delivery.changed({ before: critical, after: alert(1, 'resolved') });
  delivery.changed({ before: alert(2), after: alert(2, 'resolved') });
  await clock.pass(2000);
  expect(namesIn(world.posts)).toEqual(['A1', 'A1']);
});

test('the authorities of a receiver are read for each post; without a certificate it is retried', async () => {
  const caFile = path.join(makeTempFolder(), 'ca.pem');
  writeFileSync(caFile, 'nothing', { mode: 0o600 });
  const { world, clock, delivery } = harness('webhook', { caFile });
  delivery.changed({ before: null, after: alert(1) });
  await clock.pass(2000);
  expect([world.tries, world.warnings]).toEqual([0, ['Failed to deliver alerts; retrying']]);
  const ca = '-----BEGIN CERTIFICATE-----\n';
  writeFileSync(caFile, ca);
  await clock.pass(60_000);
  expect(world.posts[0]?.ca).toBe(ca);
});
