/**
 * A connection to a port inside a sandbox.
 *
 * The pod's address is tried first. What listens on the pod's own loopback interface only is reached by a process
 * inside its network, which costs more and is therefore second.
 */
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { NAMESPACE } from '../../lib/syscall-helper/calls.ts';
import type { SyscallHelper } from '../../lib/syscall-helper/syscall-helper.ts';
import { sandboxNotReady } from './errors.ts';
import { codeOf } from './json-file.ts';
import type { Machine } from './machine.ts';
import { namespaceFile } from './pod-namespaces.ts';
import type { Sandbox } from './sandbox.ts';

export async function connectToPort(
  sandbox: Sandbox,
  machine: Machine,
  port: number,
): Promise<Duplex> {
  const { network, config } = sandbox.record;
  const { helper } = machine;
  try {
    if (network.kind === 'host') return await dial('127.0.0.1', port);
    return await dial(network.ip, port).catch((error: unknown) => {
      if (codeOf(error) !== 'ECONNREFUSED') throw error;
      if (network.kind === 'namespace' && helper)
        return dialInside(namespaceFile(network.files, 'net'), helper, port);
      return dial('127.0.0.1', port);
    });
  } catch (error) {
    const pod = `${config.namespace}/${config.podName}`;
    throw sandboxNotReady({ pod, reason: `nothing answers on port ${port}` }, error);
  }
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

/** A process of the syscall helper stands in the pod's network, and passes bytes. */
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
  const closed = new Error(`port ${port} of the loopback interface is closed`);
  await new Promise<void>((resolve, reject) => {
    run.stderr.once('data', (word: Buffer) => {
      if (word.toString().startsWith('connected')) resolve();
      else reject(closed);
    });
    run.exited.then(() => reject(closed), reject);
  });
  const joined = Duplex.from({ readable: run.stdout, writable: run.stdin });
  joined.once('close', () => run.kill());
  return joined;
}
