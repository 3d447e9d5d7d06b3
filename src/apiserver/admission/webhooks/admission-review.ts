/**
 * Builds the AdmissionReview request for a webhook, and parses and checks the webhook's response as
 * kube-apiserver does.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { readText, readTexts } from '../../../api/validation/json-reading.ts';
import type { DynamicAttributes } from '../matching/dynamic-attributes.ts';
import { requestFields } from '../matching/expression-input.ts';

export type ReviewVersion = 'v1' | 'v1beta1';

export interface ReviewAnswer {
  readonly isAllowed: boolean;
  /** JSON patch operations as text; empty: nothing is to be changed. */
  readonly patch: string;
  readonly patchType: string;
  readonly result: JsonObject;
  readonly warnings: readonly string[];
  readonly auditAnnotations: readonly (readonly [string, string])[];
}

export function reviewOf(
  version: ReviewVersion,
  uid: string,
  attributes: DynamicAttributes,
): JsonObject {
  const { options, dryRun, ...fields } = requestFields(attributes);
  const { object, oldObject } = attributes;
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      ...fields,
      object,
      oldObject,
      dryRun: dryRun ?? false,
      options: options ?? null,
    },
  };
}

/** Throws an Error that says what is wrong with the answer. */
export function readReview(
  review: Json,
  version: ReviewVersion,
  uid: string,
  isMutating: boolean,
): ReviewAnswer {
  const response = isJsonObject(review) ? review['response'] : undefined;
  if (!isJsonObject(review) || !isJsonObject(response)) {
    throw new Error('webhook response was absent');
  }
  const { patch: encoded, patchType } = response;
  if (version === 'v1') {
    checkIdentity(review, response, uid);
    checkPatch(encoded, patchType, isMutating);
  }
  const patch = isMutating ? Buffer.from(readText(encoded), 'base64').toString() : '';
  return {
    isAllowed: response['allowed'] === true,
    patch,
    patchType: version === 'v1' ? readText(patchType) : patch === '' ? '' : 'JSONPatch',
    result: isJsonObject(response['status']) ? response['status'] : {},
    warnings: readTexts(response['warnings']),
    auditAnnotations: textEntries(response['auditAnnotations']),
  };
}

function checkIdentity(review: JsonObject, response: JsonObject, uid: string): void {
  const given = readText(response['uid']);
  if (given !== uid) {
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`);
  }
  const wanted = 'admission.k8s.io/v1, Kind=AdmissionReview';
  const found = `${readText(review['apiVersion'])}, Kind=${readText(review['kind'])}`;
  if (found !== wanted) throw new Error(`expected webhook response of ${wanted}, got ${found}`);
}

function checkPatch(
  patch: Json | undefined,
  patchType: Json | undefined,
  isMutating: boolean,
): void {
  const hasPatch = readText(patch) !== '';
  const hasType = patchType !== undefined && patchType !== null;
  if (!isMutating) {
    if (hasPatch) throw new Error('validating webhook may not return response.patch');
    if (hasType) throw new Error('validating webhook may not return response.patchType');
    return;
  }
  if (hasPatch && !hasType) {
    throw new Error('webhook returned response.patch but not response.patchType');
  }
  if (!hasPatch && hasType) {
    throw new Error('webhook returned response.patchType but not response.patch');
  }
  if (hasType && patchType === '') {
    throw new Error('webhook returned invalid response.patchType of ""');
  }
}

function textEntries(value: Json | undefined): readonly (readonly [string, string])[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, text]) =>
    typeof text === 'string' ? [[key, text] as const] : [],
  );
}
