/**
 * Calls one webhook once, with kube-apiserver's error messages.
 *
 * A failed call throws a CallFailure, and the webhook's failure policy decides. A refusal is a normal result.
 */
import { uuidOf } from '../../../lib/uuid.ts';
import type { Json } from '../../../lib/json.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { IdentityRandom } from '../../../ports/random.ts';
import { StatusError } from '../../objects/status.ts';
import { readReview, reviewOf, type ReviewAnswer, type ReviewVersion } from './admission-review.ts';
import type { DynamicAttributes } from '../matching/dynamic-attributes.ts';
import type { Webhook } from './webhook-configurations.ts';
import { caBundleOf, messageOfFault, postToWebhook, type PostDeps } from './webhook-post.ts';
import { printExactJson } from '../../../lib/json-text/exact-json.ts';

export interface CallDeps extends PostDeps {
  readonly clock: Clock;
  readonly random: IdentityRandom & PostDeps['random'];
}

/** kube-apiserver's limit for all that one request waits for. */
const REQUEST_MS_MAX = 34_000;

/** The webhook gave no valid answer. The message says which webhook, and why. */
export class CallFailure extends Error {
  constructor(webhook: string, reason: string) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${reason}`);
  }
}

/** Throws a CallFailure, or a StatusError if the whole request is out of time. */
export async function callWebhook(
  webhook: Webhook,
  attributes: DynamicAttributes,
  isMutating: boolean,
  deps: CallDeps,
): Promise<ReviewAnswer> {
  const { name } = webhook;
  const version = webhook.reviewVersions.find(isKnown);
  if (!version) {
    const known = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    throw new CallFailure(name, `could not create admission objects: ${known}`);
  }
  const timeoutMs = Math.min(webhook.timeoutMs, remainingMs(attributes, deps.clock));
  if (timeoutMs <= 0) throw outOfTime();
  const uid = uuidOf(deps.random.bytes(16));
  const body = printExactJson(reviewOf(version, uid, attributes));
  const review = await post(webhook, body, timeoutMs, deps);
  try {
    return readReview(review, version, uid, isMutating);
  } catch (error) {
    throw new CallFailure(name, `received invalid webhook response: ${messageOfFault(error)}`);
  }
}

function isKnown(version: string): version is ReviewVersion {
  return version === 'v1' || version === 'v1beta1';
}

function remainingMs({ request }: DynamicAttributes, clock: Clock): number {
  const nowMs = clock.monotonic();
  return REQUEST_MS_MAX - (nowMs - (request.sinceMs ?? nowMs));
}

function outOfTime(): StatusError {
  const message =
    'Timeout: request did not complete within requested timeout - context deadline exceeded';
  return new StatusError(504, 'Timeout', message, {});
}

async function post(
  { name, client }: Webhook,
  body: string,
  timeoutMs: number,
  deps: CallDeps,
): Promise<Json> {
  let caBundle: string | null;
  try {
    caBundle = caBundleOf(client);
  } catch (error) {
    throw new CallFailure(name, `could not get REST client: ${messageOfFault(error)}`);
  }
  return postToWebhook(client, caBundle, body, timeoutMs, deps).catch((error: unknown) => {
    throw new CallFailure(name, `failed to call webhook: ${messageOfFault(error)}`);
  });
}
