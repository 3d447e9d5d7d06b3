/**
 * Computes the ordinals of a StatefulSet's pods, by which the pods and their claims are named.
 *
 *     pod    NAME-ORDINAL             web-0
 *     claim  TEMPLATE-NAME-ORDINAL    data-web-0
 *
 * A pod whose name does not have exactly this form (`web-01`) is not a member. kube-controller-manager reads
 * it as ordinal 1 and then fails to rename it.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { numberAt, objectsAt, textAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';

export interface OrdinalRange {
  readonly start: number;
  /** The first ordinal beyond the range. */
  readonly end: number;
}

const ORDINAL_MAX = 2 ** 31 - 1;

/** Null: the pod is not a member of the StatefulSet. */
export function ordinalOf(set: JsonObject, pod: JsonObject): number | null {
  const prefix = `${nameOf(set)}-`;
  const name = nameOf(pod);
  const text = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  if (!/^(?:0|[1-9][0-9]{0,9})$/.test(text)) return null;
  return Number(text) <= ORDINAL_MAX ? Number(text) : null;
}

export function ordinalRange(set: JsonObject): OrdinalRange {
  const start = numberAt(set, 'spec.ordinals.start');
  return { start, end: start + numberAt(set, 'spec.replicas') };
}

export function isWantedOrdinal(ordinal: number, { start, end }: OrdinalRange): boolean {
  return ordinal >= start && ordinal < end;
}

export function podNameAt(set: JsonObject, ordinal: number): string {
  return `${nameOf(set)}-${ordinal}`;
}

export interface NamedClaim {
  /** The name of the template, and of the volume in the pod. */
  readonly volume: string;
  readonly name: string;
  readonly template: JsonObject;
}

export function claimsAt(set: JsonObject, ordinal: number): readonly NamedClaim[] {
  return objectsAt(set, 'spec.volumeClaimTemplates').map((template) => {
    const volume = textAt(template, 'metadata.name');
    return { volume, name: `${volume}-${nameOf(set)}-${ordinal}`, template };
  });
}
