/** Settings of the CRI runtime. */
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

export interface CriRuntimeOptions {
  /** Such as unix:///run/containerd/containerd.sock. */
  readonly endpoint: string;
  /** The endpoint of the image service. Absent: the same endpoint. */
  readonly imageEndpoint?: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The timeout of a call. Pulls, commands and stops have timeouts of their own. */
  readonly requestTimeoutMs?: number;
}
