/** What the CRI runtime is told from outside. */
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

export interface CriRuntimeOptions {
  /** Such as unix:///run/containerd/containerd.sock. */
  readonly endpoint: string;
  /** Where images are kept, if that is somebody else. */
  readonly imageEndpoint?: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a call may take; pulls, commands and stops have their own time. */
  readonly requestTimeoutMs?: number;
}
