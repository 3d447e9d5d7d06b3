/**
 * What stands behind a door: somebody who answers requests, and takes over connections that become
 * something else than HTTP.
 *
 * The shapes are those of the fetch standard, cut down to what is read. A global `Request` or
 * `Response` fits them, and so does a plain object that costs a tenth. The one difference that matters:
 * a door hands on the path as it came. `Request` resolves `%2e%2e` in it, and then nobody can tell a
 * name that is two dots from the folder above.
 */
import type { Duplex } from 'node:stream';
import type { JsonObject } from '../lib/json.ts';
import type { KubeWatchEvent } from './kube-api.ts';

export interface ApiRequest {
  /** In capitals. */
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: ApiHeaders;
  /** Read once at most. Null: there is none. */
  readonly body: AsyncIterable<Uint8Array> | null;
  /** Whoever asks is in this process. Then neither side makes or reads text. */
  readonly inProcess?: InProcess;
}

/** What is handed over belongs to both sides from then on: nobody writes into it. */
export interface InProcess {
  /** What the body says; null: there is none. */
  readonly said: JsonObject | readonly JsonObject[] | null;
}

/** Names are in lower case; what was sent several times is joined by a comma and a space. */
export interface ApiHeaders extends Iterable<readonly [name: string, value: string]> {
  get(name: string): string | null;
}

export interface ApiResponse {
  readonly status: number;
  /** A name may come several times. */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  /** A stream is cancelled when the client goes away before its end. */
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
  /** What the body says in JSON, for whoever is in this process and need not read it. */
  readonly object?: JsonObject;
  /** The events of a watch, for whoever is in this process; the body is empty then. */
  readonly events?: AsyncIterator<KubeWatchEvent, void>;
}

/** Who stands at the door, as far as the door knows. */
export interface ClientIdentity {
  /** Somebody in this process, for whom the caller vouches. */
  readonly user?: User;
  /** The certificate, as DER, that the client has proved to be its own and that our authority signed. */
  readonly certificate?: Uint8Array;
  /** Why a certificate that was shown is none of ours. Somebody else may still be proved by a token. */
  readonly certificateFault?: string;
}

export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A connection whose request asks for another protocol. All that comes from now on is its own. */
export interface Connection {
  readonly socket: Duplex;
  /** What the client has sent already behind the request. */
  readonly head: Uint8Array;
}

export interface HttpHandler {
  /** Never rejects: what goes wrong is an answer too. */
  answer(request: ApiRequest, clientIdentity: ClientIdentity): Promise<ApiResponse>;
  /** Answers on the socket itself, with the other protocol or with a refusal, and ends it. */
  connect(
    request: ApiRequest,
    connection: Connection,
    clientIdentity: ClientIdentity,
  ): Promise<void>;
}
