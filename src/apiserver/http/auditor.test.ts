import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import { seededRandom } from '../../platform/seeded-random.ts';
import { ApiServer } from './api-server.ts';
import { builtInKinds } from '../kinds/built-in-kinds.ts';
import { StatusError } from '../objects/status.ts';
import { openMemoryStore } from '../store/memory-store.ts';
import { Auditor, type AuditorOptions } from './auditor.ts';
import { readPolicy } from '../audit/policy.ts';

const HOST = 'https://localhost';
const MAPS = `${HOST}/api/v1/namespaces/default/configmaps`;

function makeServer(rule: JsonObject, options: Partial<AuditorOptions> = {}) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const problems: unknown[] = [];
  const log = { ...silentLog, error: (_: string, facts?: unknown) => void problems.push(facts) };
  const policy = readPolicy({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [rule] });
  const auditor = new Auditor({
    policy,
    format: 'json',
    clock,
    random: seededRandom(1),
    log,
    write: async (more) => void lines.push(...more),
    ...options,
  });
  const common = { clock, random: seededRandom(2), log: silentLog, kinds: builtInKinds };
  const store = openMemoryStore({ clock, log: silentLog });
  const server = new ApiServer({
    ...common,
    store,
    version: {},
    auditor,
    access: () => ({
      authenticate: async (request, _identity, observer) => {
        if (request.headers.get('authorization') !== null) {
          throw new StatusError(401, 'Unauthorized', 'Unauthorized');
        }
        const user = { name: 'jane', groups: ['readers'] };
        observer?.authenticated(user);
        return user;
      },
      authorize: () => ({ isAllowed: true, reason: 'because' }),
    }),
  });
  const events = async (): Promise<readonly JsonObject[]> => {
    await auditor.close();
    return lines.map((line) => JSON.parse(line) as JsonObject);
  };
  return { server, auditor, events, lines, problems };
}

function post(name: string, headers: Record<string, string> = {}): Request {
  const body = JSON.stringify({ metadata: { name }, data: { a: 'value' } });
  const type = { 'content-type': 'application/json' };
  return new Request(MAPS, { method: 'POST', body, headers: { ...type, ...headers } });
}

describe('the audit of requests', () => {
  test('an event has the ID of the answer, and that of the request if it has one', async () => {
    const { server, events } = makeServer({ level: 'Metadata' });
    const first = await server.fetch(new Request(`${HOST}/healthz`));
    const own = await server.fetch(
      new Request(`${HOST}/healthz`, { headers: { 'audit-id': 'mine' } }),
    );
    const bad = await server.fetch(
      new Request(`${HOST}/healthz`, { headers: { 'audit-id': 'x'.repeat(5000) } }),
    );
    expect(own.headers.get('audit-id')).toBe('mine');
    expect(bad.headers.get('audit-id')).toMatch(/^[0-9a-f-]{36}$/);
    const ids = (await events()).map(({ auditID }) => auditID);
    const one = first.headers.get('audit-id');
    const other = bad.headers.get('audit-id');
    expect(ids).toEqual([one, one, 'mine', 'mine', other, other]);
  });

  test.each([
    ['Metadata', false, false],
    ['Request', true, false],
    ['RequestResponse', true, true],
  ])('at level %s the objects are recorded as the level says', async (level, request, response) => {
    const { server, events } = makeServer({ level, omitStages: ['RequestReceived'] });
    await server.fetch(post('a'));
    const [event] = await events();
    expect(event).toMatchObject({
      level,
      stage: 'ResponseComplete',
      verb: 'create',
      user: { username: 'jane', groups: ['readers'] },
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: expect.any(Number) },
      annotations: {
        'authorization.k8s.io/decision': 'allow',
        'authorization.k8s.io/reason': 'because',
      },
    });
    expect('requestObject' in (event ?? {})).toBe(request);
    expect('responseObject' in (event ?? {})).toBe(response);
    expect(JSON.stringify(event).includes('value')).toBe(request);
  });

  test('a client that cannot be authenticated leaves one event without a user', async () => {
    const { server, events } = makeServer({ level: 'Metadata' });
    await server.fetch(new Request(MAPS, { headers: { authorization: 'Bearer x' } }));
    expect(await events()).toMatchObject([
      { stage: 'ResponseStarted', user: {}, responseStatus: { code: 401, reason: 'Unauthorized' } },
    ]);
  });

  test('level None leaves nothing but the ID', async () => {
    const { server, events } = makeServer({ level: 'None' });
    const answer = await server.fetch(new Request(MAPS));
    expect(answer.headers.get('audit-id')).not.toBeNull();
    expect(await events()).toEqual([]);
  });

  test('a watch starts, and completes when the client leaves', async () => {
    const { server, events, lines } = makeServer({ level: 'Metadata' });
    const answer = await server.fetch(new Request(`${MAPS}?watch=true`));
    await Promise.resolve();
    expect((await events()).map(({ stage }) => stage)).toEqual([
      'RequestReceived',
      'ResponseStarted',
    ]);
    await answer.body?.cancel();
    expect((await events()).map(({ stage }) => stage).at(-1)).toBe('ResponseComplete');
    expect(lines).toHaveLength(3);
  });

  test('the format legacy is one line of text', async () => {
    const { server, auditor, lines } = makeServer(
      { level: 'Metadata', omitStages: ['RequestReceived'] },
      { format: 'legacy' },
    );
    await server.fetch(new Request(MAPS, { headers: { 'user-agent': 'me', 'audit-id': 'id' } }));
    await auditor.close();
    expect(lines[0]).toMatch(
      / AUDIT: id="id" stage="ResponseComplete" ip="<unknown>" method="list" user="jane" groups="\\"readers\\"" as="<self>" asgroups="<lookup>" user-agent="me" namespace="default" uri="\/api\/v1\/namespaces\/default\/configmaps" response="\d+"$/,
    );
  });
});

describe('a log that cannot be written', () => {
  test('drops events, counts and logs them, and no client notices', async () => {
    const failing = { write: () => Promise.reject(new Error('disk full')) };
    const { server, auditor, problems } = makeServer({ level: 'Metadata' }, failing);
    for (let n = 0; n < 3; n++) {
      expect((await server.fetch(new Request(`${HOST}/healthz`))).status).toBe(200);
    }
    await auditor.close();
    expect(auditor.dropped).toBe(6);
    const counts = problems.map((facts) => (facts as { count: number }).count);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(6);
    expect(problems[0]).toMatchObject({ error: new Error('disk full') });
  });

  test('that is slow fills a bounded buffer', async () => {
    let release: () => void = () => {};
    const blocked = new Promise<void>((resolve) => (release = resolve));
    const written: string[] = [];
    const write = async (lines: readonly string[]): Promise<void> => {
      await blocked;
      written.push(...lines);
    };
    const options = { write, bufferCharsMax: 2000 };
    const { server, auditor } = makeServer({ level: 'Metadata' }, options);
    for (let n = 0; n < 20; n++) await server.fetch(new Request(`${HOST}/healthz`));
    expect(auditor.dropped).toBeGreaterThan(0);
    release();
    await auditor.close();
    expect(written.length + auditor.dropped).toBe(40);
    expect(written.join('').length).toBeLessThanOrEqual(2000);
  });
});
