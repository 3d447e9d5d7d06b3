/**
 * Defines the health checks of a node and of its process, and when each of them fails, by endpoint:
 *
 *     name           healthz, livez, watchdog           readyz
 *     syncloop       no turn for 5 min                  the same
 *     housekeeping   no run ended for 5 min             the same
 *     pleg           the pod cache is older than 3 min  the same
 *     runtime        does not answer for 5 min          not ready, or down for 8 s
 *     eventloop      5 s late                           the same
 *     apiserver      never                              no answer for the duration of a lease
 *     disk           never                              not writable, silent for 2 s, or DiskPressure
 *
 * 1. Neither an outage of the API server nor a full disk restarts podkeep: a restart would not help, and a
 *    node that cannot report its pods still runs them.
 * 2. The runtime may be down for five minutes before the node counts as unhealthy, as in Kubernetes' kubelet,
 *    whose sync loop pauses without a runtime.
 */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { HealthCheck, HealthEndpoint } from '../lib/health-report.ts';
import type { EventLoopLag } from '../platform/event-loop-lag.ts';
import type { Clock } from '../ports/clock.ts';

/** The state of the kubelet's loops. Null: the loop is healthy; otherwise the reason why not. */
export interface LoopFaults {
  readonly syncLoop: () => string | null;
  readonly housekeeping: () => string | null;
  readonly podCache: () => string | null;
  /** Why pods cannot run. Empty: they can. */
  readonly runtime: () => readonly string[];
  /** Null: the runtime answers. */
  readonly runtimeDownForMs: () => number | null;
}

export interface ApiContact {
  /** The time since the last answer of the API server. */
  readonly silentMs: () => number;
  readonly silentMsMax: number;
}

const SECOND_MS = 1000;
const LAG_MS_MAX = 5000;
const RUNTIME_MS_MAX = 300_000;
const DISK_MS_MAX = 2000;
const ALIVE: readonly HealthEndpoint[] = ['healthz', 'livez'];
const READY: readonly HealthEndpoint[] = ['readyz'];

export function loopChecks(loops: LoopFaults): readonly HealthCheck[] {
  return [
    { name: 'syncloop', check: loops.syncLoop },
    { name: 'housekeeping', check: loops.housekeeping },
    { name: 'pleg', check: loops.podCache },
    { name: 'runtime', endpoints: ALIVE, check: () => runtimeFault(loops.runtimeDownForMs()) },
    { name: 'runtime', endpoints: READY, check: () => loops.runtime().join(', ') || null },
  ];
}

export function eventLoopCheck(lag: Pick<EventLoopLag, 'lagMs'>): HealthCheck {
  return {
    name: 'eventloop',
    check: () => {
      const ms = lag.lagMs();
      return ms > LAG_MS_MAX ? `the event loop is ${seconds(ms)} s late` : null;
    },
  };
}

export function apiCheck({ silentMs, silentMsMax }: ApiContact): HealthCheck {
  return {
    name: 'apiserver',
    endpoints: READY,
    check: () => {
      const ms = silentMs();
      return ms > silentMsMax ? `the API server has not answered for ${seconds(ms)} s` : null;
    },
  };
}

/**
 * `hasPressure`: the node reports DiskPressure. A disk that does not answer fails the check after two
 * seconds.
 */
export function diskCheck(
  folder: string,
  clock: Clock,
  hasPressure: () => boolean,
  probe: (folder: string) => Promise<void> = isWritable,
): HealthCheck {
  let asked: Promise<string | null> | undefined;
  const ask = (): Promise<string | null> =>
    probe(folder)
      .then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
      .finally(() => (asked = undefined));
  return {
    name: 'disk',
    endpoints: READY,
    check: async () => {
      if (hasPressure()) return 'the node has DiskPressure';
      // Concurrent checks share one disk access.
      asked ??= ask();
      let cancel = (): void => {};
      const late = new Promise<string>((resolve) => {
        cancel = clock.after(DISK_MS_MAX, () => resolve(`${folder} does not answer`));
      });
      return Promise.race([asked, late]).finally(cancel);
    },
  };
}

function runtimeFault(downMs: number | null): string | null {
  return downMs !== null && downMs > RUNTIME_MS_MAX
    ? `the container runtime has been down for ${seconds(downMs)} s`
    : null;
}

/** Rejects if the folder is not writable, for example on a file system that was remounted read-only. */
async function isWritable(folder: string): Promise<void> {
  await access(folder, constants.W_OK);
}

function seconds(ms: number): number {
  return Math.round(ms / SECOND_MS);
}
