/**
 * Opens connections from the API server to kubelets, and verifies each kubelet (kubelet-identity.ts) before
 * the first byte of a request is sent.
 *
 * 1. A kept connection is reused only for the node for which it was verified: two nodes may name the same
 *    address.
 * 2. TLS sessions are not resumed, because a resumed session shows no certificate.
 * 3. A warning about a node with an unverified certificate is logged once, and again only after the node was
 *    verified in between.
 */
import { lookup } from 'node:dns';
import { Agent, type RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { isGlobalUnicast } from '../lib/global-unicast.ts';
import type { Log } from '../ports/log.ts';
import { identifyKubelet } from './kubelet-identity.ts';

export interface KubeletAgentOptions {
  readonly cert: string;
  readonly key: string;
  /** The authority of the cluster. Absent: no certificate can be verified. */
  readonly ca?: string;
  readonly log: Log;
}

/** What a request to a kubelet specifies besides the address. */
export interface KubeletTarget {
  readonly nodeName: string;
  readonly host: string;
  /** True: the address must be that of another machine; the addresses of a name are checked, too. */
  readonly isRemote: boolean;
}

type Connected = (error: Error | null, stream: Duplex) => void;

export class KubeletAgent extends Agent {
  readonly #options: KubeletAgentOptions;
  readonly #unverified = new Set<string>();

  constructor(options: KubeletAgentOptions) {
    super({ keepAlive: true, maxCachedSessions: 0 });
    this.#options = options;
  }

  override getName(options: RequestOptions & Partial<KubeletTarget> = {}): string {
    const { nodeName = '', isRemote = false } = options;
    return `${super.getName(options)}:${isRemote}:${nodeName}`;
  }

  override createConnection(
    options: RequestOptions & Partial<KubeletTarget>,
    callback: Connected = () => {},
  ): undefined {
    const { cert, key, ca } = this.#options;
    const { nodeName = '', host = '', isRemote = false } = options;
    const target: KubeletTarget = { nodeName, host: host ?? '', isRemote };
    const socket = connect({
      host: target.host,
      port: Number(options.port),
      servername: options.servername ?? '',
      cert,
      key,
      ...(ca !== undefined && { ca }),
      ...(isRemote && { lookup: lookupRemote }),
      // The certificate is verified below, after the handshake.
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    const fail = (error: Error): void => callback(error, socket);
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      socket.off('error', fail);
      const refusal = this.#refusalOf(socket, target);
      if (refusal === null) return callback(null, socket);
      socket.destroy();
      callback(new Error(refusal), socket);
    });
  }

  #refusalOf(socket: TLSSocket, { nodeName, host }: KubeletTarget): string | null {
    const isSigned = this.#options.ca !== undefined && socket.authorized;
    const certificate = socket.getPeerCertificate();
    const identity = identifyKubelet(nodeName, host, { isSigned, certificate });
    if (identity.type === 'refused') return identity.reason;
    if (identity.type === 'verified') this.#unverified.delete(nodeName);
    else if (!this.#unverified.has(nodeName)) this.#warn(nodeName, host);
    return null;
  }

  #warn(nodeName: string, host: string): void {
    this.#unverified.add(nodeName);
    const message =
      'Kubelet serving certificate is not signed by the cluster CA, so the kubelet is not verified; ' +
      'set serverTLSBootstrap in its configuration and approve its certificate signing request';
    this.#options.log.warn(message, { node: nodeName, address: host });
  }
}

/** Looks up a name and fails unless all its addresses are global unicast. */
const lookupRemote: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    if (addresses.every(({ address }) => isGlobalUnicast(address))) {
      if (options.all === true) return callback(null, addresses);
      const [first] = addresses;
      return callback(null, first?.address ?? '', first?.family);
    }
    callback(new Error('address not allowed'), []);
  });
};
