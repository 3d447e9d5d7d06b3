/**
 * Applies the Impersonate- headers of a request: determines the impersonated user, and checks that the caller
 * may impersonate it.
 *
 * Either of two kinds of permission allows it. Unconstrained: the verb `impersonate` on the user, groups, UID
 * and extras. Constrained: the verb `impersonate:MODE` on the same, and also `impersonate-on:MODE:VERB` on
 * the object of the request. The constrained modes are tried first. If no mode allows it, the first refusal
 * is returned.
 */
import type { ApiHeaders } from '../../ports/api/http-handler.ts';
import type { AccessObserver, Attributes, User } from '../objects/access.ts';
import { accessDenied, badRequest, type StatusError } from '../objects/status.ts';
import type { Authorizer } from './authorizer.ts';
import { ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from '../objects/groups.ts';
import { modesFor, type Mode, type Takeover } from './impersonation-modes.ts';

const USER = 'impersonate-user';
const GROUP = 'impersonate-group';
const UID = 'impersonate-uid';
const EXTRA_PREFIX = 'impersonate-extra-';

export class Impersonation {
  readonly #authorizer: Authorizer;

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /**
   * The user as whom the request continues. Throws a StatusError if `user` may not impersonate it. `wanted`:
   * the object of the request.
   */
  resolve(
    user: User,
    headers: ApiHeaders,
    wanted: () => Attributes,
    observer?: AccessObserver,
  ): User {
    const caller = readHeaders(headers);
    if (!caller) return user;
    const attributes = wanted();
    let refusal: StatusError | null = null;
    for (const mode of modesFor(caller, user)) {
      const failed = this.#refuse(user, mode, attributes);
      if (!failed) {
        const becomes = withGroup(mode.becomes);
        observer?.impersonated(becomes, constraintOf(mode));
        return becomes;
      }
      refusal ??= failed;
    }
    throw refusal ?? badRequest('all impersonation modes failed');
  }

  /** The reason why the mode does not allow it. Null: it does. */
  #refuse(user: User, mode: Mode, attributes: Attributes): StatusError | null {
    const takeovers: readonly Takeover[] = mode.takeovers;
    const checks: readonly Takeover[] = mode.verbPrefix
      ? [
          { attributes: { ...attributes, verb: `${mode.verbPrefix}${attributes.verb}` } },
          ...takeovers,
        ]
      : takeovers;
    for (const { attributes: asked, refusal } of checks) {
      if (refusal !== undefined) return accessDenied(user.name, asked, refusal);
      const { isAllowed, reason } = this.#authorizer.authorize(user, asked);
      if (!isAllowed) return accessDenied(user.name, asked, reason);
    }
    return null;
  }
}

/** The name of the mode: `impersonate:MODE` for the verb prefix `impersonate-on:MODE:`. */
function constraintOf({ verbPrefix }: Mode): string {
  return verbPrefix ? verbPrefix.replace(/^impersonate-on:(.*):$/, 'impersonate:$1') : '';
}

/** Null: the request does not impersonate. */
function readHeaders(headers: ApiHeaders): User | null {
  const name = headers.get(USER) ?? '';
  const uid = headers.get(UID) ?? '';
  const groups = listOf(headers.get(GROUP));
  const extra = readExtra(headers);
  const hasMore = uid !== '' || groups.length > 0 || extra.size > 0;
  if (name === '' && hasMore) {
    throw badRequest(`requested ${describe(uid, groups, extra)} without impersonating a user name`);
  }
  if (name === '') return null;
  return {
    name,
    groups,
    ...(uid !== '' && { uid }),
    ...(extra.size > 0 && { extra: Object.fromEntries(extra) }),
  };
}

function readExtra(headers: ApiHeaders): ReadonlyMap<string, readonly string[]> {
  const extra = new Map<string, readonly string[]>();
  for (const [header, value] of headers) {
    const name = header.toLowerCase();
    if (!name.startsWith(EXTRA_PREFIX)) continue;
    const key = unescapeKey(name.slice(EXTRA_PREFIX.length));
    extra.set(key, [...(extra.get(key) ?? []), ...listOf(value)]);
  }
  return extra;
}

/** Repeated headers arrive as one, joined by commas. */
function listOf(value: string | null): readonly string[] {
  return value === null ? [] : value.split(', ');
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // a value with invalid escapes is taken as it is
  }
}

/** The user as Go prints kube-apiserver's struct. */
function describe(
  uid: string,
  groups: readonly string[],
  extra: ReadonlyMap<string, readonly string[]>,
): string {
  const list = (texts: readonly string[]): string =>
    `[]string{${texts.map((text) => JSON.stringify(text)).join(', ')}}`;
  const entries = [...extra].map(([key, values]) => `${JSON.stringify(key)}:${list(values)}`);
  const printedGroups = groups.length === 0 ? '[]string(nil)' : list(groups);
  const printedExtra = extra.size === 0 ? '(nil)' : `{${entries.toSorted().join(', ')}}`;
  return (
    `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, ` +
    `Groups:${printedGroups}, Extra:map[string][]string${printedExtra}}`
  );
}

function withGroup(user: User): User {
  const { name, groups } = user;
  if (name !== ANONYMOUS && groups.includes(UNAUTHENTICATED)) return user;
  const group = name === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED;
  return groups.includes(group) ? user : { ...user, groups: [...groups, group] };
}
