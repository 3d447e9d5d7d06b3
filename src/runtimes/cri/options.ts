/** Settings of the CRI runtime. */
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

export interface CriRuntimeOptions {
  /** Such as unix:///run/containerd/containerd.sock. */
  readonly endpoint: string;
  /** The image service, if it has another endpoint. */
  readonly imageEndpoint?: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a call may take; pulls, commands and stops have their own timeouts. */
  readonly requestTimeoutMs?: number;
}
