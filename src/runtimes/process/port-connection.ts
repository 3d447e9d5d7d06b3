/**
 * A connection to a port inside a sandbox.
 *
 * The pod's address is tried first. What listens on the pod's own loopback only is reached by a small
 * program inside its network, which costs more and is therefore second.
 */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { sandboxNotReady } from './errors.ts';
import { codeOf } from './json-file.ts';
import type { Machine } from './machine.ts';
import { namespaceFile } from './pod-namespaces.ts';
import { TOOL_ENV } from './preparation.ts';
import type { Sandbox } from './sandbox.ts';

/** Joins its own input and output to a port of the loopback, and says when it has. */
const BRIDGE = `const s = require('node:net').connect(Number(process.argv[1]), '127.0.0.1');
s.on('error', (e) => { process.stderr.write(e.code ?? e.message); process.exit(1); });
s.on('connect', () => { process.stderr.write('connected'); process.stdin.pipe(s); s.pipe(process.stdout); });`;

export async function connectToPort(
  sandbox: Sandbox,
  machine: Machine,
  port: number,
): Promise<Duplex> {
  const { network, config } = sandbox.record;
  try {
    if (network.kind === 'host') return await dial('127.0.0.1', port);
    return await dial(network.ip, port).catch((error: unknown) => {
      if (codeOf(error) !== 'ECONNREFUSED') throw error;
      if (network.kind === 'namespace')
        return bridge(namespaceFile(network.files, 'net'), machine, port);
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

function bridge(namespace: string, machine: Machine, port: number): Promise<Duplex> {
  const args = [`--net=${namespace}`, '--', process.execPath, '-e', BRIDGE, String(port)];
  const child = spawn(machine.tools.nsenter ?? 'nsenter', args, {
    env: TOOL_ENV,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.stderr.once('data', (word: Buffer) => {
      if (word.toString() !== 'connected') return;
      const joined = Duplex.from({ readable: child.stdout, writable: child.stdin });
      joined.once('close', () => child.kill());
      resolve(joined);
    });
    child.once('exit', () => reject(new Error(`port ${port} of the loopback is closed`)));
  });
}
