/** Formats the error of an HTTP request without a response, with the messages of Go's client. */
import { goQuote } from '../../containers/config/go-text.ts';
import { addressText } from '../probe-address.ts';
import { dialMessage, socketErrorOf, systemMessage } from './dial-messages.ts';
import type { HttpProbeRequest } from './http-request.ts';

const FIRST_LINE = /^[^\r\n]*/;

export function httpMessage(error: unknown, request: HttpProbeRequest): string {
  const known = socketErrorOf(error);
  const address = addressText(request);
  const dialed = dialMessage(known, address);
  if (dialed !== null) return dialed;
  const { code = '', message } = known;
  // Node's message for a connection that was closed without a response.
  if (message === 'socket hang up') return 'EOF';
  // Go adds the local address; without it, equal Events are counted as one.
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return `read tcp ${address}: read: ${systemMessage(known)}`;
  }
  if (code.startsWith('HPE_')) {
    return `net/http: HTTP/1.x transport connection broken: ${malformed(known)}`;
  }
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return 'http: server gave HTTP response to HTTPS client';
  }
  if (code === 'ERR_INVALID_CHAR') return 'net/http: invalid header field value';
  if (code.startsWith('ERR_SSL_')) return `remote error: tls: ${message}`;
  return message;
}

function malformed(error: Error): string {
  const packet: unknown = 'rawPacket' in error ? error.rawPacket : undefined;
  if (!(packet instanceof Uint8Array)) return 'malformed HTTP response';
  const [line = ''] = FIRST_LINE.exec(Buffer.from(packet).toString('latin1')) ?? [];
  return `malformed HTTP response ${goQuote(line)}`;
}
