/** Builds the options of an operation (such as CreateOptions) as an API object, for webhooks and policies. */
import type { JsonObject } from '../../lib/json.ts';

const API_VERSION = 'meta.k8s.io/v1';

export function operationOptions(
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  query: URLSearchParams,
): JsonObject {
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  return {
    kind,
    apiVersion: API_VERSION,
    ...(dryRun.length > 0 && { dryRun }),
    ...(query.get('force') === 'true' && kind === 'PatchOptions' && { force: true }),
    ...(fieldManager !== '' && { fieldManager }),
    ...(fieldValidation !== '' && { fieldValidation }),
  };
}

/** From the body of a delete, or from its query if there is no body. */
export function deletionOptions(body: JsonObject, query: URLSearchParams): JsonObject {
  const { kind: _kind, apiVersion: _version, ...given } = body;
  const grace = Number(query.get('gracePeriodSeconds') ?? Number.NaN);
  const propagationPolicy = query.get('propagationPolicy') ?? '';
  const dryRun = query.getAll('dryRun');
  const fromQuery = {
    ...(Number.isInteger(grace) && { gracePeriodSeconds: grace }),
    ...(propagationPolicy !== '' && { propagationPolicy }),
    ...(dryRun.length > 0 && { dryRun }),
  };
  const options = Object.keys(given).length > 0 ? given : fromQuery;
  return { kind: 'DeleteOptions', apiVersion: API_VERSION, ...options };
}
