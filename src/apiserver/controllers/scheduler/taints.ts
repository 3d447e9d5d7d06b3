/** Matches the taints of a node with the tolerations of a pod. */
import type { JsonObject } from '../../../lib/json.ts';
import { readText } from '../../../api/validation/json-reading.ts';

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export function readTaint(taint: JsonObject): Taint {
  const { key, value, effect } = taint;
  return { key: readText(key), value: readText(value), effect: readText(effect) };
}

/** An empty key or effect matches all. Without an operator the values must be equal. */
export function tolerates(toleration: JsonObject, taint: Taint): boolean {
  const [key, effect] = [readText(toleration['key']), readText(toleration['effect'])];
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  const operator = readText(toleration['operator']);
  if (operator === 'Exists') return true;
  return (operator === '' || operator === 'Equal') && readText(toleration['value']) === taint.value;
}

export function toleratesAll(
  tolerations: readonly JsonObject[],
  taints: readonly Taint[],
  effects: readonly string[],
): boolean {
  return taints
    .filter(({ effect }) => effects.includes(effect))
    .every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** How many PreferNoSchedule taints the pod does not tolerate. */
export function countUnwantedTaints(
  tolerations: readonly JsonObject[],
  taints: readonly Taint[],
): number {
  return taints.filter(
    (taint) =>
      taint.effect === 'PreferNoSchedule' &&
      !tolerations.some((toleration) => tolerates(toleration, taint)),
  ).length;
}
