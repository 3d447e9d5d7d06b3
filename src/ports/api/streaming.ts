/**
 * Serves exec, attach and port-forward on connections that it takes over. The caller has authorized
 * the client before it passes a connection.
 */
import type { ApiRequest, Connection } from './http-handler.ts';

export type StreamKind = 'exec' | 'attach' | 'portForward';

/** The target, as the path of the request names it. */
export interface StreamTarget {
  readonly namespace: string;
  readonly podName: string;
  /** Null: whichever pod has the name. */
  readonly podUid: string | null;
  /** Empty for a port. */
  readonly container: string;
}

export interface Streaming {
  /** Answers on the socket itself, even with a refusal, and ends it. It never rejects. */
  connect(
    kind: StreamKind,
    target: StreamTarget,
    request: ApiRequest,
    connection: Connection,
  ): Promise<void>;
}
