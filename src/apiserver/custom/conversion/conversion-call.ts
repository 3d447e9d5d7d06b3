/**
 * Calls a conversion webhook once and checks its response, with kube-apiserver's error messages.
 */
import { uuidOf } from '../../../lib/uuid.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import type { Log } from '../../../ports/log.ts';
import type { IdentityRandom } from '../../../ports/random.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import { internalFailure, type StatusError } from '../../objects/status.ts';
import type { ConversionFailure, ConversionMetrics } from './conversion-metrics.ts';
import {
  conversionReviewText,
  readConversionReview,
  reviewVersionOf,
} from './conversion-review.ts';
import { checkConverted, ConvertedFault } from './converted-object.ts';

/** The webhook of a CustomResourceDefinition. */
export interface ConversionWebhook {
  /** Of the definition. */
  readonly definition: string;
  /** Its `clientConfig`: a URL, or a Service. */
  readonly client: JsonObject;
  readonly reviewVersions: readonly string[];
}

/** Sends a review to a webhook. Rejects with an Error that says why there is no answer. */
export type PostReview = (client: JsonObject, body: string, timeoutMs: number) => Promise<Json>;

export interface ConversionCallDeps {
  readonly random: IdentityRandom;
  readonly log: Log;
  readonly metrics: ConversionMetrics;
  readonly post: PostReview;
}

/** Objects for one review, and each as text. */
export interface ReviewedObjects {
  readonly objects: readonly JsonObject[];
  readonly texts: readonly string[];
}

/** The objects in their order. Rejects with a StatusError. */
export async function callConversionWebhook(
  webhook: ConversionWebhook,
  { objects, texts }: ReviewedObjects,
  apiVersion: string,
  timeoutMs: number,
  deps: ConversionCallDeps,
): Promise<readonly JsonObject[]> {
  const from = readText(objects[0]?.['apiVersion']);
  const what = `${from}, Kind=${readText(objects[0]?.['kind'])}`;
  const version = reviewVersionOf(webhook.reviewVersions);
  if (!version) throw internalFailure('no supported conversion review versions');
  const labels = { crd: webhook.definition, from: versionIn(from), to: versionIn(apiVersion) };
  const done = deps.metrics.begin(labels);
  const failed = (type: ConversionFailure, why: string): StatusError => {
    done(type);
    const error = internalFailure(`conversion webhook for ${what} ${why}`);
    deps.log.warn('Failed calling conversion webhook', { ...labels, error });
    return error;
  };
  const uid = uuidOf(deps.random.bytes(16));
  const body = conversionReviewText(version, uid, texts, apiVersion);
  const review = await deps.post(webhook.client, body, timeoutMs).catch((error: unknown) => {
    throw failed('conversion_webhook_call_failure', `failed: ${messageOf(error)}`);
  });
  let returned: readonly Json[];
  try {
    returned = readConversionReview(review, version, uid);
  } catch (error) {
    const type = 'conversion_webhook_malformed_response_failure';
    throw failed(type, `failed: ${messageOf(error)}`);
  }
  if (returned.length !== objects.length) {
    const why = `returned ${returned.length} objects, expected ${objects.length}`;
    throw failed('conversion_webhook_partial_response_failure', why);
  }
  const converted = objects.map((object, index) => {
    try {
      return checkConverted(object, returned[index] ?? null, apiVersion);
    } catch (error) {
      if (!(error instanceof ConvertedFault)) throw error;
      const why = describeFault(error, index, objects.length === 1);
      throw failed('conversion_webhook_invalid_converted_object_failure', why);
    }
  });
  done(null);
  return converted;
}

function describeFault({ part, message }: ConvertedFault, index: number, isOnly: boolean): string {
  if (!isOnly) {
    return part === 'metadata'
      ? `returned invalid metadata in object at index ${index}: ${message}`
      : `returned invalid converted object at index ${index}: ${message}`;
  }
  if (part === 'metadata') return `returned invalid metadata: ${message}`;
  if (part === 'identity') return `returned invalid object: ${message}`;
  return `returned invalid object at index 0: ${message}`;
}

function versionIn(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
