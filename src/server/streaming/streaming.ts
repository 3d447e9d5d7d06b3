/**
 * Serves exec, attach and port-forward of the kubelet's server.
 *
 *     query ──> pod ──> protocol ──> 101 ──┬─ SPDY/3.1 ────────────┬──> command, or ports
 *                                          ├─ WebSocket, channels ─┤
 *                                          └─ SPDY in a WebSocket ─┘
 *
 * Before the status 101 an error is a plain answer; afterwards it is written to an error stream.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../ports/clock.ts';
import type { ApiRequest, Connection } from '../../ports/api/http-handler.ts';
import type { Log } from '../../ports/log.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { StreamKind, StreamTarget, Streaming } from '../../ports/api/streaming.ts';
import { exitedWith, SUCCEEDED } from './command/command-status.ts';
import type { CommandWire } from './command/command-wire.ts';
import { runCommand, type CommandRun } from './command/run-command.ts';
import { openSpdyCommand } from './command/spdy-command.ts';
import { openWebSocketCommand } from './command/websocket-command.ts';
import { isWebSocket, negotiate, type Agreement } from './negotiation.ts';
import type { PortForwarding } from './ports/forward-port.ts';
import { serveSpdyPorts } from './ports/spdy-ports.ts';
import { serveWebSocketPorts } from './ports/websocket-ports.ts';
import { isRefusal, writeRefusal, type Refusal } from './refusal.ts';
import { queryOf, readCommandOptions, readPorts, type CommandOptions } from './stream-options.ts';
import { openWebSocket } from './websocket/open-websocket.ts';
import { tunnelThrough } from './websocket/tunnel.ts';

export interface StreamingOptions {
  readonly runtime: Pick<PodRuntime, 'exec' | 'attach' | 'connectPort'>;
  readonly findPod: FindPod;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a connection may be idle. 0: no limit. */
  readonly idleMs?: number;
}

/** Finds the runtime's ID of the target, or returns a refusal for the client. */
export type FindPod = (
  target: StreamTarget,
  kind: StreamKind,
) => FoundPod | Refusal | Promise<FoundPod | Refusal>;

export interface FoundPod {
  /** The ID of the container; for port-forward, that of the sandbox. */
  readonly id: string;
  /** Whether the container has a terminal: for attach, the container decides, not the client. */
  readonly tty?: boolean;
}

/** The default of streamingConnectionIdleTimeout in KubeletConfiguration. */
const IDLE_MS = 4 * 60 * 60 * 1000;
const CREATION_MS = 30_000;

export function createStreaming(options: StreamingOptions): Streaming {
  const streamings = new KubeletStreaming(options);
  return {
    connect: async (kind, target, request, connection) => {
      connection.socket.on('error', () => {}); // it closes, and that is noticed
      try {
        const refusal = await streamings.serve(kind, target, request, connection);
        if (refusal) writeRefusal(connection.socket, refusal);
      } catch (error) {
        options.log.warn('Streaming request failed', { kind, ...target, error });
        connection.socket.destroy();
      }
    },
  };
}

interface Call {
  readonly request: ApiRequest;
  readonly connection: Connection;
  readonly agreement: Agreement;
}

class KubeletStreaming {
  readonly #options: StreamingOptions;
  readonly #limits: {
    readonly clock: Clock;
    readonly log: Log;
    readonly idleMs: number;
    readonly creationMs: number;
  };

  constructor(options: StreamingOptions) {
    const { clock, log, idleMs = IDLE_MS } = options;
    this.#options = options;
    this.#limits = { clock, log, idleMs, creationMs: CREATION_MS };
  }

  /** Resolves when the stream has ended; with a refusal, if the client has no answer yet. */
  async serve(
    kind: StreamKind,
    target: StreamTarget,
    request: ApiRequest,
    connection: Connection,
  ): Promise<Refusal | null> {
    const query = queryOf(request.url);
    const wanted = kind === 'portForward' ? portsOf(request, query) : readCommandOptions(query);
    if (isRefusal(wanted)) return wanted;
    const found = await this.#options.findPod(target, kind);
    if (isRefusal(found)) return found;
    const agreement = negotiate(kind, request.headers);
    if (isRefusal(agreement)) return agreement;
    const call = { request, connection, agreement };
    if ('length' in wanted) return this.#servePorts(call, found, wanted);
    const run = this.#commandRun(kind, found, wanted, query.getAll('command'));
    return isRefusal(run) ? run : this.#serveCommand(call, run);
  }

  #commandRun(
    kind: StreamKind,
    { id, tty }: FoundPod,
    asked: CommandOptions,
    command: readonly string[],
  ): CommandRun | Refusal {
    const { runtime } = this.#options;
    if (kind === 'attach') {
      const attach = runtime.attach?.bind(runtime);
      if (!attach) return cannot('attach to a container');
      const options = {
        ...asked,
        tty: tty ?? asked.tty,
        stderr: asked.stderr && !(tty ?? asked.tty),
      };
      const start: CommandRun['start'] = (request) => attach(id, request);
      return { options, start, statusOf: () => SUCCEEDED, doing: 'error attaching to container' };
    }
    const exec = runtime.exec?.bind(runtime);
    if (!exec) return cannot('run a command in a container');
    if (command.length === 0)
      return { code: 400, message: 'you must specify at least one command for the container' };
    const start: CommandRun['start'] = (request) => exec(id, command, request);
    return {
      options: asked,
      start,
      statusOf: exitedWith,
      doing: 'error executing command in container',
    };
  }

  async #serveCommand(call: Call, run: CommandRun): Promise<Refusal | null> {
    const { protocol } = call.agreement;
    let wire: CommandWire | null;
    if (call.agreement.wire === 'spdy') {
      const socket = becomeSpdy(call.connection, protocol);
      wire = await openSpdyCommand(socket, protocol, run.options, this.#limits);
      if (!wire) this.#limits.log.debug('Client opened too few streams', { protocol });
    } else {
      const open = openWebSocket(call.request, call.connection, protocol, this.#limits);
      wire = open && openWebSocketCommand(open, protocol, run.options);
    }
    if (wire) await runCommand(wire, run);
    return null;
  }

  async #servePorts(
    call: Call,
    { id }: FoundPod,
    ports: readonly number[],
  ): Promise<Refusal | null> {
    const { request, connection, agreement } = call;
    const { runtime } = this.#options;
    const connectPort = runtime.connectPort?.bind(runtime);
    if (!connectPort) return cannot('reach the ports of a pod');
    const forwarding: PortForwarding = { sandboxId: id, connectPort };
    if (agreement.wire === 'spdy') {
      await serveSpdyPorts(becomeSpdy(connection, agreement.protocol), forwarding, this.#limits);
      return null;
    }
    const open = openWebSocket(request, connection, agreement.protocol, this.#limits);
    if (!open) return null;
    if (agreement.wire === 'tunnel') {
      await serveSpdyPorts(tunnelThrough(open), forwarding, this.#limits);
    } else {
      await serveWebSocketPorts(open, agreement.protocol, ports, forwarding, this.#limits.log);
    }
    return null;
  }
}

/** Only a WebSocket without a SPDY tunnel has to name its ports in the query. */
function portsOf({ headers }: ApiRequest, query: URLSearchParams): readonly number[] | Refusal {
  const isTunnel = (headers.get('sec-websocket-protocol') ?? '').includes('SPDY/3.1+');
  return isWebSocket(headers) && !isTunnel ? readPorts(query) : [];
}

function becomeSpdy({ socket, head }: Connection, protocol: string): Duplex {
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n' +
      `X-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
  );
  if (head.byteLength > 0) socket.unshift(head);
  return socket;
}

function cannot(what: string): Refusal {
  return { code: 501, message: `this runtime cannot ${what}` };
}
