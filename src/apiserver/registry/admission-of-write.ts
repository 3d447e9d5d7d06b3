/** Builds the admission request of a write, and passes the object through the stages of admission. */
import type { JsonObject } from '../../lib/json.ts';
import { MASTER } from '../objects/access.ts';
import type { AdmissionRequest } from './admission.ts';
import { NO_DYNAMIC_ADMISSION } from './dynamic-admission.ts';
import type { RegistryPorts } from './registry-ports.ts';
import type { Target, Writing } from './write-requests.ts';

/** When the request began, and a way to register work for the end of the attempt. */
export interface Attempt extends Pick<AdmissionRequest, 'whenOver'> {
  readonly sinceMs: number;
}

/** What happens to an object between the plugins and its storage. */
interface AdmissionSteps {
  /** Takes back what a webhook may not change: the fields of the server. */
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

/**
 * Plugins, then mutating webhooks and policies, then `complete`, then validating ones. A promise only if a webhook
 * or a policy is asked.
 */
export function admitWrite(
  ports: Pick<RegistryPorts, 'admission' | 'dynamicAdmission'>,
  asked: AdmissionRequest,
  steps: AdmissionSteps,
): JsonObject | Promise<JsonObject> {
  const { admission, dynamicAdmission: dynamic = NO_DYNAMIC_ADMISSION } = ports;
  const admitted = admission.admit(asked);
  const validate = (object: JsonObject): JsonObject | Promise<JsonObject> => {
    const completed = steps.complete(admission.allocate({ ...asked, object }));
    return dynamic.validate({ ...asked, object: completed })?.then(() => completed) ?? completed;
  };
  const reinvoke = (object: JsonObject): JsonObject =>
    admission.admit({ ...asked, object: steps.own(object) });
  const mutating = dynamic.mutate({ ...asked, object: admitted }, reinvoke);
  if (!mutating) return validate(admitted);
  return mutating.then((object) => validate(object === admitted ? object : steps.own(object)));
}

/** Asks webhooks and policies alone. */
export async function askDynamic(
  { dynamicAdmission: dynamic = NO_DYNAMIC_ADMISSION }: Pick<RegistryPorts, 'dynamicAdmission'>,
  request: AdmissionRequest,
): Promise<JsonObject> {
  const object = (await dynamic.mutate(request, (changed) => changed)) ?? request.object;
  await dynamic.validate({ ...request, object });
  return object;
}
