/**
 * Computes the annotation `endpoints.kubernetes.io/last-change-trigger-time`: when the change happened that
 * caused an update of endpoints, for measuring network programming latency. It is the earliest change of a
 * pod's readiness since the last sync.
 */
import { formatTime } from '../../../../api/values/time.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { metadataOf, nameOf, textOf, withMetadata } from '../../../objects/metadata.ts';
import { readStruct } from '../../../../api/validation/json-reading.ts';
import { createdMs, podConditionOf, timeMs } from '../shared/pod-state.ts';

export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

interface ServiceTimes {
  readonly createdMs: number;
  readonly podMs: ReadonlyMap<string, number>;
}

export class TriggerTimes {
  readonly #known = new Map<string, ServiceTimes>();

  forget(key: string): void {
    this.#known.delete(key);
  }

  /** 0: there is no known change. Must be called once in each sync, even if the sync changes nothing. */
  next(key: string, service: JsonObject, pods: readonly JsonObject[]): number {
    const last = this.#known.get(key);
    const now = { createdMs: createdMs(service), podMs: podTimes(pods) };
    this.#known.set(key, now);
    if (!last) return now.createdMs;
    const changed = [...now.podMs]
      .filter(([name, ms]) => ms > (last.podMs.get(name) ?? 0))
      .map(([, ms]) => ms);
    if (now.createdMs > last.createdMs) changed.push(now.createdMs);
    return changed.length === 0 ? 0 : Math.min(...changed);
  }
}

function podTimes(pods: readonly JsonObject[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const pod of pods) {
    const ms = timeMs(textOf(podConditionOf(pod, 'Ready')?.['lastTransitionTime']));
    if (ms > 0) times.set(nameOf(pod), ms);
  }
  return times;
}

export function withTriggerTime(object: JsonObject, ms: number): JsonObject {
  const { [TRIGGER_TIME]: _, ...others } = readStruct(metadataOf(object)['annotations']);
  const annotations = ms > 0 ? { ...others, [TRIGGER_TIME]: formatTime(ms) } : others;
  const isEmpty = Object.keys(annotations).length === 0;
  return withMetadata(object, { annotations: isEmpty ? undefined : annotations });
}
