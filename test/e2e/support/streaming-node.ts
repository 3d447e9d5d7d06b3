/**
 * An API server with a node whose kubelet knows nothing but exec, attach and port-forward, all in this
 * process: it proves that real clients and our end of their protocols understand each other, through the
 * real listeners.
 *
 * Its containers are processes of this machine, and its ports those of the loopback.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import path from 'node:path';
import { ApiServer } from '../../../src/apiserver/http/api-server.ts';
import { builtInKinds } from '../../../src/apiserver/kinds/built-in-kinds.ts';
import { createPki, type Pki } from '../../../src/apiserver/pki/pki.ts';
import { openMemoryStore } from '../../../src/apiserver/store/memory-store.ts';
import { writeKubeconfig } from '../../../src/cli/kubeconfig.ts';
import { openHttpsListener, type HttpsListener } from '../../../src/platform/https-listener.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import { systemClock as clock } from '../../../src/platform/system-clock.ts';
import type { KubeletDialer } from '../../../src/ports/api/kubelet-dialer.ts';
import type { PodRuntime } from '../../../src/ports/runtime/pod-runtime.ts';
import type { StreamRequest, Streams } from '../../../src/ports/runtime/streams.ts';
import type { StreamKind } from '../../../src/ports/api/streaming.ts';
import { createStreaming } from '../../../src/server/streaming/streaming.ts';
import { silentLog as log } from '../../support/silent-ports.ts';
import type { RunningApiServer } from './api-server.ts';
import { makeWorkFolder, removeWorkFolder } from './work-folder.ts';

/** The program that attach connects to: it answers every line, and ends on request. */
const ATTACHED = 'while read -r line; do [ "$line" = bye ] && exit 4; echo "you said $line"; done';

export class StreamingNode implements RunningApiServer {
  readonly name = 'podkeep';
  readonly folder = makeWorkFolder('streaming');
  readonly kubeconfig = path.join(this.folder, 'kubeconfig');
  /** Paths that the kubelet was requested for, with the protocol. */
  readonly asked: string[] = [];
  /** How many commands run whose clients are still connected. */
  running = 0;
  #listener: HttpsListener | undefined;

  static async start(): Promise<StreamingNode> {
    const node = new StreamingNode();
    const pki = await createPki({ clock, random: seededRandom(1) });
    const server = new ApiServer({
      store: openMemoryStore({ clock, log }),
      random: seededRandom(1),
      ...{
        clock,
        log,
        kinds: builtInKinds,
        version: { gitVersion: 'v1.36.4', major: '1', minor: '36' },
      },
      kubeletDialer: node.#kubeletDialer(),
    });
    await createObjects(server);
    node.#listener = await openListener(server, pki);
    const { caCert, adminCert: clientCert, adminKey: clientKey } = pki;
    writeKubeconfig(node.kubeconfig, { url: node.address, caCert, clientCert, clientKey });
    return node;
  }

  get address(): string {
    return this.#listener?.url ?? '';
  }

  async stop(): Promise<void> {
    await this.#listener?.close();
    removeWorkFolder(this.folder);
  }

  #kubeletDialer(): KubeletDialer {
    const streaming = createStreaming({
      runtime: this.#runtime(),
      findPod: ({ podName, container }, kind) =>
        kind === 'portForward' ? { id: `sandbox-of-${podName}` } : { id: container, tty: false },
      clock,
      log,
    });
    return {
      fetch: async () => ({ status: 404, headers: [], body: null }),
      connect: async (_backend, request, connection) => {
        const { pathname } = new URL(request.url);
        const protocol =
          request.headers.get('sec-websocket-protocol') ?? request.headers.get('upgrade');
        this.asked.push(`${pathname} ${protocol}`);
        const [, kind = '', namespace = '', podName = '', container = ''] = pathname.split('/');
        const target = { namespace, podName, podUid: null, container };
        await streaming.connect(kind as StreamKind, target, request, connection);
      },
    };
  }

  #runtime(): Pick<PodRuntime, 'exec' | 'attach' | 'connectPort'> {
    return {
      exec: async (_id, [command = '', ...args], request) => this.#run(command, args, request),
      attach: async (_id, request) => this.#run('sh', ['-c', ATTACHED], request),
      connectPort: async (_id, port) => {
        const socket = connectTcp({ host: '127.0.0.1', port, allowHalfOpen: true });
        await once(socket, 'connect');
        return socket;
      },
    };
  }

  async #run(
    command: string,
    args: readonly string[],
    { signal, stdin }: StreamRequest,
  ): Promise<Streams> {
    const child = spawn(command, args, { cwd: this.folder, signal, killSignal: 'SIGKILL' });
    this.running += 1;
    const ended = once(child, 'close').then(([code]: number[]) => code ?? 137);
    ended.catch(() => undefined).finally(() => (this.running -= 1));
    await once(child, 'spawn');
    if (!stdin) child.stdin.end();
    const { stdin: input, stdout, stderr } = child;
    input.on('error', () => undefined);
    return { stdin: stdin ? input : null, stdout, stderr, ended, resize: () => undefined };
  }
}

function openListener(server: ApiServer, pki: Pki): Promise<HttpsListener> {
  const { serverCert: cert, serverKey: key, caCert: ca } = pki;
  return openHttpsListener({ handler: server, cert, key, ca, port: 0 });
}

async function createObjects(server: ApiServer): Promise<void> {
  const create = async (where: string, object: object): Promise<void> => {
    const request = new Request(`http://podkeep/api/v1/${where}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(object),
    });
    const { status } = await server.fetch(request);
    if (status !== 201) throw new Error(`${where} was answered with ${status}`);
  };
  await create('namespaces', { metadata: { name: 'default' } });
  await create('namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  await create('nodes', { metadata: { name: 'n1' } });
  const spec = {
    nodeName: 'n1',
    containers: [{ name: 'main', image: 'x', stdin: true, ports: [{ containerPort: 80 }] }],
  };
  await create('namespaces/default/pods', { metadata: { name: 'p' }, spec });
  await setRunning(server);
}

/** kubectl waits for it before it forwards a port or attaches. */
async function setRunning(server: ApiServer): Promise<void> {
  const patch = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
  const { status } = await server.fetch(
    new Request('http://podkeep/api/v1/namespaces/default/pods/p/status', {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify(patch),
    }),
  );
  if (status !== 200) throw new Error(`the status was answered with ${status}`);
}
