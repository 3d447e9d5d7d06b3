/** kube-apiserver's metrics of requests, watches and stored objects. */
import { expect, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/http/api-server.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import type { ApiResponse } from '../../src/ports/api/http-handler.ts';
import { silentLog } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const USER = { name: 'admin', groups: ['system:masters'] };
const MAPS = '/api/v1/namespaces/default/configmaps';

function open() {
  const clock = new VirtualClock();
  const server = new ApiServer({
    store: openMemoryStore({ clock, log: silentLog }),
    clock,
    random: seededRandom(1),
    log: silentLog,
    kinds: builtInKinds,
    version: {},
  });
  const send = (method: string, path: string, object?: unknown, type = 'application/json') =>
    server.answer(
      {
        method,
        url: `http://podkeep${path}`,
        headers: new Headers({ 'content-type': type }),
        body: object === undefined ? null : new Response(JSON.stringify(object)).body,
      },
      { user: USER },
    );
  const metrics = async (): Promise<string> => textOf(await send('GET', '/metrics'));
  return { clock, send, metrics };
}

async function textOf({ body }: ApiResponse): Promise<string> {
  return new Response(body).text();
}

/** The labels in the order of the alphabet, as they are shown. */
function series(name: string, labels: Record<string, string>, value: number): string {
  const whole = { component: 'apiserver', group: '', version: 'v1', subresource: '', ...labels };
  const shown = Object.entries(whole)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, text]) => `${label}="${text}"`);
  return `${name}{${shown.join(',')}} ${value}`;
}

const map = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
});

async function openWithNamespace() {
  const opened = open();
  const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
  expect((await opened.send('POST', '/api/v1/namespaces', space)).status).toBe(201);
  return opened;
}

test('requests are counted with the verbs and scopes of kube-apiserver', async () => {
  const { send, metrics } = await openWithNamespace();
  await send('POST', MAPS, map('a'));
  await send('POST', `${MAPS}?dryRun=All`, map('b'));
  await send('GET', `${MAPS}/a`);
  await send('GET', `${MAPS}/none`);
  await send('GET', MAPS);
  await send('GET', '/api/v1/configmaps');
  await send('PATCH', `${MAPS}/a?fieldManager=m`, map('a'), 'application/apply-patch+yaml');
  await send('DELETE', `${MAPS}/a`);
  const text = await metrics();
  const total = (verb: string, scope: string, code: string, dry = ''): string =>
    series(
      'apiserver_request_total',
      { verb, scope, code, dry_run: dry, resource: 'configmaps' },
      1,
    );
  expect(text).toContain(total('POST', 'resource', '201'));
  expect(text).toContain(total('POST', 'resource', '201', 'All'));
  expect(text).toContain(total('GET', 'resource', '200'));
  expect(text).toContain(total('GET', 'resource', '404'));
  expect(text).toContain(total('LIST', 'namespace', '200'));
  expect(text).toContain(total('LIST', 'cluster', '200'));
  expect(text).toContain(total('APPLY', 'resource', '200'));
  expect(text).toContain(total('DELETE', 'resource', '200'));
  const where = { verb: 'LIST', scope: 'cluster', resource: 'configmaps' };
  expect(text).toContain(
    series('apiserver_request_duration_seconds_count', { ...where, dry_run: '' }, 1),
  );
  expect(text).toContain(series('apiserver_response_sizes_count', where, 1));
  expect(text).toContain('apiserver_resource_objects{group="",resource="namespaces"} 1');
  expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 1');
  expect(text).toContain('apiserver_current_inflight_requests{request_kind="mutating"} 0');
});

test('clients cannot create labels', async () => {
  const { send, metrics } = open();
  await send('GET', '/apis/evil.example/v1/secretnames');
  await send('BREW', '/api/v1/pods');
  await send('GET', '/api/v1/namespaces/default/pods/a/evilpart');
  await send('GET', '/nowhere/evil');
  const text = await metrics();
  expect(text).not.toMatch(/evil|secretnames|BREW|nowhere/);
  expect(text).toMatch(/apiserver_request_total\{.*verb="other".*\} 1/);
});

test('a watch is a long-running request, counted when it ends, with its events', async () => {
  const { send, metrics } = await openWithNamespace();
  await send('POST', MAPS, map('a'));
  const where = { verb: 'WATCH', scope: 'namespace', resource: 'configmaps' };
  const { body } = await send('GET', `${MAPS}?watch=true&resourceVersion=0`);
  if (!(body instanceof ReadableStream)) throw new Error('not a stream');
  const reader = body.getReader();
  await reader.read();
  await send('POST', MAPS, map('b'));
  await reader.read();
  const before = await metrics();
  expect(before).toContain(series('apiserver_longrunning_requests', where, 1));
  expect(before).toContain(
    'apiserver_watch_events_total{group="",resource="configmaps",version="v1"} 2',
  );
  expect(before).not.toContain(
    'code="200",component="apiserver",dry_run="",group="",resource="configmaps",scope="namespace",subresource="",verb="WATCH"',
  );
  await reader.cancel();
  const after = await metrics();
  expect(after).toContain(series('apiserver_longrunning_requests', where, 0));
  expect(after).toContain(
    series('apiserver_request_total', { ...where, code: '200', dry_run: '' }, 1),
  );
});

test('a watch that cannot start is counted as a refused request', async () => {
  const { send, metrics } = open();
  await send('GET', `${MAPS}?watch=true&resourceVersion=x`);
  const text = await metrics();
  expect(text).not.toMatch(/apiserver_longrunning_requests\{[^}]*\} [1-9]/);
  expect(text).toMatch(
    /apiserver_request_total\{code="(?:4|5)\d\d".*verb="WATCH",version="v1"\} 1/,
  );
});
