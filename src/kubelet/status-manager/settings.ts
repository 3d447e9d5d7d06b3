/** The options of a status manager, and their defaults. */
import type { Pod } from '../../api/pod.ts';
import { defineError } from '../../lib/errors.ts';
import type { ApiClient } from '../../ports/api/api-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DecisionLog } from '../../ports/observe/decision-log.ts';
import type { Log } from '../../ports/log.ts';
import type { PodManager } from '../../ports/pod/pod-manager.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import type { ProbeResults } from '../../ports/pod/probe-results.ts';
import type { Random } from '../../ports/random.ts';
import type { StatusObserver } from '../../ports/observe/status-observer.ts';

export interface StatusManagerPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: statuses are stored, but not written. */
  readonly api?: ApiClient | undefined;
  readonly pods: PodManager;
  readonly probes: ProbeResults;
  readonly decisions: DecisionLog;
  readonly log: Log;
  readonly observer: StatusObserver;
  /** True while pods are queued to start, so that unimportant writes are delayed. Absent: never. */
  readonly isBusy?: (() => boolean) | undefined;
  /** Wraps every request, for example in a trace span. */
  readonly aroundWrite?:
    | ((pod: PodReference, write: () => Promise<void>) => Promise<void>)
    | undefined;
  /** Whether containers of this pod may still run. Checked before a terminal phase is written (SM-84). */
  readonly couldHaveRunningContainers: (pod: Pod | undefined, uid: string) => boolean;
}

export interface StatusWriteSettings {
  /** Concurrent requests. */
  readonly window: number;
  /** kubeAPIQPS and kubeAPIBurst; -1: no limit (KL-107). */
  readonly qps: number;
  readonly burst: number;
  readonly requestTimeoutMs: number;
  readonly reconcileMs: number;
}

export interface StatusManagerOptions extends StatusManagerPorts, Partial<StatusWriteSettings> {}

export const settingInvalid = defineError<{ name: 'window' | 'qps'; value: number }>({
  code: 'SETTING_INVALID',
  retry: 'never',
  message: ({ name, value }) => `${name} of the status manager cannot be ${value}`,
  hint: ({ name }) =>
    name === 'window'
      ? 'Give a whole number of at least 1: how many requests may be under way at once.'
      : 'Give how many requests a second are allowed, or -1 for no limit.',
});

const DEFAULTS: StatusWriteSettings = {
  window: 32,
  qps: 50,
  burst: 100,
  requestTimeoutMs: 30_000,
  reconcileMs: 10_000,
};

export function readSettings(
  options: StatusManagerOptions,
): StatusWriteSettings & { readonly ports: StatusManagerPorts } {
  const settings = { ...DEFAULTS, ...options, ports: options };
  const { window, qps } = settings;
  if (!Number.isInteger(window) || window < 1)
    throw settingInvalid({ name: 'window', value: window });
  if (qps <= 0 && qps !== -1) throw settingInvalid({ name: 'qps', value: qps });
  return settings;
}
