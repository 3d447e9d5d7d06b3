/**
 * Sends one POST to an admission or conversion webhook: by URL, or by a Service reference that the server
 * resolves itself. Its error messages are client-go's.
 */
import type { Json, JsonObject } from '../../../lib/json.ts';
import { readNumber, readText } from '../../../api/validation/json-reading.ts';
import type { WebhookCall, WebhookClient } from '../../../ports/api/webhook-client.ts';
import { readCaBundle } from '../../decode/ca-bundle.ts';
import { describeJsonFault } from '../../decode/json-fault.ts';
import { parseJson } from '../../decode/json-text.ts';
import { NestingError } from '../../decode/nesting.ts';
import { checkTextParts } from '../../decode/object-limits.ts';
import { structAt } from '../../objects/field-path.ts';
import { resolveService, type EndpointDeps } from './service-endpoint.ts';

export interface PostDeps extends EndpointDeps {
  /** Absent: this server calls no webhooks; every call fails. */
  readonly client: WebhookClient | undefined;
}

const MS_PER_SECOND = 1000;
const SECURE_PORT = 443;
const BODY_CHARS_MAX = 256;
/** Parsing blocks all other requests. A review has several objects at most. */
const ANSWER_PARTS_MAX = 200_000;

/** `config`: its clientConfig. Rejects with an Error that says why there is no answer. */
export async function postToWebhook(
  config: JsonObject,
  caBundle: string | null,
  body: string,
  timeoutMs: number,
  deps: PostDeps,
): Promise<Json> {
  const { url, reach } = targetOf(config, caBundle, timeoutMs, deps);
  const posted = async () => {
    if (!deps.client) throw new Error('this server has no client for webhooks');
    return deps.client.post({ ...(await reach()), body, timeoutMs });
  };
  const { status, body: text } = await posted().catch((error: unknown) => {
    throw new Error(`Post ${JSON.stringify(url)}: ${messageOfFault(error)}`, { cause: error });
  });
  if (status < 200 || status > 299) throw new Error(statusMessage(status, text));
  checkTextParts(text, ANSWER_PARTS_MAX);
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof NestingError)) throw error;
    const why = error instanceof NestingError ? error.message : describeJsonFault(text);
    throw new Error(`couldn't get version/kind; json parse error: ${why}`, { cause: error });
  }
}

/** Null: the authorities of the system. Throws an Error that says what is wrong with the bundle. */
export function caBundleOf(config: JsonObject): string | null {
  const encoded = readText(config['caBundle']);
  return encoded === '' ? null : readCaBundle(encoded);
}

export function messageOfFault(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface CallTarget {
  /** As errors show it. */
  readonly url: string;
  readonly reach: () => Promise<Omit<WebhookCall, 'body' | 'timeoutMs'>>;
}

/** The validation has checked the URL; a Service is resolved for each call. */
function targetOf(
  config: JsonObject,
  caBundle: string | null,
  timeoutMs: number,
  deps: PostDeps,
): CallTarget {
  const query = `?timeout=${Math.ceil(timeoutMs / MS_PER_SECOND)}s`;
  const text = readText(config['url']);
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
  const service = structAt(config, 'service');
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
