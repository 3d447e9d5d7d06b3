/**
 * One exchange with a backend, whose answer goes on to a client: as a stream, or as a connection that both
 * have upgraded to another protocol. Connections end together: when the client or the backend disconnects,
 * the connection to the other is closed.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiResponse, Connection } from '../ports/api/http-handler.ts';

/** Sends the request; its answer is a stream that ends the connection when it is cancelled. */
export async function exchange(
  outgoing: ClientRequest,
  body: AsyncIterable<Uint8Array> | null,
): Promise<ApiResponse> {
  const arrived = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).on('error', reject);
    // Without these, neither a response nor an error would come, and no time limit would end the wait.
    outgoing.once('upgrade', (_message, socket) => {
      socket.destroy();
      reject(new Error('malformed HTTP status code "101"'));
    });
    outgoing.once('close', () => reject(new Error('EOF')));
  });
  // If sending fails, the response fails too, with a better error.
  if (body) pipeline(Readable.from(body), outgoing).catch(() => {});
  else outgoing.end();
  const message = await arrived;
  const { statusCode: status = 0 } = message;
  if (status < STATUS_MIN || status > STATUS_MAX) {
    message.destroy();
    throw new Error(`malformed HTTP status code "${status}"`);
  }
  return {
    status,
    headers: headersOf(message),
    body: Readable.toWeb(message) as ReadableStream<Uint8Array>,
  };
}

const STATUS_MIN = 200;
const STATUS_MAX = 599;

/** These headers are about the connection between two machines, and are not passed on; HTTP/2 forbids them. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'content-length',
]);

function headersOf({ rawHeaders }: IncomingMessage): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!HOP_BY_HOP.has(name.toLowerCase())) pairs.push([name.toLowerCase(), value]);
  }
  return pairs;
}

/** Rejects only as long as nothing has been sent to the client. */
export async function joinTo(outgoing: ClientRequest, { socket, head }: Connection): Promise<void> {
  // The client has left: the backend need not answer.
  const leave = (): void => void outgoing.destroy();
  const answer = await new Promise<Upgraded | IncomingMessage>((resolve, reject) => {
    outgoing.once('upgrade', (message, backend, rest) => resolve({ message, backend, rest }));
    outgoing.once('response', resolve).on('error', reject);
    socket.once('close', leave);
    outgoing.end();
  }).finally(() => socket.off('close', leave));
  if ('backend' in answer) return join(answer, socket, head);
  const { statusCode = 0 } = answer;
  if (statusCode < 400) {
    answer.destroy();
    throw new Error(`invalid upgrade response: status code ${statusCode}`);
  }
  socket.write(statusLines(answer, 'connection: close\r\n'));
  await pipeline(answer, socket).catch(() => {}); // one of the two is gone
}

interface Upgraded {
  readonly message: IncomingMessage;
  readonly backend: Duplex;
  readonly rest: Uint8Array;
}

/** When one end closes, the other does. */
async function join({ message, backend, rest }: Upgraded, socket: Duplex, head: Uint8Array) {
  const names = ['connection', 'upgrade'] as const;
  const lines = names.map((name) => `${name}: ${message.headers[name] ?? ''}\r\n`);
  socket.write(statusLines(message, lines.join('')));
  if (rest.byteLength > 0) socket.write(rest);
  if (head.byteLength > 0) backend.write(head);
  await Promise.all([pipeline(backend, socket), pipeline(socket, backend)]).catch(() => {});
  backend.destroy();
  socket.destroy();
}

function statusLines(message: IncomingMessage, connection: string): string {
  const { statusCode = 0, statusMessage = '' } = message;
  const lines = headersOf(message).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${connection}${lines.join('')}\r\n`;
}
