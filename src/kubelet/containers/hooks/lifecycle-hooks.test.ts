import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { livePod } from '../../../../test/kubelet/runs/live-pod.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { hookRequest, sendHookRequest } from './http-hook.ts';
import { runHook, type HookDeps } from './lifecycle-hooks.ts';

const NEVER = new AbortController().signal;
const CONTAINER = { name: 'main', ports: [{ name: 'web', containerPort: 8080 }] };
const HOOKED = { pod: livePod('web'), container: CONTAINER, containerId: 'x://1' };
const PLACE = 'for Container "main" in Pod "web_rec(uid-of-web)" failed';

function depsWith(changes: Partial<HookDeps> = {}): HookDeps {
  return {
    clock: new VirtualClock(),
    runtime: {
      execSync: () =>
        Promise.resolve({ exitCode: 0, stdout: new Uint8Array(), stderr: new Uint8Array() }),
      inspect: () => Promise.resolve({ sandboxes: [], containers: [], ips: ['10.0.0.7'] }),
    },
    sendHook: () => Promise.resolve(),
    ...changes,
  };
}

test('a request goes to the pod, or to the host that it names, with its headers', () => {
  expect(hookRequest({ port: 'web' }, CONTAINER.ports, '10.0.0.7')).toEqual({
    url: 'http://10.0.0.7:8080/',
    headers: { 'user-agent': 'kube-lifecycle/1.36', accept: '*/*' },
  });
  const action = {
    port: 443,
    path: 'drain?now=1',
    host: 'fe80::1',
    scheme: 'HTTPS' as const,
    httpHeaders: [{ name: 'Accept', value: 'text/plain' }],
  };
  expect(hookRequest(action, [], '')).toMatchObject({
    url: 'https://[fe80::1]:443/drain?now=1',
    headers: { accept: 'text/plain' },
  });
});

test.each(['nobody', 0, 70_000, '1.5'])('port %j is refused', (port) => {
  expect(() => hookRequest({ port }, CONTAINER.ports, '10.0.0.7')).toThrow(
    `couldn't find port: ${port}`,
  );
});

test('an httpGet hook succeeds with any response, and fails without one', async () => {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    response.writeHead(500).end('no');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const deps = depsWith({ sendHook: sendHookRequest });
  const handler = { httpGet: { port, path: '/bye', host: '127.0.0.1' } };
  await runHook(deps, HOOKED, handler, NEVER);
  expect(heard[0]?.['user-agent']).toBe('kube-lifecycle/1.36');
  await new Promise((resolve) => {
    server.close(resolve);
  });
  await expect(runHook(deps, HOOKED, handler, NEVER)).rejects.toThrow(
    `HTTP lifecycle hook (/bye) ${PLACE} - error: `,
  );
});

test('an HTTPS request is repeated over HTTP if the server speaks no TLS', async () => {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    response.end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const request = {
    url: `https://127.0.0.1:${port}/`,
    headers: { authorization: 'secret', accept: '*/*' },
  };
  await sendHookRequest(request, NEVER);
  expect(heard).toHaveLength(1);
  expect(heard[0]?.authorization).toBeUndefined();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

test('a failed command has its output in the status only', async () => {
  const result = {
    exitCode: 2,
    stdout: new TextEncoder().encode('out'),
    stderr: new TextEncoder().encode('err'),
  };
  const deps = depsWith({
    runtime: { ...depsWith().runtime, execSync: () => Promise.resolve(result) },
  });
  await expect(runHook(deps, HOOKED, { exec: { command: ['a', 'b'] } }, NEVER)).rejects.toThrow(
    `Exec lifecycle hook ([a b]) ${PLACE} - error: command 'a b' exited with 2: outerr, message: "outerr"`,
  );
});

test('a sleep ends by itself, or with its signal', async () => {
  const clock = new VirtualClock();
  const deps = depsWith({ clock });
  const sleep = runHook(deps, HOOKED, { sleep: { seconds: 3 } }, NEVER);
  await clock.pass(3000);
  await sleep;
  const abort = new AbortController();
  const cut = runHook(deps, HOOKED, { sleep: { seconds: 3 } }, abort.signal);
  abort.abort();
  await expect(cut).rejects.toThrow('container terminated before sleep hook finished');
});

test('a handler that no kubelet runs fails here as well', async () => {
  await expect(runHook(depsWith(), HOOKED, { tcpSocket: {} }, NEVER)).rejects.toThrow(
    'Cannot run handler: invalid handler',
  );
});
