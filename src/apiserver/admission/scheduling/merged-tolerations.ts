/** Merges two lists of tolerations, and omits each toleration that another one includes. */
import { isGiven, readNumber, readText } from '../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../lib/json.ts';

export function mergeTolerations(
  first: readonly JsonObject[],
  second: readonly JsonObject[],
): readonly JsonObject[] {
  const all = [...first, ...second].map((given) => ({ given, toleration: readToleration(given) }));
  const merged: typeof all = [];
  for (const [index, one] of all.entries()) {
    const isIncluded =
      merged.some((kept) => includes(kept.toleration, one.toleration)) ||
      // Of two equal tolerations the first stays.
      all
        .slice(index + 1)
        .some(
          (later) =>
            !areEqual(later.toleration, one.toleration) &&
            includes(later.toleration, one.toleration),
        );
    if (!isIncluded) merged.push(one);
  }
  return merged.map(({ given }) => given);
}

interface Toleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
  /** Null: tolerates without time limit. */
  readonly seconds: number | null;
}

function readToleration(given: JsonObject): Toleration {
  const { tolerationSeconds } = given;
  return {
    key: readText(given['key']),
    operator: readText(given['operator']),
    value: readText(given['value']),
    effect: readText(given['effect']),
    seconds: isGiven(tolerationSeconds) ? readNumber(tolerationSeconds) : null,
  };
}

function areEqual(a: Toleration, b: Toleration): boolean {
  return (
    a.key === b.key &&
    a.operator === b.operator &&
    a.value === b.value &&
    a.effect === b.effect &&
    a.seconds === b.seconds
  );
}

/** Whether `wide` tolerates everything that `narrow` tolerates. */
function includes(wide: Toleration, narrow: Toleration): boolean {
  if (areEqual(wide, narrow)) return true;
  const isAnyKey = wide.key === '' && wide.operator === 'Exists';
  if (wide.key !== narrow.key && !isAnyKey) return false;
  if (wide.effect !== narrow.effect && wide.effect !== '') return false;
  if (wide.effect === 'NoExecute' && wide.seconds !== null) {
    if (narrow.seconds === null || narrow.seconds > wide.seconds) return false;
  }
  if (wide.operator === 'Exists') return true;
  const isEquality = wide.operator === 'Equal' || wide.operator === '';
  return isEquality && narrow.operator === 'Equal' && narrow.value === wide.value;
}
