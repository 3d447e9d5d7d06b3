/**
 * Admission plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook.
 *
 * Mutating webhooks are called one after the other, each with the result of the previous one; validating
 * webhooks are called concurrently. The first refusal, in the order of the configurations, is the response.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import type { Log } from '../../../ports/log.ts';
import { parseJson } from '../../decode/json-text.ts';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '../../kinds/extension/admission-webhook.ts';
import { replayed } from '../../objects/conversion-replay.ts';
import { internalError, StatusError } from '../../objects/status.ts';
import type { AdmissionRequest } from '../../registry/admission.ts';
import type {
  MutatingStage,
  Reinvocation,
  ValidatingStage,
} from '../../registry/dynamic-admission.ts';
import { applyPatch } from '../../requests/patching.ts';
import { kindFor } from '../matching/criteria-match.ts';
import type { ReviewAnswer } from './admission-review.ts';
import {
  attributesOfRequest,
  backConverted,
  decodedAs,
  objectOfRequest,
  type DynamicAttributes,
} from '../matching/dynamic-attributes.ts';
import { CallFailure, callWebhook, type CallDeps } from './webhook-call.ts';
import { WebhookConfigurations, type Webhook } from './webhook-configurations.ts';
import { matchWebhook, type MatchDeps } from './webhook-match.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';
import { dryRunUnsupported, refusalOf } from './webhook-refusal.ts';

export interface WebhookDeps extends CallDeps, MatchDeps {
  readonly log: Log;
  readonly metrics: WebhookMetrics;
}

const HARMLESS: ReadonlySet<string> = new Set(['None', 'NoneOnDryRun']);

export class MutatingWebhooks implements MutatingStage {
  readonly #deps: WebhookDeps;
  readonly #webhooks: WebhookConfigurations;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
    this.#webhooks = new WebhookConfigurations(deps.store, mutatingWebhookConfigurations);
  }

  concerns(request: AdmissionRequest): boolean {
    return concernsAny(this.#webhooks.all(), request, this.#deps);
  }

  async mutate(
    request: AdmissionRequest,
    memory: Reinvocation,
    round: number,
  ): Promise<JsonObject> {
    let { object } = request;
    for (const [index, webhook] of this.#webhooks.all().entries()) {
      const attributes = attributesOfRequest({ ...request, object });
      const matching = replayed(() => matchWebhook(webhook, attributes, this.#deps));
      const seen = matching instanceof Promise ? await matching : matching;
      if (!seen || (round > 0 && !memory.isNeeded(webhook.id))) continue;
      const place = `round_${round}_index_${index}`;
      const changed = await this.#call(webhook, seen, place, { ...request, object });
      const isChanged = changed !== object;
      if (isChanged) memory.changed();
      if (webhook.isReinvocable) memory.invoked(webhook.id);
      object = changed;
    }
    return object;
  }

  /** The very same object if the webhook has not changed it. The audit event names the webhook either way. */
  async #call(
    webhook: Webhook,
    seen: DynamicAttributes,
    place: string,
    request: AdmissionRequest,
  ): Promise<JsonObject> {
    const domain = 'mutation.webhook.admission.k8s.io/';
    let isChanged = false;
    try {
      const answer = await ask(webhook, seen, 'admit', this.#deps, domain, place);
      const changed = answer
        ? await replayed(() => patched(webhook, answer, seen, request))
        : request.object;
      isChanged = !jsonEqual(changed, request.object);
      return isChanged ? changed : request.object;
    } finally {
      annotateMutation(request, webhook, place, isChanged);
    }
  }
}

export class ValidatingWebhooks implements ValidatingStage {
  readonly #deps: WebhookDeps;
  readonly #webhooks: WebhookConfigurations;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
    this.#webhooks = new WebhookConfigurations(deps.store, validatingWebhookConfigurations);
  }

  concerns(request: AdmissionRequest): boolean {
    return concernsAny(this.#webhooks.all(), request, this.#deps);
  }

  async validate(request: AdmissionRequest): Promise<void> {
    const attributes = attributesOfRequest(request);
    const matching = await replayed(() =>
      this.#webhooks.all().flatMap((webhook) => {
        const seen = matchWebhook(webhook, attributes, this.#deps);
        return seen ? [{ webhook, seen }] : [];
      }),
    );
    const calls = matching.map(({ webhook, seen }, index) =>
      ask(
        webhook,
        seen,
        'validating',
        this.#deps,
        'validating.webhook.admission.k8s.io/',
        `round_0_index_${index}`,
      ),
    );
    // All are waited for: none may still run when the request is answered.
    for (const result of await Promise.allSettled(calls)) {
      if (result.status === 'rejected') throw result.reason;
    }
  }
}

function concernsAny(
  webhooks: readonly Webhook[],
  request: AdmissionRequest,
  { catalog }: MatchDeps,
): boolean {
  if (webhooks.length === 0) return false;
  const attributes = attributesOfRequest(request);
  return webhooks.some((webhook) => kindFor(webhook, attributes, catalog) !== null);
}

/** Null: the webhook failed, and its failure is ignored. Throws a StatusError. */
async function ask(
  webhook: Webhook,
  seen: DynamicAttributes,
  type: 'admit' | 'validating',
  deps: WebhookDeps,
  domain: string,
  place: string,
): Promise<ReviewAnswer | null> {
  const { request, operation } = seen;
  const done = deps.metrics.begin(webhook.name, type, operation);
  if (request.dryRun && !HARMLESS.has(webhook.sideEffects)) {
    done('apiserver_internal_error', 0);
    throw dryRunUnsupported(webhook.name);
  }
  try {
    const answer = await callWebhook(webhook, seen, type === 'admit', deps);
    for (const [key, value] of answer.auditAnnotations) {
      request.annotate?.(`${webhook.name}/${key}`, value);
    }
    for (const warning of answer.warnings) request.warn?.(warning);
    if (!answer.isAllowed) throw refusalOf(webhook.name, answer.result);
    done(null, 200);
    return answer;
  } catch (error) {
    if (error instanceof StatusError) {
      done('no_error', error.code);
      throw error;
    }
    if (!(error instanceof CallFailure)) throw error;
    const details = { webhook: webhook.name, configuration: webhook.configuration, error };
    if (!webhook.isIgnored) {
      done('calling_webhook_error', 0);
      deps.log.warn('Failed calling webhook, failing closed', details);
      throw internalError(error.message);
    }
    done('fail_open', 0);
    deps.log.warn('Failed calling webhook, failing open', details);
    request.annotate?.(`failed-open.${domain}${place}`, webhook.name);
    return null;
  }
}

/** The request's object with the patch of the answer. */
function patched(
  webhook: Webhook,
  { patch, patchType }: ReviewAnswer,
  seen: DynamicAttributes,
  request: AdmissionRequest,
): JsonObject {
  const operations = patch === '' ? [] : readPatchText(webhook, patch);
  if (Array.isArray(operations) && operations.length === 0) return request.object;
  const name = JSON.stringify(webhook.name);
  if (!seen.object) {
    const why = 'attempted to modify the object, which is not supported for this operation';
    throw internalError(`admission webhook ${name} ${why}`);
  }
  if (patchType !== 'JSONPatch') {
    const why = `unsupported patch type ${JSON.stringify(patchType)}`;
    throw internalError(`failed calling webhook ${name}: ${why}`);
  }
  return decoded(seen, operations, request);
}

function readPatchText(webhook: Webhook, patch: string): Json {
  try {
    return parseJson(patch);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const why = `received undecodable patch in webhook response: ${error.message}`;
    throw internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${why}`);
  }
}

/** In the version that the webhook saw, with its defaults; then back in the version of the request. */
function decoded(seen: DynamicAttributes, body: Json, request: AdmissionRequest): JsonObject {
  const as = decodedAs(seen);
  try {
    const patch = { type: 'json', body, validation: 'Ignore' } as const;
    const changed = applyPatch(as, seen.object ?? {}, patch, () => {});
    const complete = as.rules.applyDefaults?.(changed) ?? changed;
    return objectOfRequest(request, backConverted(complete, seen));
  } catch (error) {
    if (error instanceof StatusError) throw internalError(error.message);
    throw error;
  }
}

function annotateMutation(
  { annotate }: AdmissionRequest,
  { name: webhook, configuration }: Webhook,
  place: string,
  mutated: boolean,
): void {
  const value = JSON.stringify({ configuration, webhook, mutated });
  annotate?.(`mutation.webhook.admission.k8s.io/${place}`, value);
}
