import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { ContainerState, Pod } from '../../src/api/pod.ts';
import type { KubeletAccess, NodeAttributes } from '../../src/ports/api/kubelet-access.ts';
import type { StreamKind, StreamTarget } from '../../src/ports/api/streaming.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import {
  ADMIN,
  bodyOf,
  headerOf,
  kubeletHarness,
  request,
  startPod,
} from './kubelet-server-harness.ts';

describe('access', () => {
  function gated(allowed: readonly string[]) {
    const asked: NodeAttributes[] = [];
    const access: KubeletAccess = {
      identify: (clientIdentity, token) =>
        token === 'broken'
          ? Promise.reject(new Error('no answer'))
          : Promise.resolve(
              token === 'jane' ? { name: 'jane', groups: [] } : (clientIdentity.user ?? null),
            ),
      authorize: (user, attributes) => {
        asked.push(attributes);
        if (user.name === 'unlucky') return Promise.reject(new Error('no answer'));
        return Promise.resolve({ allowed: allowed.includes(attributes.subresource), reason: '' });
      },
    };
    return { asked, ...kubeletHarness({ access }) };
  }

  test('an anonymous client is refused with 401', async () => {
    const { ask } = gated(['proxy']);
    const answer = await ask('/pods', {});
    expect(answer.status).toBe(401);
    expect(await bodyOf(answer)).toBe('Unauthorized');
    expect(headerOf(answer, 'content-type')).toBe('text/plain; charset=utf-8');
  });

  test('a token authenticates, and one that cannot be verified is anonymous', async () => {
    const { server } = gated(['proxy']);
    const ask = (authorization: string) =>
      server.answer(request('/pods', 'GET', { authorization }), {});
    expect((await ask('Bearer jane')).status).toBe(200);
    expect((await ask('bearer jane')).status).toBe(200);
    expect((await ask('Basic jane')).status).toBe(401);
    expect((await ask('Bearer broken')).status).toBe(401);
  });

  test.each([
    ['GET', '/pods', 'get', ['pods', 'proxy']],
    ['GET', '/runningpods/', 'get', ['pods', 'proxy']],
    ['GET', '/healthz/ping', 'get', ['healthz', 'proxy']],
    ['GET', '/livez', 'get', ['healthz', 'proxy']],
    ['GET', '/readyz/ping', 'get', ['healthz', 'proxy']],
    ['GET', '/configz', 'get', ['configz', 'proxy']],
    ['GET', '/stats/summary', 'get', ['stats']],
    ['GET', '/metrics/cadvisor', 'get', ['metrics']],
    ['GET', '/logs/x', 'get', ['log']],
    ['POST', '/exec/a/b/c', 'create', ['proxy']],
    ['GET', '/%65xec/a/b/c', 'get', ['proxy']],
    ['GET', '/containerLogs/a/b/c', 'get', ['proxy']],
    ['HEAD', '/metrics', '', ['metrics']],
  ])('%s %s needs %j of %j', async (method, url, verb, subresources) => {
    const { ask, asked } = gated([]);
    const answer = await ask(url, ADMIN, method);
    expect(answer.status).toBe(403);
    expect(asked).toEqual(
      subresources.map((subresource) => ({ verb, nodeName: 'node1', subresource })),
    );
    expect(await bodyOf(answer)).toBe(
      `Forbidden (user=admin, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}])\n`,
    );
  });

  test('one permission of two is enough', async () => {
    expect((await gated(['proxy']).ask('/pods')).status).toBe(200);
    expect((await gated(['pods']).ask('/pods')).status).toBe(200);
    expect((await gated(['pods']).ask('/containerLogs/a/b/c')).status).toBe(403);
  });

  test('an authorization that fails is an error, not an approval', async () => {
    const { ask } = gated(['proxy']);
    const answer = await ask('/metrics', { user: { name: 'unlucky', groups: [] } });
    expect(answer.status).toBe(500);
    expect(await bodyOf(answer)).toBe(
      'Authorization error (user=unlucky, verb=get, resource=nodes, subresource=metrics)',
    );
  });

  test('a path that needs cleaning is redirected before any authorization', async () => {
    const { ask, asked } = gated([]);
    const answer = await ask('/metrics/%2e%2e/exec/a/b/c?x=1');
    expect([answer.status, headerOf(answer, 'location')]).toEqual([301, '/exec/a/b/c?x=1']);
    expect((await ask('//pods')).status).toBe(301);
    expect((await ask('/%zz')).status).toBe(400);
    expect(asked).toEqual([]);
  });

  test('an unknown path is not found, whatever the client', async () => {
    const { ask } = gated([]);
    const answer = await ask('/nowhere', {});
    expect([answer.status, await bodyOf(answer)]).toEqual([404, '404 page not found\n']);
  });
});

describe('health', () => {
  test('is ok, in all and one by one', async () => {
    const { ask } = kubeletHarness({ checks: [{ name: 'syncloop', check: () => null }] });
    expect(await bodyOf(await ask('/healthz'))).toBe('ok');
    expect(await bodyOf(await ask('/healthz?verbose&exclude=log&exclude=x'))).toBe(
      '[+]ping ok\n[+]log excluded: ok\n[+]syncloop ok\n' +
        'warn: some health checks cannot be excluded: no matches for "x"\nhealthz check passed\n',
    );
    expect(await bodyOf(await ask('/healthz/ping'))).toBe('ok');
    expect((await ask('/healthz/other')).status).toBe(404);
  });

  test('is 500 if one check fails, with the reason for clients that read that check alone', async () => {
    let problem: string | null = null;
    const { ask } = kubeletHarness({ checks: [{ name: 'syncloop', check: () => problem }] });
    expect((await ask('/healthz')).status).toBe(200);
    problem = 'sync Loop took longer than expected';
    const all = await ask('/healthz');
    expect([all.status, await bodyOf(all)]).toEqual([
      500,
      '[+]ping ok\n[+]log ok\n[-]syncloop failed: reason withheld\nhealthz check failed\n',
    ]);
    const one = await ask('/healthz/syncloop');
    expect([one.status, await bodyOf(one)]).toEqual([
      500,
      'internal server error: sync Loop took longer than expected\n',
    ]);
    expect(await bodyOf(await ask('/metrics/slis'))).toContain(
      'kubernetes_healthcheck{name="syncloop",type="healthz"} 0\n',
    );
  });

  test('a check counts only where it says so', async () => {
    const disk = { name: 'disk', endpoints: ['readyz'] as const, check: () => 'full' };
    const { ask } = kubeletHarness({ checks: [disk] });
    for (const path of ['/healthz', '/livez']) {
      expect(await bodyOf(await ask(`${path}?verbose`))).not.toContain('disk');
      expect((await ask(`${path}/disk`)).status).toBe(404);
    }
    const ready = await ask('/readyz');
    expect([ready.status, await bodyOf(ready)]).toEqual([
      500,
      '[+]ping ok\n[+]log ok\n[-]disk failed: reason withheld\nreadyz check failed\n',
    ]);
    expect(await bodyOf(await ask('/readyz?exclude=disk'))).toBe('ok');
    expect(await bodyOf(await ask('/readyz/disk'))).toBe('internal server error: full\n');
    expect(await bodyOf(await ask('/metrics/slis'))).toContain(
      'kubernetes_healthcheck{name="disk",type="readyz"} 0\n',
    );
  });
});

describe('lists of pods', () => {
  test('/pods has the desired pods, /runningpods/ the running ones', async () => {
    const harness = kubeletHarness();
    await startPod(harness, 'web');
    const pods = await harness.ask('/pods');
    expect(headerOf(pods, 'content-type')).toBe('application/json');
    expect(JSON.parse(await bodyOf(pods))).toMatchObject({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: {},
      items: [{ metadata: { name: 'web' }, status: { phase: 'Running' } }],
    });
    expect(JSON.parse(await bodyOf(pods)).items[0]).not.toHaveProperty('kind');
    expect(JSON.parse(await bodyOf(await harness.ask('/runningpods/')))).toEqual({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: {},
      items: [
        {
          metadata: { name: 'web', namespace: 'default', uid: 'web' },
          spec: { containers: [{ name: 'main', image: 'app@sha256:1', resources: {} }] },
          status: {},
        },
      ],
    });
    expect(headerOf(await harness.ask('/runningpods'), 'location')).toBe('/runningpods/');
  });

  test('methods that a path does not have are refused with those that it has', async () => {
    const { ask } = kubeletHarness();
    const answer = await ask('/pods', ADMIN, 'DELETE');
    expect([answer.status, headerOf(answer, 'allow')]).toEqual([405, 'GET']);
    expect(await bodyOf(await ask('/pods/web'))).toBe('404: Page Not Found');
  });
});

describe('logs of containers', () => {
  const output = ['one', 'two', 'three'].map((text, index) => ({ text, afterMs: index * 1000 }));
  const url = '/containerLogs/default/web/main';

  test('come as they were written, with all query parameters', async () => {
    const harness = kubeletHarness({ scripts: () => ({ output }) });
    await startPod(harness, 'web');
    await harness.clock.pass(5000);
    const text = async (query: string) => bodyOf(await harness.ask(`${url}${query}`));
    expect(await text('')).toBe('one\ntwo\nthree\n');
    expect(await text('?tailLines=1')).toBe('three\n');
    expect(await text('?tail=2')).toBe('two\nthree\n');
    expect(await text('?tail=all')).toBe('one\ntwo\nthree\n');
    expect(await text('?limitBytes=5')).toBe('one\nt');
    expect(await text('?sinceSeconds=4')).toBe('two\nthree\n');
    expect(await text('?sinceTime=2030-01-02T03:04:07Z')).toBe('three\n');
    expect(await text('?timestamps=true&tailLines=1')).toBe(
      '2030-01-02T03:04:07.000000000Z three\n',
    );
    expect(await text('?stream=All')).toBe('one\ntwo\nthree\n');
  });

  test('are followed to the end of the container', async () => {
    const harness = kubeletHarness({ scripts: () => ({ output, lifeMs: 2500 }) });
    await startPod(harness, 'web');
    const text = bodyOf(await harness.ask(`${url}?follow=true`));
    await harness.clock.pass(10_000);
    expect(await text).toBe('one\ntwo\nthree\n');
    expect(await bodyOf(await harness.ask('/metrics'))).toContain(
      'kubelet_http_inflight_requests{long_running="false",method="GET",path="containerLogs",server_type="readwrite"} 0\n',
    );
  });

  test('whose reader has left are not read any more', async () => {
    const harness = kubeletHarness({ scripts: () => ({ output }) });
    await startPod(harness, 'web');
    const { body } = await harness.ask(`${url}?follow=true`);
    const reader = body instanceof ReadableStream ? body.getReader() : undefined;
    const reading = reader?.read();
    await harness.clock.pass(1);
    expect(Buffer.from((await reading)?.value ?? []).toString()).toBe('one\n');
    const rest = reader?.read();
    await reader?.cancel();
    await rest;
    const labels = 'long_running="false",method="GET",path="containerLogs",server_type="readwrite"';
    const text = await bodyOf(await harness.ask('/metrics'));
    expect(text).toContain(`kubelet_http_inflight_requests{${labels}} 0\n`);
    expect(text).toContain(`kubelet_http_requests_duration_seconds_count{${labels}} 1\n`);
  });

  test.each([
    ['?tailLines=x', 400, '{"message": "Unable to decode query."}'],
    ['?sinceTime=yesterday', 400, '{"message": "Unable to decode query."}'],
    ['?tailLines=-1', 422, '{"message": "Invalid request."}'],
    ['?limitBytes=0', 422, '{"message": "Invalid request."}'],
    ['?sinceSeconds=0', 422, '{"message": "Invalid request."}'],
    ['?sinceSeconds=1&sinceTime=2030-01-02T03:04:07Z', 422, '{"message": "Invalid request."}'],
    ['?stream=stdout', 422, '{"message": "Invalid request."}'],
    [
      '?stream=Stdout',
      400,
      'unable to return the given log stream: "Stdout". Please enable PodLogsQuerySplitStreams feature gate in kubelet',
    ],
    ['?previous=true', 400, 'previous terminated container "main" in pod "web" not found'],
  ])('%s is refused', async (query, status, message) => {
    const harness = kubeletHarness();
    await startPod(harness, 'web');
    const answer = await harness.ask(`${url}${query}`);
    expect([answer.status, await bodyOf(answer)]).toEqual([status, message]);
  });

  test('of a missing pod or container are not found', async () => {
    const harness = kubeletHarness();
    await startPod(harness, 'web');
    const given = async (place: string) => {
      const answer = await harness.ask(`/containerLogs/${place}`);
      return [answer.status, await bodyOf(answer)];
    };
    expect(await given('default/x/main')).toEqual([404, 'pod "x" does not exist']);
    expect(await given('default/web/x')).toEqual([404, 'container "x" not found in pod "web"']);
    expect(await given('default/web')).toEqual([404, '404: Page Not Found']);
  });

  const waiting = (reason: string): ContainerState => ({ waiting: { reason } });
  test.each([
    [
      waiting('ContainerCreating'),
      'container "main" in pod "web" is waiting to start: ContainerCreating',
    ],
    [
      waiting('ErrImagePull'),
      `container "main" in pod "web" is waiting to start: image can't be pulled`,
    ],
    [
      waiting('ImagePullBackOff'),
      'container "main" in pod "web" is waiting to start: trying and failing to pull image',
    ],
    [{}, 'container "main" in pod "web" is waiting to start - no logs yet'],
    [{ terminated: { exitCode: 1 } }, 'container "main" in pod "web" is terminated'],
    [{ running: {} }, 'unable to retrieve container logs for gone://1'],
    [null, 'container "main" in pod "web" is not available'],
  ])('in the state %j: %s', async (state, message) => {
    const harness = kubeletHarness();
    const statuses = state ? [{ name: 'main', state, containerID: 'gone://1' }] : [];
    const pod: Pod = {
      metadata: { name: 'web', namespace: 'default', uid: 'web' },
      spec: { containers: [{ name: 'main' }] },
      status: { containerStatuses: statuses },
    };
    harness.pods.push(pod);
    const answer = await harness.ask(url);
    expect([answer.status, await bodyOf(answer)]).toEqual([400, message]);
  });

  test('of the previous run exist after a restart', async () => {
    const harness = kubeletHarness({
      scripts: ({ config }) => ({
        output: [{ text: `run ${config.attempt}`, afterMs: 0 }],
        ...(config.attempt === 0 && { lifeMs: 100 }),
      }),
    });
    const { id, start } = await startPod(harness, 'web');
    await harness.clock.pass(1000);
    const next = await start(1);
    await harness.clock.pass(1000);
    const [pod] = harness.pods.splice(0);
    const lastState = { terminated: { exitCode: 0, containerID: id } };
    const status = { name: 'main', state: { running: {} }, containerID: next, lastState };
    if (pod) harness.pods.push({ ...pod, status: { containerStatuses: [status] } });
    expect(await bodyOf(await harness.ask(url))).toBe('run 1\n');
    expect(await bodyOf(await harness.ask(`${url}?previous=true`))).toBe('run 0\n');
  });
});

describe('commands and streams', () => {
  test('/run answers with the output of the command', async () => {
    const harness = kubeletHarness({
      scripts: () => ({
        exec: ({ command }) =>
          command[0] === 'fail'
            ? { exitCode: 3, stderr: 'no' }
            : { stdout: command.join('+'), stderr: '!' },
      }),
    });
    await startPod(harness, 'web');
    const given = async (place: string) => {
      const asked = harness.ask(`/run/${place}`, ADMIN, 'POST');
      await harness.clock.pass(1);
      const answer = await asked;
      return [answer.status, await bodyOf(answer)];
    };
    expect(await given('default/web/main?cmd=ls%20-l')).toEqual([200, 'ls+-l!']);
    expect(await given('default/web/web/main?cmd=ls')).toEqual([200, 'ls!']);
    expect(await given('default/web/main?cmd=fail')).toEqual([
      500,
      "command 'fail' exited with 3: no",
    ]);
    expect(await given('default/web/other/main?cmd=ls')).toEqual([
      500,
      'container not found ("main")',
    ]);
    expect(await given('default/x/main?cmd=ls')).toEqual([404, 'pod does not exist']);
    expect((await harness.ask('/run/default/web/main')).status).toBe(405);
  });

  test('streams are passed to the streaming handler, after authorization', async () => {
    const seen: [StreamKind, StreamTarget][] = [];
    const streaming = {
      connect: (kind: StreamKind, target: StreamTarget) => {
        seen.push([kind, target]);
        return Promise.resolve();
      },
    };
    const { server } = kubeletHarness({ streaming });
    const connect = async (url: string, clientIdentity = ADMIN) => {
      const socket = new PassThrough();
      await server.connect(
        request(url, 'POST'),
        { socket, head: new Uint8Array() },
        clientIdentity,
      );
      return received(socket);
    };
    const target = { namespace: 'a', podName: 'b', podUid: null, container: 'c' };
    await connect('/exec/a/b/c?command=ls');
    await connect('/attach/a/b/u/c');
    await connect('/portForward/a/b');
    expect(seen).toEqual([
      ['exec', target],
      ['attach', { ...target, podUid: 'u' }],
      ['portForward', { ...target, container: '' }],
    ]);
    expect(await connect('/exec/a/b/c', {})).toMatch(/^HTTP\/1.1 401 Unauthorized\r\n/);
    expect(await connect('/healthz')).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\nok$/);
    expect(seen).toHaveLength(3);
  });

  test('a stream without its protocol is refused', async () => {
    const harness = kubeletHarness();
    await startPod(harness, 'web');
    expect(await bodyOf(await harness.ask('/exec/default/web/main'))).toBe(
      'Upgrade request required\n',
    );
    expect((await harness.ask('/exec/default/x/main')).status).toBe(404);
  });

  test('all of it can be switched off', async () => {
    const { ask, server } = kubeletHarness({ settings: { enableDebuggingHandlers: false } });
    const answer = await ask('/containerLogs/a/b/c');
    expect([answer.status, await bodyOf(answer)]).toEqual([405, 'Debug endpoints are disabled.\n']);
    expect((await ask('/configz')).status).toBe(404);
    const socket = new PassThrough();
    await server.connect(request('/exec/a/b/c'), { socket, head: new Uint8Array() }, ADMIN);
    expect(received(socket)).toContain('Debug endpoints are disabled.');
  });
});

describe('logs of the machine', () => {
  test('are not shown unless a folder is given', async () => {
    const { ask } = kubeletHarness();
    const answer = await ask('/logs/');
    expect([answer.status, await bodyOf(answer)]).toEqual([405, 'logs endpoint is disabled.\n']);
  });

  test('are shown as a folder, and nothing beside it', async () => {
    const folder = makeTempFolder();
    const logs = path.join(folder, 'log');
    await mkdir(path.join(logs, 'sub'), { recursive: true });
    await writeFile(path.join(logs, 'a<b'), 'x'.repeat(200_000));
    await writeFile(path.join(folder, 'secret'), 'secret');
    await symlink(path.join(folder, 'secret'), path.join(logs, 'link'));
    const { ask } = kubeletHarness({ settings: { systemLogFolder: logs } });
    expect(await bodyOf(await ask('/logs/'))).toBe(
      '<!doctype html>\n<pre>\n<a href="a%3Cb">a&lt;b</a>\n<a href="link">link</a>\n<a href="sub/">sub/</a>\n</pre>\n',
    );
    expect(await bodyOf(await ask('/logs/a%3Cb'))).toBe('x'.repeat(200_000));
    expect(headerOf(await ask('/logs/sub'), 'location')).toBe('sub/');
    for (const bad of ['/logs/link', '/logs/none', '/logs/a%3Cb/', '/logs/%00']) {
      expect((await ask(bad)).status).toBe(404);
    }
  });
});

test('/configz shows the configuration, and missing features as switched off', async () => {
  const { ask } = kubeletHarness();
  expect(JSON.parse(await bodyOf(await ask('/configz')))).toEqual({
    kubeletconfig: { kind: 'KubeletConfiguration', maxPods: 110 },
  });
  expect(await bodyOf(await ask('/debug/pprof/heap'))).toBe('profiling endpoint is disabled.\n');
  expect(await bodyOf(await ask('/debug/flags/v'))).toBe('flags endpoint is disabled.\n');
});

/** All that was written: since Node.js 26 a read returns one chunk, and not all of them together. */
function received(socket: PassThrough): string {
  const chunks: unknown[] = [];
  for (let chunk: unknown = socket.read(); chunk !== null; chunk = socket.read())
    chunks.push(chunk);
  return chunks.map(String).join('');
}
