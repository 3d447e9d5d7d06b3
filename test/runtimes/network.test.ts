/** Pods have addresses, and servers in them can be reached. */
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { TestHarness, until } from '../suites/pod-runtime/runtime-harness.ts';
import { openForTest, type OpenProcessRuntime } from './process-runtime.ts';

const IS_ROOT = process.getuid?.() === 0;
/** Node may be installed where containers see nothing, such as in a user's home. */
const TREE = [path.dirname(process.execPath)];
let opened: OpenProcessRuntime;
let harness: TestHarness;

beforeEach(async () => {
  opened = await openForTest({ tree: TREE });
  harness = new TestHarness(opened);
});

afterEach(() => harness.close());

/** Sends its name to every client. */
function server(name: string, port: number, host: string): readonly string[] {
  const script = `require('net').createServer((s) => s.end('${name}')).listen(${port}, '${host}', () => console.log('listening'))`;
  return [process.execPath, '-e', script];
}

async function ask(host: string, port: number): Promise<string> {
  return text(connect({ host, port }));
}

test('a pod answers on its own address', async () => {
  await harness.start({ command: server('web', 18_080, '0.0.0.0') });
  await harness.logged('listening');
  const [ip = ''] = (await harness.runtime.inspect('pod-1')).ips;
  expect(await ask(ip, 18_080)).toBe('web');
});

test('two pods listen on one port', async (context) => {
  if (!IS_ROOT) skip(context, 'only root can give pods networks of their own');
  for (const podUid of ['a', 'b']) {
    const sandbox = await harness.runSandbox({ podUid });
    await harness.start({ command: server(podUid, 80, '0.0.0.0') }, sandbox);
    await until(async () => (await harness.log('main', podUid)).includes('listening'));
  }
  for (const podUid of ['a', 'b']) {
    const [ip = ''] = (await harness.runtime.inspect(podUid)).ips;
    expect(await ask(ip, 80)).toBe(podUid);
  }
});

test('pods reach each other', async (context) => {
  if (!IS_ROOT) skip(context, 'without networks of their own they are on one machine anyway');
  await harness.start({ command: server('web', 80, '0.0.0.0') });
  await harness.logged('listening');
  const [ip = ''] = (await harness.runtime.inspect('pod-1')).ips;
  const script = `require('net').connect(80, '${ip}').pipe(process.stdout)`;
  const other = await harness.runSandbox({ podUid: 'other' });
  const id = await harness.start({ command: [process.execPath, '-e', script] }, other);
  await harness.exited(id);
  expect(await harness.log('main', 'other')).toMatch(/web\n$/);
});

test('a port can be reached even if its program listens on the loopback only', async () => {
  const sandbox = await harness.runSandbox();
  await harness.start({ command: server('inside', 18_081, '127.0.0.1') }, sandbox);
  await harness.logged('listening');
  const connection = await harness.runtime.connectPort?.(sandbox, 18_081);
  expect(connection && (await text(connection))).toBe('inside');
});

test('a port without a listener is refused with a message', async () => {
  const sandbox = await harness.runSandbox();
  await expect(harness.runtime.connectPort?.(sandbox, 18_082)).rejects.toMatchObject({
    code: 'SANDBOX_NOT_READY',
    message: expect.stringContaining('18082'),
  });
});

test('a conflict of ports is reported to the second pod', async () => {
  await harness.close();
  opened = await openForTest({ network: 'host', tree: TREE });
  harness = new TestHarness(opened);
  const hostPorts = [{ protocol: 'TCP', containerPort: 18_083, hostPort: 0, hostIp: '' }] as const;
  const first = await harness.runSandbox({ podUid: 'first', hostPorts });
  await harness.start({ command: server('first', 18_083, '0.0.0.0') }, first);
  await until(async () => (await harness.log('main', 'first')).includes('listening'));
  expect(opened.warnings).toEqual([]);
  const second = await harness.runSandbox({ podUid: 'second', hostPorts });
  await harness.start({}, second);
  expect(opened.warnings).toEqual([
    expect.stringMatching(/^PortClash: Port 18083 is taken by pod default\/first\./),
  ]);
});

test('a host port that is not forwarded is reported', async (context) => {
  if (!IS_ROOT) skip(context, 'only root can give pods networks of their own');
  const hostPorts = [{ protocol: 'TCP', containerPort: 80, hostPort: 8080, hostIp: '' }] as const;
  await harness.runSandbox({ hostPorts });
  expect(opened.warnings).toEqual([
    expect.stringMatching(/^RouteUnavailable: The pod reaches other pods and this machine/),
    expect.stringMatching(/^HostPortUnavailable: Port 8080/),
  ]);
});

test('a network namespace is adopted with its pod, and goes with it', async () => {
  const sandbox = await harness.runSandbox();
  const { ips } = await harness.runtime.inspect('pod-1');
  await harness.reopen();
  expect((await harness.runtime.inspect('pod-1')).ips).toEqual(ips);
  const id = await harness.start({ command: server('again', 18_084, '0.0.0.0') }, sandbox);
  await harness.logged('listening');
  expect(await ask(ips[0] ?? '', 18_084)).toBe('again');
  await harness.stop(id, 0);
  await harness.runtime.removeSandbox(sandbox);
  const next = await harness.runSandbox({ podUid: 'next' });
  expect((await harness.runtime.inspect('next')).ips).toEqual(ips);
  expect(next).not.toBe(sandbox);
});

function skip(context: { skip(reason: string): never }, reason: string): never {
  console.log(`skipped: ${reason}`);
  return context.skip(reason);
}

test('a pod that shares the network of the machine is reached where its own processes listen only', async () => {
  await harness.close();
  opened = await openForTest({ network: 'host', tree: TREE });
  harness = new TestHarness(opened);
  const machine = createServer((socket) => socket.end('machine'));
  onTestFinished(() => void machine.close());
  await new Promise<void>((resolve) => void machine.listen(18_083, '0.0.0.0', resolve));
  const sandbox = await harness.runSandbox();
  await harness.start({ command: server('inside', 18_084, '0.0.0.0') }, sandbox);
  await harness.logged('listening');
  const { runtime } = harness;
  await expect(runtime.connectPort?.(sandbox, 18_083)).rejects.toMatchObject({
    code: 'SANDBOX_NOT_READY',
    message: expect.stringContaining('connect: connection refused'),
  });
  const connection = await runtime.connectPort?.(sandbox, 18_084);
  expect(connection && (await text(connection))).toBe('inside');
  const [ip = ''] = (await runtime.inspect('pod-1')).ips;
  expect(ip).toMatch(/^127\./);
  expect([await runtime.ownsPort?.(ip, 18_083), await runtime.ownsPort?.(ip, 18_084)]).toEqual([
    false,
    true,
  ]);
});
