/** Refuses an upgrade request with a plain text answer, and closes the connection. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

export function isRefusal(answer: object): answer is Refusal {
  return 'code' in answer && 'message' in answer;
}

export function writeRefusal(socket: Duplex, { code, message, headers = [] }: Refusal): void {
  const body = Buffer.from(`${message}\n`);
  const lines = [
    `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}`,
    'Content-Type: text/plain; charset=utf-8',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${body.length}`,
    'Connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  socket.on('error', () => {}); // the client is gone
  if (!socket.writable) return;
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.end(body);
}
