/**
 * Acting as somebody else, by the Impersonate- headers.
 *
 * There are two ways to be allowed to. The old one is the verb `impersonate` on each thing that is
 * taken over: the user, its groups, its UID, its extras. The newer ones also say what may be done
 * meanwhile: `impersonate:MODE` on the same things, and `impersonate-on:MODE:VERB` on what the request
 * is about. The newer ones are tried first, and if nothing helps, the first refusal is told.
 */
import type { ApiHeaders } from '../../ports/http-handler.ts';
import type { Attributes, User } from '../access.ts';
import { accessDenied, badRequest, type StatusError } from '../status.ts';
import type { Authorizer } from './authorizer.ts';
import { ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from './groups.ts';
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
   * Who acts from now on. Throws a StatusError if `user` may not act as whom they want.
   * `wanted`: what the request is about.
   */
  resolve(user: User, headers: ApiHeaders, wanted: () => Attributes): User {
    const somebody = readHeaders(headers);
    if (!somebody) return user;
    const attributes = wanted();
    let refusal: StatusError | null = null;
    for (const mode of modesFor(somebody, user)) {
      const failed = this.#refuse(user, mode, attributes);
      if (!failed) return withGroup(mode.becomes);
      refusal ??= failed;
    }
    throw refusal ?? badRequest('all impersonation modes failed');
  }

  /** Null: this mode allows it. */
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

/** Null: nobody else. */
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

/** A header that was sent several times comes as one, joined by commas. */
function listOf(value: string | null): readonly string[] {
  return value === null ? [] : value.split(', ');
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // what is not escaped properly is taken as it is
  }
}

/** As Go prints the struct in which kube-apiserver holds a user. */
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
