/**
 * What users could reach beyond their rights in the version before containers had their own root.
 *
 * Each way is tried on that version, built from the history of this checkout, and on the current build: it
 * must work there, which shows that the test can fail, and must not work here.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildOldPodkeep } from '../support/old-podkeep.ts';
import { KubeconfigClient } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { answerThrough } from './support/forwarded-port.ts';

const NEW = path.join(import.meta.dirname, '..', '..', 'bin', 'podkeep');
const WAIT = { timeout: 60_000, interval: 100 };
const PODS = '/api/v1/namespaces/default/pods';
const ORDINARY_USER = 65_534;
const SECRET_VALUE = 'b9c1-never-on-the-disk';
const ESCAPE = '\u001b[31m';

interface Up {
  readonly program: string;
  readonly folder: string;
  readonly child: ChildProcess;
  readonly client: KubeconfigClient;
}

/** True: the way is open. */
type Attempt = (program: string) => Promise<boolean>;

const running = new Set<Up>();

async function start(program: string, options: StartOptions = {}): Promise<Up> {
  const folder = makeTempFolder();
  const { uid, nodeFlags = [], args = ['--no-node'] } = options;
  if (uid !== undefined) chownSync(folder, uid, uid);
  const words = [...nodeFlags, program, 'up', '--data-dir', folder, '--port', '0', ...args];
  const child = spawn(process.execPath, words, {
    stdio: 'ignore',
    env: { ...process.env, HOME: folder },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const client = await vi.waitFor(async () => {
    const file = path.join(folder, 'kubeconfig');
    if (!existsSync(file)) throw new Error('it does not serve yet');
    const made = new KubeconfigClient(file);
    expect((await made.send('GET', '/readyz')).code).toBe(200);
    return made;
  }, WAIT);
  const up = { program, folder, child, client };
  running.add(up);
  return up;
}

interface StartOptions {
  readonly uid?: number;
  readonly nodeFlags?: readonly string[];
  readonly args?: readonly string[];
}

async function stop(up: Up): Promise<void> {
  running.delete(up);
  const ended = once(up.child, 'exit');
  up.child.kill('SIGINT');
  await ended;
}

async function withUp<Result>(
  program: string,
  options: StartOptions,
  use: (up: Up) => Promise<Result>,
): Promise<Result> {
  const up = await start(program, options);
  try {
    return await use(up);
  } finally {
    await stop(up);
  }
}

async function runPod({ client }: Up, name: string, container: object): Promise<void> {
  const containers = [{ name: 'main', image: 'none', ...container }];
  const pod = { metadata: { name }, spec: { containers, terminationGracePeriodSeconds: 1 } };
  await vi.waitFor(async () => {
    expect((await client.send('POST', PODS, pod)).code).toBe(201);
  }, WAIT);
  await vi.waitFor(async () => {
    const { body } = await client.send('GET', `${PODS}/${name}`);
    expect((body['status'] as { phase?: string }).phase).toBe('Running');
  }, WAIT);
}

/** A node whose address is the API server's own: what it is asked for comes back to the server. */
const nodeAddress: Attempt = (program) =>
  withUp(program, {}, async ({ client }) => {
    const addresses = [{ type: 'InternalIP', address: client.server.hostname }];
    const daemonEndpoints = { kubeletEndpoint: { Port: Number(client.server.port) } };
    const node = { metadata: { name: 'evil' }, status: { addresses, daemonEndpoints } };
    expect((await client.send('POST', '/api/v1/nodes', node)).code).toBe(201);
    await client.send('PUT', '/api/v1/nodes/evil/status', node);
    const { text } = await client.send('GET', '/api/v1/nodes/evil/proxy/api/v1/secrets');
    return text.includes('SecretList');
  });

/** A listener of the machine at the address of an ordinary user's pod that does not listen at all. */
const portOfTheMachine: Attempt = (program) =>
  withUp(program, { uid: ORDINARY_USER, args: [] }, async (up) => {
    await runPod(up, 'quiet', { command: ['sleep', '100'] });
    const { body } = await up.client.send('GET', `${PODS}/quiet`);
    const { podIP = '127.0.0.1' } = body['status'] as { podIP?: string };
    const server = createServer((socket) => socket.on('error', () => {}).end('of the machine'));
    server.listen(0, podIP.startsWith('127.') ? podIP : '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const kubeconfig = path.join(up.folder, 'kubeconfig');
      return (await answerThrough(kubeconfig, 'pod/quiet', port)).includes('of the machine');
    } finally {
      server.close();
    }
  });

/** A data folder that every user may write to. */
const openFolder: Attempt = async (program) => {
  const folder = makeTempFolder();
  chmodSync(folder, 0o777);
  const words = [program, 'up', '--data-dir', folder, '--port', '0', '--no-node'];
  const child = spawn(process.execPath, words, { stdio: 'ignore' });
  const ended = once(child, 'exit').then(() => false);
  const isServing = vi.waitFor(() => {
    if (child.exitCode === null && !existsSync(path.join(folder, 'kubeconfig'))) {
      throw new Error('it does not serve yet');
    }
    return child.exitCode === null;
  }, WAIT);
  const isOpen = await Promise.race([isServing, ended]);
  child.kill('SIGINT');
  await ended;
  return isOpen;
};

/** Two servers whose Math.random has the same seed give out the same UIDs. */
const guessedIdentities: Attempt = async (program) => {
  const uidOf = (): Promise<string> =>
    withUp(program, { nodeFlags: ['--random-seed=4242'] }, async ({ client }) => {
      const { body } = await client.send('GET', '/api/v1/namespaces/kube-system');
      return (body['metadata'] as { uid: string }).uid;
    });
  return (await uidOf()) === (await uidOf());
};

/** A privileged pod in a namespace with the level `restricted`. */
const privilegedPod: Attempt = (program) =>
  withUp(program, {}, async ({ client }) => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const namespace = { metadata: { name: 'strict', labels } };
    expect((await client.send('POST', '/api/v1/namespaces', namespace)).code).toBe(201);
    const containers = [{ name: 'main', image: 'none', securityContext: { privileged: true } }];
    const pod = { metadata: { name: 'p' }, spec: { containers, hostPID: true } };
    return vi.waitFor(async () => {
      const { code, text } = await client.send('POST', '/api/v1/namespaces/strict/pods', pod);
      if (code === 201) return true;
      // The account of the new namespace is not there yet.
      expect(text).toContain('violates PodSecurity');
      return false;
    }, WAIT);
  });

/** A policy that nothing enforces is stored without a Warning. */
const silentPolicy: Attempt = (program) =>
  withUp(program, {}, async ({ client }) => {
    const policy = { metadata: { name: 'n' }, spec: { podSelector: {} } };
    const url = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
    const { statusCode, headers } = await client.open('POST', url, policy);
    expect(statusCode).toBe(201);
    return headers['warning'] === undefined;
  });

/** The value of a Secret that a container has as a variable. */
const secretOnDisk: Attempt = (program) =>
  withUp(program, { args: [] }, async (up) => {
    const secret = { metadata: { name: 's' }, stringData: { value: SECRET_VALUE } };
    const url = '/api/v1/namespaces/default/secrets';
    expect((await up.client.send('POST', url, secret)).code).toBe(201);
    const valueFrom = { secretKeyRef: { name: 's', key: 'value' } };
    const env = [{ name: 'VALUE', valueFrom }];
    await runPod(up, 'knows', { command: ['sleep', '100'], env });
    return filesWith(path.join(up.folder, 'node'), SECRET_VALUE).length > 0;
  });

/** The log of a container reaches the terminal of the person who reads it. */
const terminalEscapes: Attempt = (program) =>
  withUp(program, { args: [] }, async (up) => {
    await runPod(up, 'red', {
      command: ['sh', '-c', String.raw`printf '\033[31mred\n'; sleep 100`],
    });
    const line = `${process.execPath} ${program} logs red`;
    const env = { ...process.env, KUBECONFIG: path.join(up.folder, 'kubeconfig') };
    return vi.waitFor(() => {
      const shown = execFileSync('script', ['-qec', line, '/dev/null'], { env, encoding: 'utf8' });
      expect(shown).toContain('red');
      return shown.includes(ESCAPE);
    }, WAIT);
  });

/** DELETE of a collection without a namespace. */
const deletionEverywhere: Attempt = (program) =>
  withUp(program, {}, async ({ client }) => {
    const map = { metadata: { name: 'precious' } };
    const url = '/api/v1/namespaces/default/configmaps';
    expect((await client.send('POST', url, map)).code).toBe(201);
    await client.send('DELETE', '/api/v1/configmaps');
    return (await client.send('GET', `${url}/precious`)).code === 404;
  });

const ATTEMPTS: readonly (readonly [name: string, isOpen: Attempt])[] = [
  ['a node that points at the API server does not get its rights', nodeAddress],
  ['port-forward to a pod of an ordinary user does not reach other listeners', portOfTheMachine],
  ['a data folder that others may write to is refused', openFolder],
  ['identities do not follow from Math.random', guessedIdentities],
  ['the Pod Security level of a namespace is enforced', privilegedPod],
  ['a policy that nothing enforces is answered with a Warning', silentPolicy],
  ['the value of a Secret is in no file of the node', secretOnDisk],
  ['a log sends no control characters to a terminal', terminalEscapes],
  ['no request deletes config maps in all namespaces', deletionEverywhere],
];

function filesWith(folder: string, text: string): readonly string[] {
  const found = execFileSync('find', [folder, '-type', 'f'], { encoding: 'utf8' }).split('\n');
  return found.filter((file) => file !== '' && readFileSync(file).includes(text));
}

describe.skipIf(process.getuid?.() !== 0)('what was possible before, as root', () => {
  let old: string | undefined;

  beforeAll(async () => {
    old = await buildOldPodkeep();
  });

  afterAll(async () => {
    for (const up of running) await stop(up);
  });

  test.each(ATTEMPTS)('%s', async (_name, isOpen) => {
    expect(await isOpen(NEW)).toBe(false);
    if (old === undefined) {
      console.log('not tried on the old version: the history of this checkout does not have it');
      return;
    }
    expect(await isOpen(old)).toBe(true);
  });
});
