/** Implements the scale subresource of a custom kind, whose definition names the paths of the replicas. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { FieldError } from '../../api/validation/field-error.ts';
import { invalidField } from '../../api/validation/field-errors.ts';
import { readText } from '../../api/validation/json-reading.ts';
import type { Scaling } from '../registry/scale.ts';
import { internalError } from '../objects/status.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';

const INT32_MAX = 2 ** 31 - 1;

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** Empty: there is none. */
  readonly labelSelectorPath: string;
}

export function readScalePaths(scale: JsonObject): ScalePaths {
  return {
    specReplicasPath: readText(scale['specReplicasPath']),
    statusReplicasPath: readText(scale['statusReplicasPath']),
    labelSelectorPath: readText(scale['labelSelectorPath']),
  };
}

export function customScaling(paths: ScalePaths): Scaling {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = paths;
  return {
    replicas: (object) => countAt(object, specReplicasPath) ?? 0,
    observedReplicas: (object) => countAt(object, statusReplicasPath) ?? 0,
    selector: (object) =>
      labelSelectorPath === '' ? '' : readText(valueAt(object, labelSelectorPath)),
    withReplicas: (object, replicas) => withValue(object, namesOf(specReplicasPath), replicas),
    replicasPath: namesOf(specReplicasPath).map((name) => `f:${name}`),
    checkRead: (object) => {
      if (countAt(object, specReplicasPath) !== undefined) return;
      const field = JSON.stringify(specReplicasPath);
      throw internalError(`the spec replicas field ${field} does not exist`);
    },
  };
}

/** The values at the paths must be valid numbers of replicas. */
export function validateScale(
  object: JsonObject,
  paths: ScalePaths,
  isStatus: boolean,
): readonly FieldError[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = paths;
  return [
    ...(isStatus ? [] : validateCount(object, specReplicasPath)),
    ...validateCount(object, statusReplicasPath),
    ...(labelSelectorPath === '' ? [] : validateText(object, labelSelectorPath)),
  ];
}

function validateCount(object: JsonObject, path: string): readonly FieldError[] {
  const value = valueAt(object, path);
  if (value === undefined) return [];
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isInteger(value))) {
    return [invalidField(path, 0, accessorFault(path, value, 'int64'))];
  }
  if (value < 0) return [invalidField(path, value, 'should be a non-negative integer')];
  if (value <= INT32_MAX) return [];
  return [invalidField(path, value, `should be less than or equal to ${INT32_MAX}`)];
}

function validateText(object: JsonObject, path: string): readonly FieldError[] {
  const value = valueAt(object, path);
  if (value === undefined || typeof value === 'string') return [];
  return [invalidField(path, '', accessorFault(path, value, 'string'))];
}

function accessorFault(path: string, value: Json, wanted: string): string {
  const found = typeof value === 'number' ? 'float64' : typeof value;
  return `${path} accessor error: ${typeof value === 'string' ? value : printExactJson(value)} is of the type ${found}, expected ${wanted}`;
}

function countAt(object: JsonObject, path: string): number | undefined {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : undefined;
}

function namesOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

function valueAt(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const name of namesOf(path)) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function withValue(object: JsonObject, names: readonly string[], value: Json): JsonObject {
  const [name = '', ...rest] = names;
  const own = Object.hasOwn(object, name) ? object[name] : undefined;
  const inner = rest.length === 0 ? value : withValue(isJsonObject(own) ? own : {}, rest, value);
  return Object.fromEntries([
    ...Object.entries(object).filter(([key]) => key !== name),
    [name, inner],
  ]);
}
