/** Formats errors of failed connections with the messages of Go's client, because people search for these. */
import { isIP } from 'node:net';

export interface DialledAddress {
  readonly host: string;
  readonly port: number;
  /** For which the certificate must be valid. */
  readonly serverName: string;
}

export function describeFault(error: unknown, dialled: DialledAddress): Error {
  const message = error instanceof Error ? error.message : String(error);
  const { host, port, serverName } = dialled;
  const address = `${bracketed(host)}:${port}`;
  return new Error(sentenceOf(codeOf(error), message, address, serverName), { cause: error });
}

/** The other end closed the connection. */
export function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
}

export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function sentenceOf(code: string, message: string, address: string, serverName: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}: connect: connection refused`;
    case 'EHOSTUNREACH':
      return `dial tcp ${address}: connect: no route to host`;
    case 'ENETUNREACH':
      return `dial tcp ${address}: connect: network is unreachable`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${serverName}: no such host`;
    case 'ECONNRESET':
      return 'EOF';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `tls: failed to verify certificate: x509: certificate is not valid for ${serverName}`;
    case 'CERT_HAS_EXPIRED':
      return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'CERT_SIGNATURE_FAILURE':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    default:
      return message;
  }
}
