/** The options of a request for a log: which part of it, and in which form. */
import type { Instant } from '../../api/values/time.ts';

export interface LogOptions {
  /** Continues until the container has ended. */
  readonly follow: boolean;
  /** Puts a timestamp before each line. */
  readonly timestamps: boolean;
  /** The number of entries from the end; null: all. */
  readonly tailLines: number | null;
  /** Nothing older than this; null: all. */
  readonly since: Instant | null;
  /** The response ends after so many bytes; null: at the end of the log. */
  readonly limitBytes: number | null;
}
