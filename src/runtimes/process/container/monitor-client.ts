/**
 * Connects to the monitor of a container over its socket: reads output, writes input, resizes the terminal,
 * reopens the log. The protocol is in lib/syscall-helper/program/clients.pl.
 */
import { closeSync, openSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';

export type MonitorMessage = 'o' | 'e' | 'h' | 'r' | 'x';

const SOCKET = 'attach';
const HEADER_BYTES = 5;
/** A little below the system's limit for the path of a unix socket. */
const PATH_BYTES_MAX = 100;
/** The monitor's limit for the size of a message. */
const MESSAGE_BYTES_MAX = 256 * 1024;

export class MonitorClient {
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #onMessage: (message: MonitorMessage, bytes: Uint8Array) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  /** Rejects if the container has ended. */
  static connect(folder: string): Promise<MonitorClient> {
    const [file, release] = shortPath(folder);
    return new Promise((resolve, reject) => {
      const socket = connect(file);
      socket.once('error', (error) => {
        release();
        reject(error);
      });
      socket.once('connect', () => {
        release();
        socket.removeAllListeners('error');
        resolve(new MonitorClient(socket));
      });
    });
  }

  listen(onMessage: (message: MonitorMessage, bytes: Uint8Array) => void): void {
    this.#onMessage = onMessage;
  }

  onClose(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  /** `done` is called when the operating system has accepted the message. */
  send(
    message: 'h' | 'i' | 'c' | 'w' | 'r',
    content: string | Uint8Array,
    done?: () => void,
  ): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    for (let from = 0; from === 0 || from < bytes.length; from += MESSAGE_BYTES_MAX) {
      const part = bytes.subarray(from, from + MESSAGE_BYTES_MAX);
      const header = Buffer.alloc(HEADER_BYTES);
      header.write(message, 'latin1');
      header.writeUInt32BE(part.length, 1);
      const isLast = from + MESSAGE_BYTES_MAX >= bytes.length;
      this.#socket.write(Buffer.concat([header, part]), isLast && done ? done : undefined);
    }
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (rest.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + rest.readUInt32BE(1);
      if (rest.length < end) break;
      const message = rest.toString('latin1', 0, 1);
      if (isMessage(message)) this.#onMessage(message, rest.subarray(HEADER_BYTES, end));
      rest = rest.subarray(end);
    }
    this.#rest = rest;
  }
}

function isMessage(message: string): message is MonitorMessage {
  return ['o', 'e', 'h', 'r', 'x'].includes(message);
}

/** The path of the socket. A path that is too long is shortened by a descriptor of its folder. */
function shortPath(folder: string): readonly [file: string, release: () => void] {
  const file = path.join(folder, SOCKET);
  if (Buffer.byteLength(file) <= PATH_BYTES_MAX) return [file, () => undefined];
  const fd = openSync(folder, 'r');
  return [`/proc/self/fd/${fd}/${SOCKET}`, () => closeSync(fd)];
}

/** Asks the monitor to begin a new log file, and waits until it has. */
export async function reopenLog(folder: string): Promise<void> {
  const client = await MonitorClient.connect(folder);
  try {
    await new Promise<void>((resolve, reject) => {
      client.listen((message, bytes) => {
        if (message === 'r') resolve();
        if (message === 'x') reject(new Error(Buffer.from(bytes).toString().trim()));
      });
      client.onClose(() => reject(new Error('the monitor of the container has ended')));
      client.send('r', '');
    });
  } finally {
    client.close();
  }
}
