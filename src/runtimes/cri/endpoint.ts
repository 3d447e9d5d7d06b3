/**
 * Parses the endpoint of a container runtime: `unix:///run/containerd/containerd.sock`, or the path alone.
 */
import path from 'node:path';
import { endpointInvalid } from './errors.ts';

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
/** The kernel's limit for the path of a unix socket. */
const PATH_BYTES_MAX = 107;

/** Throws RUNTIME_ENDPOINT_INVALID. */
export function socketPathOf(endpoint: string): string {
  const scheme = SCHEME.exec(endpoint)?.[1];
  if (scheme !== undefined && scheme.toLowerCase() !== 'unix') {
    const reason = `only unix sockets are supported, not ${scheme}`;
    throw endpointInvalid({ endpoint, reason });
  }
  const socketPath = endpoint.replace(SCHEME, '');
  if (!path.isAbsolute(socketPath)) {
    throw endpointInvalid({ endpoint, reason: 'the path of its socket is not absolute' });
  }
  if (Buffer.byteLength(socketPath) > PATH_BYTES_MAX) {
    throw endpointInvalid({ endpoint, reason: 'the path of its socket is too long' });
  }
  return socketPath;
}
