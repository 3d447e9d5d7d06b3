/**
 * Lists all objects of a kind, or a page of them, from one snapshot.
 *
 * Each page except the last has a continue token with the revision of the snapshot and the key of its last
 * object, so that all pages together are one list. When the snapshot is no longer in the history, the client
 * gets 410. It then starts over, or continues with the token in that response, which has no revision: with
 * that token, the client gets the rest of the list from the current state.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ListPage, ObjectStore } from '../../ports/api/object-store.ts';
import { describeJsonFault } from '../decode/json-fault.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { textOf } from '../objects/metadata.ts';
import type { ListOptions } from '../requests/options.ts';
import { prefixOf } from './registry.ts';
import { selectionOf } from './selection.ts';
import { badRequest, expired, StatusError } from '../objects/status.ts';
import { fromStored } from '../objects/stored-form.ts';

export interface Listing {
  readonly items: readonly JsonObject[];
  readonly metadata: JsonObject;
}

/** How many objects are read at once to fill a page. */
const CHUNK = 500;
const TOKEN_VERSION = 'meta.k8s.io/v1';
/** In a token: the list continues with the current state. */
const ANY_REVISION = -1;
const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list ' +
  'without the continue parameter, or use the continue token in this response to retrieve the remainder of ' +
  'the results. Continuing with the provided token results in an inconsistent list - objects that were ' +
  'created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** How many selector requirements are evaluated before other requests get their turn. */
const CHECKS_PER_TURN = 20_000;

export async function listInTurns(
  store: ObjectStore,
  definition: KindDefinition,
  namespace: string,
  options: ListOptions,
  clock: Clock,
): Promise<Listing> {
  const checksEach = 1 + options.labels.length + options.fields.length;
  let checks = 0;
  const selects = selectionOf(definition, options, null);
  const prefix = prefixOf(definition, namespace);
  const isFiltered = options.labels.length > 0 || options.fields.length > 0;
  // resourceVersion 0 means any version: kube-apiserver returns the whole list from its cache.
  const limit = options.resourceVersion === 0 ? null : options.limit;
  let { revision, after } = startOf(store, options);
  const items: JsonObject[] = [];
  for (;;) {
    const wanted = limit === null ? undefined : isFiltered ? CHUNK : limit;
    const page = read(store, prefix, { revision, after, limit: wanted });
    revision = page.revision;
    const reading = readByWebhook(definition, page);
    const converted = reading && (await reading);
    for (const [index, { key, value: stored }] of page.objects.entries()) {
      checks += checksEach;
      if (checks > CHECKS_PER_TURN) {
        checks = 0;
        await clock.turn?.();
      }
      const value = converted?.[index] ?? fromStored(definition, stored);
      if (!selects(value)) continue;
      items.push(value);
      const isLast = index === page.objects.length - 1 && page.remaining === 0;
      if (limit !== null && items.length === limit && !isLast) {
        const remaining = page.objects.length - index - 1 + page.remaining;
        return {
          items,
          metadata: {
            resourceVersion: String(revision),
            continue: makeToken(revision, key),
            ...(!isFiltered && { remainingItemCount: remaining }),
          },
        };
      }
    }
    const last = page.objects.at(-1);
    if (page.remaining === 0 || !last) break;
    after = last.key;
  }
  return { items, metadata: { resourceVersion: String(revision) } };
}

/** Null: the objects need no webhook. */
function readByWebhook(
  { storedAs }: KindDefinition,
  { objects }: ListPage,
): Promise<readonly JsonObject[]> | null {
  return storedAs?.webhook?.readAll(objects.map(({ value }) => value)) ?? null;
}

function startOf(
  store: ObjectStore,
  { continue: token, resourceVersion, resourceVersionMatch, limit }: ListOptions,
): { revision: number | undefined; after: string | undefined } {
  if (token !== null) return readToken(token);
  // A page with a resourceVersion and without resourceVersionMatch is of exactly this version.
  const isExact =
    resourceVersionMatch === 'Exact' || (resourceVersionMatch === null && limit !== null);
  checkVersionReached(store, resourceVersion, !isExact);
  const isSet = resourceVersion !== null && resourceVersion > 0;
  return { revision: isExact && isSet ? resourceVersion : undefined, after: undefined };
}

/**
 * Throws a StatusError for a resourceVersion in the future. kube-apiserver waits three seconds for it; here
 * no other server writes, so waiting would not help. `hasRetry`: the response asks the client to retry.
 */
export function checkVersionReached(
  store: ObjectStore,
  version: number | null,
  hasRetry = true,
): void {
  if (version === null || version <= store.revision) return;
  const message = `Timeout: Too large resource version: ${version}, current: ${store.revision}`;
  throw new StatusError(504, 'Timeout', message, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...(hasRetry && { retryAfterSeconds: 1 }),
  });
}

function read(
  store: ObjectStore,
  prefix: string,
  options: { revision: number | undefined; after: string | undefined; limit: number | undefined },
): ListPage {
  const { revision, after, limit } = options;
  try {
    return store.list(prefix, {
      strict: true,
      ...(revision !== undefined && { revision }),
      ...(after !== undefined && { after }),
      ...(limit !== undefined && { limit }),
    });
  } catch (error) {
    if (!(error instanceof PodkeepError) || error.code !== 'REVISION_TOO_OLD') throw error;
    if (after === undefined) {
      throw expired('The resourceVersion for the provided list is too old.');
    }
    throw expired(CONTINUE_TOO_OLD, makeToken(ANY_REVISION, after));
  }
}

function makeToken(revision: number, key: string): string {
  return Buffer.from(JSON.stringify({ v: TOKEN_VERSION, rv: revision, start: key })).toString(
    'base64url',
  );
}

function readToken(token: string): { revision: number | undefined; after: string } {
  const strange = strangeByteOf(token);
  if (strange !== undefined) {
    throw invalidToken(`: illegal base64 data at input byte ${strange}`);
  }
  const text = Buffer.from(token, 'base64url').toString();
  const { v, rv, start } = parseToken(text);
  if (v !== TOKEN_VERSION) {
    throw invalidToken(`: server does not recognize this encoded version ${textOf(v)}`);
  }
  if (typeof rv !== 'number' || rv === 0) {
    throw invalidToken(`: incorrect encoded start resourceVersion (version ${TOKEN_VERSION})`);
  }
  if (typeof start !== 'string' || start === '') {
    throw invalidToken(`: encoded start key empty (version ${TOKEN_VERSION})`);
  }
  return { revision: rv === ANY_REVISION ? undefined : rv, after: start };
}

function parseToken(text: string): JsonObject {
  try {
    const value: Json = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    throw invalidToken(`: ${describeJsonFault(text)}`);
  }
  throw invalidToken('');
}

function invalidToken(why: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid${why}`);
}

/** The position at which a text stops being base64. A single last character encodes nothing. */
function strangeByteOf(token: string): number | undefined {
  const at = token.search(/[^A-Za-z0-9_-]/);
  if (at >= 0) return at;
  return token.length % 4 === 1 ? token.length - 1 : undefined;
}
