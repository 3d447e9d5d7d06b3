/** /podkeep/v1 of the kubelet's server: who may read it, by which name, what it answers, and its document. */
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import type { ClientIdentity } from '../../src/ports/api/http-handler.ts';
import type { KubeletAccess } from '../../src/ports/api/kubelet-access.ts';
import type { NodeQueryDeps } from '../../src/kubelet/query/node-query.ts';
import { subresourcesOf } from '../../src/server/auth/request-attributes.ts';
import { schemaProblems } from '../support/openapi-check.ts';
import { QueryHarness } from '../support/query-harness.ts';
import { ADMIN, bodyOf, headerOf, kubeletHarness, request } from './kubelet-server-harness.ts';

const REMOTE: ClientIdentity = { address: '192.0.2.7' };

/** Tokens are the names of users; each may read one subresource. */
const tokenAccess: KubeletAccess = {
  identify: (identity, token) =>
    Promise.resolve(identity.user ?? (token === null ? null : { name: token, groups: [] })),
  authorize: ({ name }, { verb, subresource }) =>
    Promise.resolve({ allowed: name === `${verb}-${subresource}`, reason: '' }),
};

function harnessOf(deps: Partial<NodeQueryDeps> = {}, access?: KubeletAccess) {
  const world = new QueryHarness(deps);
  const hostNames = () => ['node1.example.com', '192.0.2.5'];
  const { server, clock } = kubeletHarness({
    query: world.query,
    hostNames,
    ...(access && { access }),
  });
  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await server.answer(request(path, method, headers), ADMIN);
    const text = answer.body instanceof ReadableStream ? '' : await bodyOf(answer);
    return { answer, status: answer.status, text, json: text.startsWith('{') && JSON.parse(text) };
  };
  const askFrom = (host: string, path: string, token?: string) => {
    const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` });
    const url = `https://${host}${path}`;
    return server.answer({ method: 'GET', url, headers, body: null }, REMOTE);
  };
  return { world, server, clock, ask, askFrom };
}

describe('access', () => {
  test.each([
    ['/podkeep/v1/pods', ['pods', 'proxy']],
    ['/podkeep/v1/pods/default/web', ['pods', 'proxy']],
    ['/podkeep/v1/pods/default/web/timeline', ['pods', 'proxy']],
    ['/podkeep/v1/decisions', ['pods', 'proxy']],
    ['/podkeep/v1/node', ['stats']],
    ['/podkeep/v1/resources', ['stats']],
    ['/podkeep/v1/alerts', ['stats']],
    ['/podkeep/v1/openapi.json', ['stats', 'pods', 'proxy']],
    ['/podkeep/v1/nodes', ['proxy']],
    ['/podkeep/v2', ['proxy']],
  ])('%s needs one of %j', (path, subresources) => {
    expect(subresourcesOf(path)).toEqual(subresources);
  });

  test('without a token a client gets 401, and without the right 403', async () => {
    const { askFrom } = harnessOf({}, tokenAccess);
    const codes = async (path: string, token?: string) =>
      (await askFrom('192.0.2.5:10250', path, token)).status;
    for (const path of ['pods', 'pods?watch', 'decisions', 'node', 'alerts', 'openapi.json']) {
      expect([path, await codes(`/podkeep/v1/${path}`)]).toEqual([path, 401]);
      expect([path, await codes(`/podkeep/v1/${path}`, 'nothing')]).toEqual([path, 403]);
    }
    expect(await codes('/podkeep/v1/pods', 'get-pods')).toBe(200);
    expect(await codes('/podkeep/v1/pods', 'get-stats')).toBe(403);
    expect(await codes('/podkeep/v1/node', 'get-stats')).toBe(200);
    expect(await codes('/podkeep/v1/node', 'get-pods')).toBe(403);
    expect(await codes('/podkeep/v1/openapi.json', 'get-pods')).toBe(200);
  });

  test.each([
    ['evil.example', 421],
    ['evil.example:10250', 421],
    ['node1.evil.example', 421],
    ['127.0.0.1.evil.example', 421],
    ['', 421],
    ['localhost', 200],
    ['LOCALHOST:10250', 200],
    ['127.0.0.1:10250', 200],
    ['[::1]:10250', 200],
    ['203.0.113.9', 200],
    ['node1', 200],
    ['node1.example.com.', 200],
  ])('a request for the host %s gets %i', async (host, status) => {
    const { askFrom } = harnessOf({}, tokenAccess);
    expect((await askFrom(host, '/podkeep/v1/pods', 'get-pods')).status).toBe(status);
    expect((await askFrom(host, '/podkeep/v1/pods?watch', 'get-pods')).status).toBe(status);
  });

  test('a foreign host is refused before it is known who asks', async () => {
    const { askFrom } = harnessOf({}, tokenAccess);
    const answer = await askFrom('evil.example', '/podkeep/v1/pods');
    expect(answer.status).toBe(421);
    expect(await bodyOf(answer)).toContain(
      String.raw`\"evil.example\" is not a name of node node1`,
    );
  });

  test('clients of this process need no host of ours, and the kubelet paths are as before', async () => {
    const { ask, askFrom } = harnessOf({}, tokenAccess);
    expect((await ask('/podkeep/v1/pods')).status).toBe(403);
    expect((await askFrom('evil.example', '/pods', 'get-pods')).status).toBe(200);
  });

  test('only GET is served', async () => {
    const { ask } = harnessOf();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await ask('/podkeep/v1/pods', {}, method)).status).toBe(405);
    }
  });
});

describe('answers', () => {
  test.each([
    ['pods?labelselector=a', 400, 'not supported here'],
    ['pods?fieldSelector=spec.x%3D1', 400, 'field label not supported'],
    ['pods?labelSelector=a&labelSelector=b', 400, 'it is given twice'],
    ['pods?watch=perhaps', 400, 'it is true or false'],
    ['node?watch', 400, 'this path has no parameters'],
    ['resources?watch', 400, 'this path has labelSelector, fieldSelector'],
    ['decisions?limit=0', 400, 'a number from 1 to'],
    ['decisions?since=now', 400, 'since: '],
    ['pods/default/nope', 404, 'pod default/nope is not on this node'],
    ['pods/default/nope/timeline', 404, 'pod default/nope is not on this node'],
    ['alerts', 404, 'no alert rules are evaluated on node node1'],
  ])('%s: %i, %s', async (path, status, message) => {
    const { ask } = harnessOf();
    const { json } = await ask(`/podkeep/v1/${path}`);
    expect(json).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
    expect(json.message).toContain(message);
  });

  test('too many watchers are refused for now', async () => {
    const { ask } = harnessOf({ limits: { watchersMax: 1 } });
    expect((await ask('/podkeep/v1/pods?watch')).status).toBe(200);
    const { answer } = await ask('/podkeep/v1/pods?watch');
    expect(answer.status).toBe(429);
    expect(headerOf(answer, 'retry-after')).toBe('5');
  });

  test('a client that leaves ends its watch', async () => {
    const { ask, world } = harnessOf({ limits: { watchersMax: 1 } });
    const { answer } = await ask('/podkeep/v1/pods?watch');
    await (answer.body as ReadableStream).cancel();
    await world.clock.pass(0);
    expect((await ask('/podkeep/v1/pods?watch')).status).toBe(200);
  });

  test('a watch is a stream of events with IDs, and of comments while nothing happens', async () => {
    const { ask, world, clock } = harnessOf();
    world.put('web');
    const { answer } = await ask('/podkeep/v1/pods?watch=true&labelSelector=app%3Dweb');
    expect(headerOf(answer, 'content-type')).toBe('text/event-stream');
    let text = '';
    const reading = (async () => {
      for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
        text += Buffer.from(chunk).toString();
      }
    })();
    await world.clock.pass(0);
    world.put('other');
    await clock.pass(15_000);
    world.put('web', { app: 'web' });
    await world.clock.pass(0);
    world.query.close();
    await reading;
    expect(text).toMatchInlineSnapshot(`
      "retry: 1000

      id: e1-2
      event: synced
      data: {"revision":2,"items":0}

      : keep-alive
      id: e1-3

      id: e1-4
      event: pod
      data: {"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default","uid":"uid-web","labels":{"app":"web"}},"spec":{"nodeName":"node1","containers":[{"name":"main","image":"busy:1"}]}}

      "
    `);
  });

  test('a watch of one pod has that pod alone, whatever is in its name', async () => {
    const { ask, world } = harnessOf();
    world.put('web');
    world.put('db');
    const { answer } = await ask('/podkeep/v1/pods/default/web?watch');
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    await world.clock.pass(0);
    const chunks = [await reader.read(), await reader.read()];
    const text = chunks.map(({ value }) => Buffer.from(value ?? []).toString()).join('');
    expect(text).toContain('"name":"web"');
    expect(text).not.toContain('"name":"db"');
    await reader.cancel();
    expect((await ask('/podkeep/v1/pods/default/a%2Cb%3Dc?watch')).status).toBe(200);
  });

  test('a watch of alerts has those that are there, then what fires and what is gone', async () => {
    type Subscriber = (before: JsonObject | null, after: JsonObject | null) => void;
    const subscribers: Subscriber[] = [];
    const subscribe = (subscriber: Subscriber) => {
      subscribers.push(subscriber);
      return () => {};
    };
    const disk = { alertname: 'DiskFull', state: 'pending' };
    const { ask, world } = harnessOf({ alerts: { all: () => [disk], subscribe } });
    const { answer } = await ask('/podkeep/v1/alerts?watch');
    expect(headerOf(answer, 'content-type')).toBe('text/event-stream');
    const reading = new Response(answer.body as ReadableStream<Uint8Array>).text();
    await world.clock.pass(0);
    const firing = { ...disk, state: 'firing' };
    for (const notify of subscribers) {
      notify(disk, firing);
      notify(firing, null);
    }
    await world.clock.pass(0);
    world.query.close();
    const text = await reading;
    expect(text.match(/^(?:event|data): .*$/gm)).toMatchInlineSnapshot(`
      [
        "event: alert",
        "data: {"alertname":"DiskFull","state":"pending"}",
        "event: synced",
        "data: {"revision":1,"items":1}",
        "event: alert",
        "data: {"alertname":"DiskFull","state":"firing"}",
        "event: deleted",
        "data: {"alertname":"DiskFull","state":"firing"}",
      ]
    `);
  });

  test('without a query interface there is no such path', async () => {
    const { ask } = kubeletHarness();
    expect((await ask('/podkeep/v1/pods')).status).toBe(404);
  });
});

describe('the OpenAPI document', () => {
  const PATHS: Readonly<Record<string, string>> = {
    '/podkeep/v1/pods': '/podkeep/v1/pods',
    '/podkeep/v1/pods/{namespace}/{name}': '/podkeep/v1/pods/default/web',
    '/podkeep/v1/pods/{namespace}/{name}/timeline': '/podkeep/v1/pods/default/web/timeline',
    '/podkeep/v1/decisions': '/podkeep/v1/decisions',
    '/podkeep/v1/node': '/podkeep/v1/node',
    '/podkeep/v1/resources': '/podkeep/v1/resources',
    '/podkeep/v1/resources/history': '/podkeep/v1/resources/history',
    '/podkeep/v1/alerts': '/podkeep/v1/alerts',
  };

  async function readDocument(ask: ReturnType<typeof harnessOf>['ask']): Promise<JsonObject> {
    return (await ask('/podkeep/v1/openapi.json')).json as JsonObject;
  }

  function schemaOf(document: JsonObject, path: string, status: string): JsonObject {
    const parts = ['paths', path, 'get', 'responses', status, 'content', 'application/json'];
    let value: unknown = document;
    for (const part of [...parts, 'schema']) value = isJsonObject(value) ? value[part] : undefined;
    if (!isJsonObject(value)) throw new Error(`${path} has no schema for ${status}`);
    return value;
  }

  test('has every path, and every real answer is as it says', async () => {
    const alert = {
      alertname: 'DiskFull',
      severity: 'warning',
      state: 'resolved',
      labels: { node: 'node1' },
      annotations: {},
      activeAt: '2026-01-02T03:04:05.678Z',
      firedAt: '2026-01-02T03:04:05.678Z',
      resolvedAt: '2026-01-02T03:04:06.678Z',
    };
    const { ask, world } = harnessOf({
      alerts: { all: () => [alert], subscribe: () => () => {} },
    });
    world.put('web');
    world.setPhase('web', 'Running');
    world.decide('web', 'waiting', { waitsFor: 'x', sinceMs: 1, attempts: 1, nextAtMs: 2 });
    const document = await readDocument(ask);
    expect(document).toMatchObject({ openapi: '3.0.3' });
    expect(Object.keys(document['paths'] as JsonObject)).toEqual(Object.keys(PATHS));
    for (const [path, real] of Object.entries(PATHS)) {
      const asked = ask(real);
      await world.clock.pass(1000);
      const { status, json } = await asked;
      expect([real, status]).toEqual([real, 200]);
      const problems = [...schemaProblems(document, schemaOf(document, path, '200'), json)];
      expect([real, problems]).toEqual([real, []]);
    }
  });

  test('describes refusals, and would find a field that it does not know', async () => {
    const { ask } = harnessOf();
    const document = await readDocument(ask);
    const { json } = await ask('/podkeep/v1/pods/default/nope');
    const schema = schemaOf(document, '/podkeep/v1/pods', '404');
    expect([...schemaProblems(document, schema, json)]).toEqual([]);
    const list = schemaOf(document, '/podkeep/v1/pods', '200');
    const wrong = {
      kind: 'PodList',
      apiVersion: 'v1',
      revision: -1,
      epoch: 'e',
      items: [{}],
      x: 1,
    };
    expect([...schemaProblems(document, list, wrong)].length).toBeGreaterThan(4);
  });
});
