/** What a status manager is made with, and what is assumed where nothing is said. */
import type { Pod } from '../../api/pod.ts';
import { defineError } from '../../lib/errors.ts';
import type { ApiClient } from '../../ports/api-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DecisionLog } from '../../ports/decision-log.ts';
import type { Log } from '../../ports/log.ts';
import type { PodManager } from '../../ports/pod-manager.ts';
import type { PodReference } from '../../ports/pod-reference.ts';
import type { ProbeResults } from '../../ports/probe-results.ts';
import type { Random } from '../../ports/random.ts';
import type { StatusObserver } from '../../ports/status-observer.ts';

export interface StatusManagerPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: statuses are kept, but written nowhere. */
  readonly api?: ApiClient | undefined;
  readonly pods: PodManager;
  readonly probes: ProbeResults;
  readonly decisions: DecisionLog;
  readonly log: Log;
  readonly observer: StatusObserver;
  /** Pods stand in line to be started: what can wait should (absent: they never do). */
  readonly isBusy?: (() => boolean) | undefined;
  /** Wrapped around every request, such as by a trace. */
  readonly aroundWrite?:
    | ((pod: PodReference, write: () => Promise<void>) => Promise<void>)
    | undefined;
  /** May something of this pod still run? Asked before a terminal phase is written (SM-84). */
  readonly couldHaveRunningContainers: (pod: Pod | undefined, uid: string) => boolean;
}

export interface StatusWriteSettings {
  /** Requests under way at once. */
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
