/**
 * Calls one webhook once, with kube-apiserver's error messages.
 *
 * A failed call throws a CallFailure, and the webhook's failure policy decides. A refusal is a normal result.
 */
import { uuidOf } from '../../../lib/uuid.ts';
import type { Json } from '../../../lib/json.ts';
import { readNumber, readText } from '../../../api/validation/json-reading.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { WebhookCall, WebhookClient } from '../../../ports/api/webhook-client.ts';
import type { IdentityRandom } from '../../../ports/random.ts';
import { describeJsonFault } from '../../decode/json-fault.ts';
import { parseJson } from '../../decode/json-text.ts';
import { NestingError } from '../../decode/nesting.ts';
import { structAt } from '../../objects/field-path.ts';
import { StatusError } from '../../objects/status.ts';
import { readReview, reviewOf, type ReviewAnswer, type ReviewVersion } from './admission-review.ts';
import { readCaBundle } from './ca-bundle.ts';
import type { DynamicAttributes } from '../matching/dynamic-attributes.ts';
import { resolveService, type EndpointDeps } from './service-endpoint.ts';
import type { Webhook } from './webhook-configurations.ts';
import { printExactJson } from '../../../lib/json-text/exact-json.ts';

export interface CallDeps extends EndpointDeps {
  readonly clock: Clock;
  readonly random: IdentityRandom & EndpointDeps['random'];
  /** Absent: this server calls no webhooks; the failure policy decides. */
  readonly client: WebhookClient | undefined;
}

/** kube-apiserver's limit for all that one request waits for. */
const REQUEST_MS_MAX = 34_000;
const MS_PER_SECOND = 1000;
const SECURE_PORT = 443;
const BODY_CHARS_MAX = 256;

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
    throw new CallFailure(name, `received invalid webhook response: ${messageOf(error)}`);
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
  webhook: Webhook,
  body: string,
  timeoutMs: number,
  deps: CallDeps,
): Promise<Json> {
  const { url, reach } = targetOf(webhook, caBundleOf(webhook), timeoutMs, deps);
  const fail = (reason: string): CallFailure =>
    new CallFailure(webhook.name, `failed to call webhook: ${reason}`);
  const posted = async () => {
    if (!deps.client) throw new Error('this server has no client for webhooks');
    return deps.client.post({ ...(await reach()), body, timeoutMs });
  };
  const { status, body: text } = await posted().catch((error: unknown) => {
    throw fail(`Post ${JSON.stringify(url)}: ${messageOf(error)}`);
  });
  if (status < 200 || status > 299) throw fail(statusMessage(status, text));
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof NestingError)) throw error;
    const why = error instanceof NestingError ? error.message : describeJsonFault(text);
    throw fail(`couldn't get version/kind; json parse error: ${why}`);
  }
}

/** Null: the authorities of the system. */
function caBundleOf({ name, client }: Webhook): string | null {
  const encoded = readText(client['caBundle']);
  try {
    return encoded === '' ? null : readCaBundle(encoded);
  } catch (error) {
    throw new CallFailure(name, `could not get REST client: ${messageOf(error)}`);
  }
}

interface CallTarget {
  /** As errors show it. */
  readonly url: string;
  readonly reach: () => Promise<Omit<WebhookCall, 'body' | 'timeoutMs'>>;
}

/** The validation has checked the URL; a Service is resolved for each call. */
function targetOf(
  { client }: Webhook,
  caBundle: string | null,
  timeoutMs: number,
  deps: CallDeps,
): CallTarget {
  const query = `?timeout=${Math.ceil(timeoutMs / MS_PER_SECOND)}s`;
  const text = readText(client['url']);
  if (text !== '') {
    const { hostname, port, pathname } = new URL(text);
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const path = `${pathname}${query}`;
    const number = port === '' ? SECURE_PORT : Number(port);
    return {
      url: `${text}${text === new URL(text).origin ? '/' : ''}${query}`,
      reach: async () => ({ host, port: number, path, serverName: host, caBundle }),
    };
  }
  const service = structAt(client, 'service');
  const reference = {
    namespace: readText(service['namespace']),
    name: readText(service['name']),
    port: readNumber(service['port']) || SECURE_PORT,
  };
  const serverName = `${reference.name}.${reference.namespace}.svc`;
  const path = `${readText(service['path']) || '/'}${query}`;
  return {
    url: `https://${serverName}:${reference.port}${path}`,
    reach: async () => {
      const { host, port } = await resolveService(deps, reference);
      return { host, port, path, serverName, caBundle };
    },
  };
}

/** As client-go words an answer that is no success. */
function statusMessage(status: number, body: string): string {
  if (status === 404) return 'the server could not find the requested resource';
  if (status === 401) return 'the server has asked for the client to provide credentials';
  if (status >= 300 && status < 400)
    return `the server redirects (status ${status}), which is not followed`;
  if (status < 500)
    return `the server rejected our request for an unknown reason (status ${status})`;
  const shown = body.trim().slice(0, BODY_CHARS_MAX);
  const why = shown === '' ? 'unknown' : shown;
  return `an error on the server (${JSON.stringify(why)}) has prevented the request from succeeding`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
