/** A data folder with running pods of the version before containers had their own root. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { CliHarness } from '../support/cli-harness.ts';
import { buildOldPodkeep } from '../support/old-podkeep.ts';
import { KubeconfigClient } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const NEW = path.join(import.meta.dirname, '..', '..', 'bin', 'podkeep');
const WAIT = { timeout: 60_000, interval: 100 };
const PODS = '/api/v1/namespaces/default/pods';
const COUNT = 'n=0; while :; do echo line $n; n=$((n+1)); sleep 0.05; done';

function start(program: string, folder: string): ChildProcess {
  const args = ['up', '--data-dir', folder, '--port', '0', '--keep-pods'];
  const child = spawn(process.execPath, [program, ...args], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
}

async function clientOf(folder: string): Promise<KubeconfigClient> {
  const file = path.join(folder, 'kubeconfig');
  return vi.waitFor(async () => {
    if (!existsSync(file)) throw new Error('it does not serve yet');
    const client = new KubeconfigClient(file);
    expect((await client.send('GET', '/readyz')).code).toBe(200);
    return client;
  }, WAIT);
}

async function statusOf(client: KubeconfigClient): Promise<JsonObject> {
  const { body } = await client.send('GET', `${PODS}/old`);
  const { containerStatuses } = body['status'] as { containerStatuses?: unknown[] };
  const [status] = containerStatuses ?? [];
  return isJsonObject(status) ? status : {};
}

test('its pods are adopted with a Warning, allow exec, and are replaced at their next restart', async (context) => {
  const old = await buildOldPodkeep();
  if (old === undefined) {
    console.log('skipped: the history of this checkout does not reach back to that version');
    return context.skip('no history');
  }
  const folder = makeTempFolder();
  const before = start(old, folder);
  const first = await clientOf(folder);
  const containers = [{ name: 'main', image: 'none', command: ['sh', '-c', COUNT] }];
  const pod = { metadata: { name: 'old' }, spec: { containers, terminationGracePeriodSeconds: 1 } };
  await vi.waitFor(async () => {
    expect((await first.send('POST', PODS, pod)).code).toBe(201);
  }, WAIT);
  await vi.waitFor(async () => expect((await statusOf(first))['ready']).toBe(true), WAIT);
  const { containerID } = await statusOf(first);
  await stop(before);

  const after = start(NEW, folder);
  onTestFinished(async () => {
    await new CliHarness(process.env).run('down', '--data-dir', folder);
  });
  const client = await clientOf(folder);
  const env = { KUBECONFIG: path.join(folder, 'kubeconfig') };
  const podkeep = async (...words: readonly string[]): Promise<string> => {
    const harness = new CliHarness(env);
    await harness.run(...words);
    return harness.out;
  };
  const event = async (reason: string): Promise<boolean> => {
    const { body } = await client.send('GET', '/api/v1/namespaces/default/events');
    return JSON.stringify(body).includes(`"reason":"${reason}"`);
  };
  await vi.waitFor(async () => expect(await event('OldBoundary')).toBe(true), WAIT);
  expect(await statusOf(client)).toMatchObject({ containerID, restartCount: 0, ready: true });

  // A command in it finds none of podkeep's descriptors, although the container itself has them.
  const list = 'for f in /proc/self/fd/*; do readlink $f; done';
  const found = await vi.waitFor(async () => {
    const output = await podkeep('exec', 'old', '--', 'sh', '-c', list);
    expect(output).toContain('pipe:');
    return output;
  }, WAIT);
  expect(found).not.toContain(folder);

  // No line is lost or doubled on the way from one version to the other.
  await vi.waitFor(async () => {
    const lines = (await podkeep('logs', 'old')).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(60);
    expect(lines).toEqual(lines.map((_, index) => `line ${index}`));
  }, WAIT);

  await podkeep('exec', 'old', '--', 'sh', '-c', 'kill -9 $(pgrep -f "while :" | head -1)');
  await vi.waitFor(async () => {
    expect(await statusOf(client)).toMatchObject({ restartCount: 1, ready: true });
  }, WAIT);
  const { uid } = (await client.send('GET', `${PODS}/old`)).body['metadata'] as { uid: string };
  const record = path.join(folder, 'node', 'runtime', 'pods', uid, 'main-1', 'config.json');
  expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ setup: 'pivot' });
  expect(await podkeep('exec', 'old', '--', 'ls', '/')).not.toContain('boot');
  await stop(after);
});
