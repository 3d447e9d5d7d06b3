/**
 * The target of probes, for containers: one Node program that listens on a port for each kind. A file
 * decides whether it is healthy. The certificate of its TLS port is self-signed, which probes accept.
 */
import { CertificateAuthority } from '../support/certificates.ts';
import { readFileSync } from 'node:fs';

export const PORTS = { http: 8080, tcp: 8081, https: 8443, grpc: 9000 };

/** `node -e` runs it. Its environment has POD_IP, and CERT and KEY. */
export const PROBE_SERVER = `
const { existsSync } = require('node:fs');
const { createServer: createHttp } = require('node:http');
const { createServer: createHttps } = require('node:https');
const { createServer: createHttp2 } = require('node:http2');
const { createServer: createTcp } = require('node:net');
const host = process.env.POD_IP;
const isWell = () => existsSync('/shared/well');
const answer = (request, response) => {
  const isKnown = request.headers['x-probe'] === 'yes' && request.url === '/health?deep=1';
  response.writeHead(isWell() && isKnown ? 204 : 503).end();
};
const secret = { cert: process.env.CERT, key: process.env.KEY };
createHttp(answer).listen(${PORTS.http}, host);
createHttps(secret, answer).listen(${PORTS.https}, host);
createHttp2().on('stream', (stream) => {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.resume().on('end', () => stream.end(Buffer.from([0, 0, 0, 0, 2, 8, isWell() ? 1 : 2])));
}).listen(${PORTS.grpc}, host);
const tcp = createTcp((socket) => socket.end());
setInterval(() => {
  if (isWell() && !tcp.listening) tcp.listen(${PORTS.tcp}, host);
  if (!isWell() && tcp.listening) tcp.close();
}, 50);
process.on('SIGTERM', () => process.exit(0));
`;

export function makeSecret(folder: string): { readonly cert: string; readonly key: string } {
  const { certificate, key } = new CertificateAuthority(folder).pair;
  return { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
}
