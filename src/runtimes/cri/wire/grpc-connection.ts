/**
 * An HTTP/2 connection to the runtime over a unix socket, with detection of a runtime that hangs.
 *
 *     connect ──> open ──> the runtime closes it, goes away, or does not answer a ping ──> over
 *
 * A connection that is over is never used again; its calls end with it. A unix socket reports the death of
 * the other side, but not a runtime that hangs, so the client pings after a call has timed out.
 *
 * A gRPC server closes a connection on the third ping without data in between. On a busy node, probes that
 * time out, each followed by a ping, would break the connection for every other call. Hence there is one ping
 * per silence, and none if the runtime has sent anything since the call began.
 */
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect as connectSocket, type Socket } from 'node:net';
import type { Cancel, Clock } from '../../../ports/clock.ts';

/** gRPC servers treat more frequent pings as an attack. */
const PING_EVERY_MS = 310_000;
const PING_ANSWER_MS = 20_000;
/** Lists of a full node are large; with a smaller window the runtime would have to wait for this side. */
const STREAM_WINDOW_BYTES = 4 * 1024 * 1024;
const SESSION_WINDOW_BYTES = 16 * 1024 * 1024;
const SESSION_MEMORY_MB = 64;

export class GrpcConnection {
  readonly session: ClientHttp2Session;
  readonly #clock: Clock;
  #cancelPing: Cancel = () => {};
  #cancelAnswer: Cancel = () => {};
  #isOver = false;
  #heardAt = Number.NEGATIVE_INFINITY;
  #pingedAt = Number.NEGATIVE_INFINITY;

  constructor(socket: Socket, clock: Clock) {
    this.#clock = clock;
    this.session = connectHttp2('http://localhost', {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
      maxSessionMemory: SESSION_MEMORY_MB,
    });
    const end = (): void => this.#end();
    // Calls on this connection end through their own streams.
    this.session.on('error', end).on('close', end).on('goaway', end);
    this.session.once('connect', () => this.session.setLocalWindowSize(SESSION_WINDOW_BYTES));
    this.#pingLater();
  }

  get isUsable(): boolean {
    return !this.#isOver && !this.session.closed && !this.session.destroyed;
  }

  /** Notes that the runtime has sent something. */
  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  /**
   * Pings, unless the runtime has sent something since `sinceMs`; closes the connection if no answer comes.
   */
  checkLife(sinceMs: number): void {
    if (!this.isUsable || this.#heardAt >= sinceMs) return;
    const now = this.#clock.monotonic();
    const isStillSilent = this.#pingedAt >= this.#heardAt;
    if (isStillSilent && now - this.#pingedAt < PING_EVERY_MS) return;
    this.#pingedAt = now;
    this.#cancelAnswer();
    this.#cancelAnswer = this.#clock.after(PING_ANSWER_MS, () => this.session.destroy());
    this.session.ping((error) => {
      this.#cancelAnswer();
      if (error) this.session.destroy();
    });
  }

  destroy(): void {
    this.#end();
    this.session.destroy();
  }

  #pingLater(): void {
    this.#cancelPing = this.#clock.after(PING_EVERY_MS, () => {
      this.checkLife(this.#clock.monotonic());
      this.#pingLater();
    });
  }

  #end(): void {
    this.#isOver = true;
    this.#cancelPing();
    this.#cancelAnswer();
  }
}

/** Rejects with the system's error. */
export async function openConnection(path: string, clock: Clock): Promise<GrpcConnection> {
  const socket = connectSocket(path);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  socket.removeAllListeners('error');
  return new GrpcConnection(socket, clock);
}
