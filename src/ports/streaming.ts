/**
 * Who speaks the protocols of exec, attach and port-forward on connections that have become theirs.
 * Whoever hands a connection over has made sure that the client may do what it asks for.
 */
import type { ApiRequest, Connection } from './http-handler.ts';

export type StreamKind = 'exec' | 'attach' | 'portForward';

/** What is meant, as the path of the request names it. */
export interface StreamTarget {
  readonly namespace: string;
  readonly podName: string;
  /** Null: whichever pod has the name. */
  readonly podUid: string | null;
  /** Empty for a port. */
  readonly container: string;
}

export interface Streaming {
  /** Answers on the socket itself, also with a refusal, and ends it. It never rejects. */
  connect(
    kind: StreamKind,
    target: StreamTarget,
    request: ApiRequest,
    connection: Connection,
  ): Promise<void>;
}
