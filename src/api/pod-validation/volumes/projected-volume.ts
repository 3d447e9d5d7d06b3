/** Validates projected volumes: each has several sources, and no two may write the same file. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  forbiddenField,
  invalidField,
  required,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import { readNumber, readObject, readObjects, readText } from '../../validation/json-reading.ts';
import { validateFilePath } from '../../validation/paths.ts';
import { validateDownwardFile, validateKeyToPath, validateMode } from './file-projection.ts';
import { validatePodCertificate, validateTrustBundle } from './certificate-projections.ts';
import { claimFile, type ProjectionContext } from './projection-context.ts';
import type { SpecOptions } from '../spec-options.ts';

type ProjectionRule = (source: JsonObject, path: string, context: ProjectionContext) => FieldErrors;

const TOKEN_SECONDS_MIN = 600;
const TOKEN_SECONDS_MAX = 2 ** 32;

const RULES: readonly (readonly [string, ProjectionRule])[] = [
  ['secret', validateKeys],
  ['configMap', validateKeys],
  ['downwardAPI', validateDownwardApi],
  ['serviceAccountToken', validateToken],
  ['clusterTrustBundle', validateTrustBundle],
  ['podCertificate', validatePodCertificate],
];

export function* validateProjected(
  volume: JsonObject,
  path: string,
  options: SpecOptions,
): FieldErrors {
  yield* validateMode(volume['defaultMode'], `${path}.defaultMode`);
  const context = { volumePath: path, files: new Set<string>(), options };
  for (const [index, projection] of readObjects(volume['sources']).entries()) {
    const at = `${path}.sources[${index}]`;
    let count = 0;
    for (const [name, validate] of RULES) {
      const source = readObject(projection[name]);
      if (!source) continue;
      count += 1;
      yield* validate(source, `${at}.${name}`, context);
    }
    if (count > 1) yield forbiddenField(at, 'may not specify more than 1 volume type per source');
  }
}

function* validateKeys(source: JsonObject, path: string, context: ProjectionContext): FieldErrors {
  const name = readText(source['name']);
  if (name === '') yield required(`${path}.name`);
  for (const [index, item] of readObjects(source['items']).entries()) {
    yield* validateKeyToPath(item, `${path}.items[${index}]`);
    const file = readText(item['path']);
    if (file !== '') yield* claimFile(file, name, context);
  }
}

function* validateDownwardApi(
  source: JsonObject,
  path: string,
  context: ProjectionContext,
): FieldErrors {
  for (const item of readObjects(source['items'])) {
    yield* validateDownwardFile(item, path);
    const file = readText(item['path']);
    if (file !== '') yield* claimFile(file, file, context);
  }
}

function* validateToken(source: JsonObject, path: string, context: ProjectionContext): FieldErrors {
  const seconds = readNumber(source['expirationSeconds']);
  const file = readText(source['path']);
  if (seconds < TOKEN_SECONDS_MIN) {
    const detail = 'may not specify a duration less than 10 minutes';
    yield invalidField(`${path}.expirationSeconds`, seconds, detail);
  }
  if (seconds > TOKEN_SECONDS_MAX) {
    const detail = 'may not specify a duration larger than 2^32 seconds';
    yield invalidField(`${path}.expirationSeconds`, seconds, detail);
  }
  const field = `${context.volumePath}.path`;
  if (file === '') yield required(field);
  else if (!context.options.allowsAnyTokenPath) yield* validateFilePath(file, field);
}
