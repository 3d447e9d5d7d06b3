/**
 * Selects the rules of an update by its subresource: an update of the object may change everything but the
 * status, an update of the status only the status, and one of another subresource what that subresource
 * allows.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition, Subresource } from './kind.ts';
import { metadataOf, withMetadata } from './metadata.ts';

export interface UpdateRules {
  readonly prepare: (object: JsonObject, old: JsonObject) => JsonObject;
  readonly validate: KindDefinition['rules']['validateUpdate'];
  readonly countsGenerations: boolean;
}

/** The rules for an update of the object (also through scale), or of a subresource. */
export function updateRulesOf(
  { rules }: KindDefinition,
  part: Subresource | undefined,
): UpdateRules {
  const isPart = part !== undefined && !part.view;
  const isStatus = isPart && part.name === 'status';
  const usual = isStatus
    ? (rules.prepareForStatusUpdate ?? keepAllButStatus)
    : (rules.prepareForUpdate ?? keepStatus);
  return {
    prepare: part?.prepareForUpdate ?? usual,
    validate:
      part?.validateUpdate ?? (isStatus ? rules.validateStatusUpdate : rules.validateUpdate),
    countsGenerations: !isStatus && !(part?.keepsGeneration ?? false),
  };
}

/** Increases the generation of kinds that have one, if anything outside metadata and status changes. */
export function bumpGeneration(
  { rules }: KindDefinition,
  object: JsonObject,
  old: JsonObject,
): JsonObject {
  const { generation } = metadataOf(old);
  const isNew = rules.isNewGeneration?.(object, old) ?? !jsonEqual(specOf(object), specOf(old));
  if (typeof generation !== 'number' || !isNew) return object;
  return withMetadata(object, { generation: generation + 1 });
}

function specOf(object: JsonObject): JsonObject {
  const { metadata: _metadata, status: _status, ...rest } = object;
  return rest;
}

function keepStatus(object: JsonObject, old: JsonObject): JsonObject {
  const { status: _, ...rest } = object;
  const { status } = old;
  return status === undefined ? rest : { ...rest, status };
}

function keepAllButStatus(object: JsonObject, old: JsonObject): JsonObject {
  const { status: _, ...rest } = old;
  const { status } = object;
  const placed = status === undefined ? rest : { ...rest, status };
  return { ...placed, metadata: metadataOf(object) };
}
