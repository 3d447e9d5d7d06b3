/** Injects faults into the operations of the simulated runtime: delays, hangs, errors and lost answers. */
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
  /** The delay before the operation. */
  readonly delayMs?: number;
  /** The operation never answers; a caller with a signal can abort. */
  readonly hangs?: boolean;
  /** The operation fails with this message. */
  readonly error?: string;
  /** The operation takes effect before it fails: only its answer is lost. */
  readonly afterEffect?: boolean;
}

/** Called for every operation; `subject` is an ID, a UID or the name of an image. */
export type RuntimeFaults = (
  operation: RuntimeOperation,
  subject: string,
) => RuntimeFault | undefined;

/** Performs an operation with the fault that `faults` returns for it. */
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
