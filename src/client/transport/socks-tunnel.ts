/**
 * Opens a connection through a SOCKS proxy (RFC 1928), with a user name and a password if the proxy requires
 * them (RFC 1929).
 *
 *     greeting ──> authentication method ──> [login] ──> destination ──> connected socket
 *
 * The proxy resolves host names: a client that needs a proxy often cannot resolve them itself.
 */
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { writeAddress } from '../../lib/x509/ip-bytes.ts';
import type { Clock } from '../../ports/clock.ts';

export interface Destination {
  readonly host: string;
  readonly port: number;
}

const VERSION = 5;
const LOGIN_VERSION = 1;
const METHOD = { none: 0, login: 2 } as const;
const COMMAND_CONNECT = 1;
const ADDRESS = { ipv4: 1, name: 3, ipv6: 4 } as const;
const SILENCE_MS_MAX = 10_000;
const DEFAULT_PORT = 1080;

/** Messages by the reply code of the proxy. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [1, 'it failed'],
  [2, 'its rules do not allow it'],
  [3, 'the network cannot be reached'],
  [4, 'the host cannot be reached'],
  [5, 'the connection was refused'],
  [6, 'the TTL expired'],
  [7, 'it does not support this command'],
  [8, 'it does not support this type of address'],
]);

/** `proxy` looks like `socks5://user:secret@127.0.0.1:1080`. Rejects with a plain error. */
export async function connectSocks(
  proxy: string,
  destination: Destination,
  clock: Clock,
): Promise<Socket> {
  const { hostname, port, username, password } = new URL(proxy);
  const socket = connect({
    host: bare(hostname),
    port: port === '' ? DEFAULT_PORT : Number(port),
    noDelay: true,
  });
  try {
    await unlessSilent(socket, clock, once(socket, 'connect'));
    const reader = new ExactReader(socket, clock);
    const login = { name: decodeURIComponent(username), secret: decodeURIComponent(password) };
    await greet(socket, reader, login);
    await order(socket, reader, destination);
    reader.letGo();
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket;
}

/** Rejects if the proxy does not answer in time. */
async function unlessSilent<Result>(
  socket: Socket,
  clock: Clock,
  word: Promise<Result>,
): Promise<Result> {
  const silence = new Error('the SOCKS proxy does not answer');
  const cancel = clock.after(SILENCE_MS_MAX, () => socket.destroy(silence));
  try {
    return await word;
  } finally {
    cancel();
  }
}

async function greet(
  socket: Socket,
  reader: ExactReader,
  { name, secret }: { readonly name: string; readonly secret: string },
): Promise<void> {
  const methods = name === '' ? [METHOD.none] : [METHOD.none, METHOD.login];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await reader.take(2);
  if (version !== VERSION) throw new Error('the proxy does not speak SOCKS 5');
  if (method === METHOD.none) return;
  if (method !== METHOD.login || name === '') {
    throw new Error(
      'the SOCKS proxy accepts none of the authentication methods that podkeep supports',
    );
  }
  socket.write(Buffer.concat([Buffer.from([LOGIN_VERSION]), sized(name), sized(secret)]));
  const [, status] = await reader.take(2);
  if (status !== 0) throw new Error('the SOCKS proxy refused the user name or the password');
}

async function order(
  socket: Socket,
  reader: ExactReader,
  { host, port }: Destination,
): Promise<void> {
  const where = Buffer.alloc(2);
  where.writeUInt16BE(port);
  const head = Buffer.from([VERSION, COMMAND_CONNECT, 0]);
  socket.write(Buffer.concat([head, writeHost(bare(host)), where]));
  const [, refusal = 1, , type] = await reader.take(4);
  if (refusal !== 0) {
    const reason = REFUSALS.get(refusal) ?? `it answered with ${refusal}`;
    throw new Error(`the SOCKS proxy cannot connect to ${host}:${port}: ${reason}`);
  }
  // Skips the address to which the proxy is bound.
  const [length = 0] = type === ADDRESS.name ? await reader.take(1) : [];
  const bytes = type === ADDRESS.name ? length : type === ADDRESS.ipv6 ? 16 : 4;
  await reader.take(bytes + 2);
}

function writeHost(host: string): Buffer {
  const family = isIP(host);
  if (family === 0) return Buffer.concat([Buffer.from([ADDRESS.name]), sized(host)]);
  const type = family === 6 ? ADDRESS.ipv6 : ADDRESS.ipv4;
  return Buffer.concat([Buffer.from([type]), writeAddress(host)]);
}

function sized(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.byteLength > 255)
    throw new Error('a host name, user name or password is too long for SOCKS 5');
  return Buffer.concat([Buffer.from([bytes.byteLength]), bytes]);
}

/**
 * Reads exactly the requested number of bytes: the bytes after them belong to the user of the socket.
 *
 * It adds its listener only once: while a socket has unread bytes, it emits `readable` for every new
 * listener, even if the bytes are too few.
 */
class ExactReader {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #wake = (): void => this.#resolve();
  #error: Error | null = null;
  readonly #fail = (error: Error): void => {
    this.#error = error;
    this.#resolve();
  };
  #resolve: () => void = () => {};

  constructor(socket: Socket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    for (const event of ['readable', 'end', 'close']) socket.on(event, this.#wake);
    socket.on('error', this.#fail);
  }

  async take(count: number): Promise<Buffer> {
    for (;;) {
      const chunk: unknown = this.#socket.read(count);
      if (Buffer.isBuffer(chunk) && chunk.byteLength === count) return chunk;
      if (this.#error) throw this.#error;
      if (this.#socket.readableEnded || this.#socket.destroyed || chunk !== null) {
        throw new Error('the SOCKS proxy closed the connection');
      }
      const more = new Promise<void>((resolve) => (this.#resolve = resolve));
      await unlessSilent(this.#socket, this.#clock, more);
    }
  }

  letGo(): void {
    for (const event of ['readable', 'end', 'close'])
      this.#socket.removeListener(event, this.#wake);
    this.#socket.removeListener('error', this.#fail);
  }
}

/** The host without the brackets of an IPv6 address in a URL. */
function bare(host: string): string {
  return host.replaceAll(/^\[|\]$/g, '');
}
