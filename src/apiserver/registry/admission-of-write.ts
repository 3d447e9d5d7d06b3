/** Builds the admission request of a write. */
import type { JsonObject } from '../../lib/json.ts';
import { MASTER } from '../objects/access.ts';
import type { AdmissionRequest } from './admission.ts';
import type { Target, Writing } from './registry.ts';

/** When the request began, and a way to register work for the end of the attempt. */
export interface Attempt extends Pick<AdmissionRequest, 'whenOver'> {
  readonly sinceMs: number;
}

/** The steps between the admission plugins and storing the object. */
export interface AdmissionSteps {
  /** Restores the fields that webhooks may not change, because the server sets them. */
  readonly own: (object: JsonObject) => JsonObject;
  /** Validates the object, and converts it to its final form. */
  readonly complete: (object: JsonObject) => JsonObject;
}

/** The admission request of a write; a create by default. */
export function admissionOf(
  request: Target & Writing & Partial<Attempt> & { readonly subresource?: string | null },
): Omit<AdmissionRequest, 'object'> {
  const { definition, namespace, name, user = MASTER, dryRun = false, warn, annotate } = request;
  const { subresource = null, options, isExempt, sinceMs, whenOver } = request;
  const target = { definition, subresource, namespace, name };
  const more = { warn, annotate, options, isExempt, sinceMs, whenOver };
  return { verb: 'create', ...target, user, dryRun, old: null, ...more };
}
