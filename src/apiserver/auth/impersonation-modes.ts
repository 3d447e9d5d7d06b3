/**
 * Lists the ways in which a request may be allowed to impersonate a user (the verb `impersonate`, and the
 * constrained modes), and the permissions that each of them needs.
 */
import { checkDns1123Subdomain } from '../../api/validation-names.ts';
import type { Attributes, ResourceAttributes, User } from '../objects/access.ts';
import { MASTERS, NODES, readNodeUsername } from '../objects/groups.ts';
import { groupsOf, readUsername } from './service-account-name.ts';

export interface Mode {
  /**
   * The prefix of the permission for the verb of the request itself, which a constrained mode also needs.
   * Null: the mode `impersonate`, which needs no such permission.
   */
  readonly verbPrefix: string | null;
  /** The user name, UID, groups and extras that are impersonated; each must be allowed. */
  readonly takeovers: readonly Takeover[];
  readonly becomes: User;
}

export interface Takeover {
  readonly attributes: Attributes;
  /** Present: always refused, for this reason. */
  readonly refusal?: string;
}

const AUTHENTICATION = 'authentication.k8s.io';
const NODE_NAME = 'authentication.kubernetes.io/node-name';

/** The modes that apply, in the order in which they are tried. */
export function modesFor(caller: User, asker: User): readonly Mode[] {
  const node = nodeOf(caller);
  const account = readUsername(caller.name);
  const isPlain = isOnlyName(caller);
  const modes: Mode[] = [];
  if (isPlain && node !== null) {
    if (isAssociated(asker, node)) modes.push(constrainedMode('associated-node', caller, '*'));
    modes.push(constrainedMode('arbitrary-node', caller, node));
  }
  if (isPlain && account) modes.push(constrainedMode('serviceaccount', caller, account.name));
  if (node === null && !account) modes.push(constrainedMode('user-info', caller, caller.name));
  return [...modes, oldMode(caller)];
}

function constrainedMode(mode: string, caller: User, name: string): Mode {
  const ask = asking(`impersonate:${mode}`, AUTHENTICATION);
  return {
    verbPrefix: `impersonate-on:${mode}:`,
    takeovers: [
      { attributes: nameAttributes(ask, caller.name, name) },
      ...uidTakeovers(ask, caller),
      ...caller.groups.map((group): Takeover => {
        const attributes = ask('groups', group);
        if (group === '') {
          return { attributes, refusal: 'impersonating the empty string group is not allowed' };
        }
        if (group !== MASTERS) return { attributes };
        return { attributes, refusal: 'impersonating the system:masters group is not allowed' };
      }),
      ...extraTakeovers(ask, caller),
    ],
    becomes: withFixedGroups(caller, nodeOf(caller) !== null),
  };
}

function oldMode(caller: User): Mode {
  const ask = asking('impersonate', '');
  const askMore = asking('impersonate', AUTHENTICATION);
  const account = readUsername(caller.name);
  const name = account
    ? { ...ask('serviceaccounts', account.name), namespace: account.namespace }
    : ask('users', caller.name);
  return {
    verbPrefix: null,
    takeovers: [
      { attributes: name },
      ...uidTakeovers(askMore, caller),
      ...caller.groups.map((group) => ({ attributes: ask('groups', group) })),
      ...extraTakeovers(askMore, caller),
    ],
    becomes: withFixedGroups(caller, false),
  };
}

type Ask = (resource: string, name: string, subresource?: string) => ResourceAttributes;

function asking(verb: string, group: string): Ask {
  return (resource, name, subresource = '') => ({
    verb,
    group,
    version: 'v1',
    resource,
    subresource,
    namespace: '',
    name,
  });
}

function nameAttributes(ask: Ask, username: string, name: string): ResourceAttributes {
  const account = readUsername(username);
  if (account) return { ...ask('serviceaccounts', account.name), namespace: account.namespace };
  return ask(readNode(username) === null ? 'users' : 'nodes', name);
}

function uidTakeovers(ask: Ask, { uid }: User): readonly Takeover[] {
  return uid === undefined ? [] : [{ attributes: ask('uids', uid) }];
}

function extraTakeovers(ask: Ask, { extra = {} }: User): readonly Takeover[] {
  return Object.entries(extra).flatMap(([key, values]) =>
    values.map((value) => ({ attributes: ask('userextras', value, key) })),
  );
}

/** Adds the groups that service accounts always have; in the constrained modes, also those of nodes. */
function withFixedGroups(caller: User, isNode: boolean): User {
  if (isNode) return { ...caller, groups: [NODES] };
  const account = readUsername(caller.name);
  const isFixed = account !== null && caller.groups.length === 0;
  return isFixed ? { ...caller, groups: groupsOf(account) } : caller;
}

function isOnlyName({ uid, groups, extra = {} }: User): boolean {
  return uid === undefined && groups.length === 0 && Object.keys(extra).length === 0;
}

function nodeOf({ name }: User): string | null {
  return readNode(name);
}

function readNode(username: string): string | null {
  const node = readNodeUsername(username);
  return node !== null && checkDns1123Subdomain(node).length === 0 ? node : null;
}

/** Whether the user is a service account whose token was issued to a pod on that node. */
function isAssociated({ name, extra = {} }: User, node: string): boolean {
  const nodes = Object.hasOwn(extra, NODE_NAME) ? extra[NODE_NAME] : undefined;
  return readUsername(name) !== null && nodes?.length === 1 && nodes[0] === node;
}
