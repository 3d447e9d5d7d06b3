/** Injected faults of a simulated runtime. */
import type { Clock } from '../../ports/clock.ts';
import { asScripted } from './errors.ts';
import { wait } from './wait.ts';

export type RuntimeOperation =
  | 'status'
  | 'list'
  | 'inspect'
  | 'runSandbox'
  | 'stopSandbox'
  | 'removeSandbox'
  | 'createContainer'
  | 'startContainer'
  | 'stopContainer'
  | 'removeContainer'
  | 'updateResources'
  | 'execSync'
  | 'containerStats'
  | 'findImage'
  | 'pullImage';

export interface RuntimeFault {
  /** The delay before it. */
  readonly delayMs?: number;
  /** It never answers: callers with a signal can abort. */
  readonly hangs?: boolean;
  /** It fails with this message. */
  readonly error?: string;
  /** It takes effect all the same: only the answer is lost. */
  readonly afterEffect?: boolean;
}

/** Called for every operation; `subject` is an ID, a UID or the name of an image. */
export type RuntimeFaults = (
  operation: RuntimeOperation,
  subject: string,
) => RuntimeFault | undefined;

/** Performs an operation with its fault. */
export async function withFault<Answer>(
  { faults, clock }: { readonly faults: RuntimeFaults; readonly clock: Clock },
  operation: RuntimeOperation,
  subject: string,
  signal: AbortSignal | undefined,
  effect: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const fault = faults(operation, subject) ?? {};
  signal?.throwIfAborted();
  if (fault.hangs) await wait(clock, Number.POSITIVE_INFINITY, signal);
  if (fault.delayMs !== undefined) await wait(clock, fault.delayMs, signal);
  if (fault.error === undefined) return effect();
  if (fault.afterEffect) await effect();
  throw asScripted({ what: fault.error });
}
