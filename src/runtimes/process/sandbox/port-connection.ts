/**
 * Connects to a port inside a sandbox, for port-forward.
 *
 * podkeep tries the pod's address first. If a program listens only on the pod's loopback interface, a helper
 * process inside the pod's network namespace connects to it; that costs more, so it comes second.
 *
 * If podkeep does not run as root, pods share the machine's network without having asked for it. podkeep then
 * connects only to ports on which a process of the pod listens: the right to forward ports of a pod must not
 * give access to the machine.
 */
import { connect } from 'node:net';
import { Duplex, type Readable } from 'node:stream';
import { NAMESPACE } from '../../../lib/syscall-helper/calls.ts';
import type { SyscallHelper } from '../../../lib/syscall-helper/syscall-helper.ts';
import type { Container } from '../container/container.ts';
import { sandboxNotReady } from '../errors.ts';
import { codeOf } from '../json-file.ts';
import { areListeners, socketsOf } from './listening-ports.ts';
import type { Machine } from '../machine/machine.ts';
import { namespaceFile } from './pod-namespaces.ts';
import { familyOf, readProcesses } from '../machine/proc-table.ts';
import type { Registry } from '../container/registry.ts';

const LOOPBACK = '127.0.0.1';

export async function connectToPort(
  registry: Registry,
  machine: Machine,
  sandboxId: string,
  port: number,
): Promise<Duplex> {
  const { network, config } = registry.requireSandbox(sandboxId).record;
  const { helper } = machine;
  try {
    if (network.kind === 'host') return await dial(LOOPBACK, port);
    if (network.kind === 'loopback') {
      const containers = registry.containersIn(sandboxId);
      return await dialOwn(containers, machine, network.ip, port);
    }
    return await dial(network.ip, port).catch((error: unknown) => {
      if (codeOf(error) !== 'ECONNREFUSED' || !helper) throw error;
      return dialInside(namespaceFile(network.files, 'net'), helper, port);
    });
  } catch (error) {
    const pod = `${config.namespace}/${config.podName}`;
    const reason = `nothing answers on port ${port}: ${refusedText(LOOPBACK, port)}`;
    throw sandboxNotReady({ pod, reason }, error);
  }
}

/** See PodRuntime. */
export function ownsPort(
  registry: Registry,
  { isLinux }: Pick<Machine, 'isLinux'>,
  ip: string,
  port: number,
): boolean {
  const sandbox = registry.sandboxes.find((each) => each.record.isReady && each.ip === ip);
  if (sandbox?.record.network.kind !== 'loopback' || !isLinux) return true;
  return isOwnPort(registry.containersIn(sandbox.id), ip, port);
}

/** The error text of Go programs. */
function refusedText(ip: string, port: number): string {
  return `dial tcp4 ${ip}:${port}: connect: connection refused`;
}

function dialOwn(
  containers: readonly Container[],
  { isLinux }: Machine,
  ip: string,
  port: number,
): Promise<Duplex> {
  const own = [ip, LOOPBACK].find((each) => isOwnPort(containers, each, port));
  if (own !== undefined) return dial(own, port);
  // Only Linux reports listeners; elsewhere podkeep connects to the pod's address.
  if (!isLinux) return dial(ip, port);
  return Promise.reject(new Error(refusedText(ip, port)));
}

/** Whether a process of these containers listens on this port. */
function isOwnPort(containers: readonly Container[], ip: string, port: number): boolean {
  const table = readProcesses();
  const pids = containers.flatMap(({ init, session }) =>
    init ? familyOf(init, table, session).map(({ pid }) => pid) : [],
  );
  return areListeners(socketsOf(pids), { ip, port });
}

function dial(host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.removeListener('error', reject);
      resolve(socket);
    });
  });
}

/**
 * The helper process writes one word when it is connected. Its exit is not evidence of failure: if the server
 * answers and closes at once, the process can exit before podkeep reads that word.
 */
export function connected(stderr: Readable, port: number): Promise<void> {
  const closed = new Error(`port ${port} of the loopback interface is closed`);
  return new Promise<void>((resolve, reject) => {
    stderr.once('data', (word: Buffer) => {
      if (word.toString().startsWith('connected')) resolve();
      else reject(closed);
    });
    stderr.once('close', () => reject(closed));
  });
}

/**
 * A process of the syscall helper enters the pod's network namespace, and copies bytes in both directions.
 */
async function dialInside(namespace: string, helper: SyscallHelper, port: number): Promise<Duplex> {
  const run = await helper.exec({
    through: [['keep', 'net', namespace]],
    join: [['join', 'net', NAMESPACE.net]],
    enter: [['bound'], ['capabilities'], ['strict']],
    env: [],
    command: [],
    missing: '',
    stdin: true,
    tty: false,
    dial: port,
  });
  await connected(run.stderr, port);
  const joined = Duplex.from({ readable: run.stdout, writable: run.stdin });
  joined.once('close', () => run.kill());
  return joined;
}
