/** What of a log is wanted, and in which form. */
import type { Instant } from '../../api/time.ts';

export interface LogOptions {
  /** Goes on until the container has ended. */
  readonly follow: boolean;
  /** Puts the time of each line before it. */
  readonly timestamps: boolean;
  /** So many entries from the end; null: all. */
  readonly tailLines: number | null;
  /** Nothing that is older; null: all. */
  readonly since: Instant | null;
  /** The answer ends after so many bytes; null: at the end of the log. */
  readonly limitBytes: number | null;
}
