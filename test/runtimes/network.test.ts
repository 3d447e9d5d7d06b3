/** Pods have addresses, and what listens in them can be reached. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage, until } from '../suites/pod-runtime/stage.ts';
import { openForTest, type OpenProcessRuntime } from './process-runtime.ts';

const IS_ROOT = process.getuid?.() === 0;
let opened: OpenProcessRuntime;
let stage: Stage;

beforeEach(async () => {
  opened = await openForTest();
  stage = new Stage(opened);
});

afterEach(() => stage.close());

/** Says its name to whoever connects. */
function server(name: string, port: number, host: string): readonly string[] {
  const script = `require('net').createServer((s) => s.end('${name}')).listen(${port}, '${host}', () => console.log('listening'))`;
  return [process.execPath, '-e', script];
}

async function ask(host: string, port: number): Promise<string> {
  return text(connect({ host, port }));
}

test('a pod answers on its own address', async () => {
  await stage.start({ command: server('web', 18_080, '0.0.0.0') });
  await stage.logged('listening');
  const [ip = ''] = (await stage.runtime.inspect('pod-1')).ips;
  expect(await ask(ip, 18_080)).toBe('web');
});

test('two pods listen on one port', async (context) => {
  if (!IS_ROOT) skip(context, 'only root can give pods networks of their own');
  for (const podUid of ['a', 'b']) {
    const sandbox = await stage.runSandbox({ podUid });
    await stage.start({ command: server(podUid, 80, '0.0.0.0') }, sandbox);
    await until(async () => (await stage.log('main', podUid)).includes('listening'));
  }
  for (const podUid of ['a', 'b']) {
    const [ip = ''] = (await stage.runtime.inspect(podUid)).ips;
    expect(await ask(ip, 80)).toBe(podUid);
  }
});

test('pods reach each other', async (context) => {
  if (!IS_ROOT) skip(context, 'without networks of their own they are on one machine anyway');
  await stage.start({ command: server('web', 80, '0.0.0.0') });
  await stage.logged('listening');
  const [ip = ''] = (await stage.runtime.inspect('pod-1')).ips;
  const script = `require('net').connect(80, '${ip}').pipe(process.stdout)`;
  const other = await stage.runSandbox({ podUid: 'other' });
  const id = await stage.start({ command: [process.execPath, '-e', script] }, other);
  await stage.exited(id);
  expect(await stage.log('main', 'other')).toMatch(/web\n$/);
});

test('a port can be reached even if its program listens on the loopback only', async () => {
  const sandbox = await stage.runSandbox();
  await stage.start({ command: server('inside', 18_081, '127.0.0.1') }, sandbox);
  await stage.logged('listening');
  const connection = await stage.runtime.connectPort?.(sandbox, 18_081);
  expect(connection && (await text(connection))).toBe('inside');
});

test('a port on which nobody listens is refused with words', async () => {
  const sandbox = await stage.runSandbox();
  await expect(stage.runtime.connectPort?.(sandbox, 18_082)).rejects.toMatchObject({
    code: 'SANDBOX_NOT_READY',
    message: expect.stringContaining('18082'),
  });
});

test('a clash of ports is told to the second pod', async () => {
  await stage.close();
  opened = await openForTest({ network: 'host' });
  stage = new Stage(opened);
  const hostPorts = [{ protocol: 'TCP', containerPort: 18_083, hostPort: 0, hostIp: '' }] as const;
  const first = await stage.runSandbox({ podUid: 'first', hostPorts });
  await stage.start({ command: server('first', 18_083, '0.0.0.0') }, first);
  await until(async () => (await stage.log('main', 'first')).includes('listening'));
  expect(opened.warnings).toEqual([]);
  const second = await stage.runSandbox({ podUid: 'second', hostPorts });
  await stage.start({}, second);
  expect(opened.warnings).toEqual([
    expect.stringMatching(/^PortClash: Port 18083 is taken by pod default\/first\./),
  ]);
});

test('a port of the node that is not forwarded is told', async (context) => {
  if (!IS_ROOT) skip(context, 'only root can give pods networks of their own');
  const hostPorts = [{ protocol: 'TCP', containerPort: 80, hostPort: 8080, hostIp: '' }] as const;
  await stage.runSandbox({ hostPorts });
  expect(opened.warnings).toEqual([expect.stringMatching(/^HostPortUnavailable: Port 8080/)]);
});

test('a network namespace is adopted with its pod, and goes with it', async () => {
  const sandbox = await stage.runSandbox();
  const { ips } = await stage.runtime.inspect('pod-1');
  await stage.reopen();
  expect((await stage.runtime.inspect('pod-1')).ips).toEqual(ips);
  const id = await stage.start({ command: server('again', 18_084, '0.0.0.0') }, sandbox);
  await stage.logged('listening');
  expect(await ask(ips[0] ?? '', 18_084)).toBe('again');
  await stage.stop(id, 0);
  await stage.runtime.removeSandbox(sandbox);
  const next = await stage.runSandbox({ podUid: 'next' });
  expect((await stage.runtime.inspect('next')).ips).toEqual(ips);
  expect(next).not.toBe(sandbox);
});

function skip(context: { skip(reason: string): never }, reason: string): never {
  console.log(`skipped: ${reason}`);
  return context.skip(reason);
}
