/** Calls a container runtime over CRI, independently of podkeep: the tests' own view of what podkeep does. */
import { connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { encode, Wire, type Message } from './wire.ts';

export type Service = 'RuntimeService' | 'ImageService';

const CALL_MS = 60_000;
/** Whether it is compressed, and its length. */
const PREFIX_LENGTH = 5;

export function criCall(
  socket: string,
  service: Service,
  method: string,
  message: Message = [],
): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const session = connect('http://localhost', { createConnection: () => connectSocket(socket) });
    const fail = (error: Error): void => {
      session.destroy();
      reject(error);
    };
    session.on('error', fail);
    session.setTimeout(CALL_MS, () => fail(new Error(`${method} took too long`)));
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: `/runtime.v1.${service}/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const parts: Buffer[] = [];
    let ending: IncomingHttpHeaders = {};
    // A call that fails at once has no body, and its trailers are its headers.
    stream.on('response', (headers) => (ending = headers));
    stream.on('trailers', (trailers) => (ending = trailers));
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('error', fail);
    stream.on('end', () => {
      session.close();
      const status = wordOf(ending, 'grpc-status') || 'missing';
      const words = decodeURIComponent(wordOf(ending, 'grpc-message'));
      if (status !== '0') reject(new Error(`${method}: code ${status}: ${words}`));
      else resolve(new Wire(Buffer.concat(parts).subarray(PREFIX_LENGTH)));
    });
    stream.end(frame(encode(message)));
  });
}

/** The runtime's conditions, such as RuntimeReady. */
export async function criStatus(socket: string): Promise<Readonly<Record<string, boolean>>> {
  const answer = await criCall(socket, 'RuntimeService', 'Status');
  const conditions = answer.message(1).messages(1);
  return Object.fromEntries(conditions.map((each) => [each.text(1), each.number(2) === 1]));
}

function frame(content: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_LENGTH);
  prefix.writeUInt32BE(content.length, 1);
  return Buffer.concat([prefix, content]);
}

function wordOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
