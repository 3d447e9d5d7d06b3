/**
 * The handler behind a listener: it answers requests, and takes over connections that upgrade to
 * another protocol.
 *
 * The types are those of the fetch standard, reduced to what is read. A global `Request` or `Response`
 * satisfies them, and so does a plain object at a tenth of the cost. The one difference that matters:
 * a listener passes the path on unchanged. `Request` resolves `%2e%2e` in it, and then a name that is
 * two dots cannot be distinguished from the parent folder.
 */
import type { Duplex } from 'node:stream';
import type { JsonObject } from '../../lib/json.ts';
import type { KubeWatchEvent } from './kube-api.ts';

export interface ApiRequest {
  /** In upper case. */
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: ApiHeaders;
  /** Read at most once. Null: there is none. */
  readonly body: AsyncIterable<Uint8Array> | null;
  /**
   * Calls the listener when the exchange is over: the answer is complete, or the client has left before.
   * Absent: nothing is known of it.
   */
  readonly onClose?: (listener: () => void) => void;
  /** The client is in this process. Then neither side serializes or parses. */
  readonly inProcess?: InProcess;
}

/** The object is shared by both sides and immutable from then on. */
export interface InProcess {
  /** The parsed body. Null: there is none. */
  readonly object: JsonObject | readonly JsonObject[] | null;
}

/** Names are in lower case; repeated headers are joined by a comma and a space. */
export interface ApiHeaders extends Iterable<readonly [name: string, value: string]> {
  get(name: string): string | null;
}

export interface ApiResponse {
  readonly status: number;
  /** A name may occur several times. */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  /** A stream is cancelled when the client disconnects before its end. */
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
  /** The parsed JSON body, for clients in this process. */
  readonly object?: JsonObject;
  /** The events of a watch, for clients in this process; the body is empty then. */
  readonly events?: AsyncIterator<KubeWatchEvent, void>;
}

/** The identity of the client, as far as the listener knows it. */
export interface ClientIdentity {
  /** A client in this process, which the caller has authenticated. */
  readonly user?: User;
  /** The client's verified certificate, as DER, signed by our authority. */
  readonly certificate?: Uint8Array;
  /** Why the client's certificate was not accepted. A token may still identify the client. */
  readonly certificateFault?: string;
  /** The IP address that the connection comes from. */
  readonly address?: string;
}

export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A connection whose request upgrades to another protocol. All further bytes belong to that. */
export interface Connection {
  readonly socket: Duplex;
  /** Bytes that the client has sent already after the request. */
  readonly head: Uint8Array;
}

export interface HttpHandler {
  /** Never rejects: a failure is an answer too. */
  answer(request: ApiRequest, clientIdentity: ClientIdentity): Promise<ApiResponse>;
  /** Answers on the socket itself, with the other protocol or with a refusal, and ends it. */
  connect(
    request: ApiRequest,
    connection: Connection,
    clientIdentity: ClientIdentity,
  ): Promise<void>;
}
