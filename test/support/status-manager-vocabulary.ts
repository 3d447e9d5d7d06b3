/** The words of scripts about pod statuses, and their meaning (status-manager-script.ts). */
import type { ConditionStatus, PodPhase, PodStatus } from '../../src/api/pod.ts';
import { isJsonObject, type Json } from '../../src/lib/json.ts';
import type { Fault } from './memory-api.ts';

export interface Facts {
  readonly phase: PodPhase;
  readonly ready: boolean;
  readonly reason: string | undefined;
  readonly restarts: number;
}

export function statusOf(uid: string, { phase, ready, reason, restarts }: Facts): PodStatus {
  const status: ConditionStatus = ready ? 'True' : 'False';
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  const ended = { terminated: { exitCode: phase === 'Failed' ? 1 : 0 } };
  return {
    phase,
    ...(reason !== undefined && { reason }),
    conditions: [
      { type: 'Ready', status },
      { type: 'ContainersReady', status },
    ],
    containerStatuses: [
      {
        name: 'main',
        containerID: idOf(uid),
        ready,
        started: true,
        restartCount: restarts,
        state: isOver ? ended : { running: { startedAt: '2030-01-02T03:04:00Z' } },
      },
    ],
  };
}

export function idOf(uid: string): string {
  return `test://${uid}`;
}

/** The fault of the API from now on, by its name in a script. */
export interface Weather {
  readonly fault: Fault;
  readonly failsDeletes: boolean;
  readonly refusesPatches: boolean;
  /** It does not know the field `reason`, as an old API server may not know a new one. */
  readonly dropsReasons: boolean;
}

export const FAIR: Weather = {
  fault: {},
  failsDeletes: false,
  refusesPatches: false,
  dropsReasons: false,
};

export function weatherOf(word: string): Weather {
  switch (word) {
    case 'fail-deletes':
      return { ...FAIR, failsDeletes: true };
    case 'conflict-patches':
      return { ...FAIR, refusesPatches: true };
    case 'drop-reasons':
      return { ...FAIR, dropsReasons: true };
    default:
      return { ...FAIR, fault: faultOf(word) };
  }
}

function faultOf(word: string): Fault {
  const [kind = '', value = '0'] = word.split('=');
  switch (kind) {
    case 'up':
      return {};
    case 'down':
      return { cut: 'before' };
    case 'deaf':
      return { cut: 'after' };
    case 'conflict':
      return { refuse: 409 };
    case 'slow':
      return { latencyMs: Number(value) };
    case 'busy':
      return { refuse: 429, retryAfterMs: Number(value) * 1000 };
    default:
      throw new Error(`no such fault: ${word}`);
  }
}

/** Repeated lines become one with a count. */
export function folded(lines: readonly string[]): readonly string[] {
  const counted: [string, number][] = [];
  for (const line of lines) {
    const last = counted.at(-1);
    if (last?.[0] === line) last[1] += 1;
    else counted.push([line, 1]);
  }
  return counted.map(([line, count]) => (count > 1 ? `${line} (${count} times)` : line));
}

/** The patch without the reason in it. */
export function withoutReason(patch: Json): Json {
  if (!isJsonObject(patch) || !isJsonObject(patch['status'])) return patch;
  const { reason: _, ...status } = patch['status'];
  return { ...patch, status };
}
