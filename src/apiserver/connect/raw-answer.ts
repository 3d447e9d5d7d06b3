/** Writes a plain HTTP response to an upgrade request that is refused, then closes the connection. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiResponse } from '../../ports/api/http-handler.ts';

/** Never rejects: a client that has disconnected does not need the response. */
export async function writeRawAnswer(socket: Duplex, response: ApiResponse): Promise<void> {
  const { status, headers, body } = response;
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}connection: close\r\n\r\n`,
  );
  if (body instanceof ReadableStream) await pipeline(body, socket).catch(() => {});
  else socket.end(body ?? '');
}
