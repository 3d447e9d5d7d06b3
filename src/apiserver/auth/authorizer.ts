/**
 * Chains several authorizers: the first that allows a request decides.
 *
 * No authorizer can veto the others. A request that none allows is refused, with the reasons of all of them.
 */
import type { AccessDecision, Attributes, User } from '../objects/access.ts';
import { isMaster } from '../objects/groups.ts';
import type { PolicyRule } from './rbac/policy-rule.ts';

export interface Authorizer {
  authorize(user: User, attributes: Attributes): AccessDecision;
  /** The user's permissions in this namespace, as far as the authorizer can list them. */
  rulesFor(user: User, namespace: string): RulesFound;
}

export interface RulesFound {
  readonly rules: readonly PolicyRule[];
  /** True: the user has more permissions than those listed. */
  readonly isIncomplete: boolean;
  readonly errors: readonly string[];
}

export const ALLOWED: AccessDecision = { isAllowed: true, reason: '' };

export function deny(reason = ''): AccessDecision {
  return { isAllowed: false, reason };
}

export const alwaysAllow: Authorizer = {
  authorize: () => ALLOWED,
  rulesFor: () => ({
    rules: [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ],
    isIncomplete: false,
    errors: [],
  }),
};

/** Members of system:masters are always allowed, so that no configuration can lock everyone out. */
export function askInTurn(authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize: (user, attributes) => {
      if (isMaster(user)) return ALLOWED;
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        const decision = authorizer.authorize(user, attributes);
        if (decision.isAllowed) return decision;
        if (decision.reason !== '') reasons.push(decision.reason);
      }
      return deny(reasons.join('\n'));
    },
    rulesFor: (user, namespace) => {
      const found = authorizers.map((authorizer) => authorizer.rulesFor(user, namespace));
      return {
        rules: found.flatMap(({ rules }) => rules),
        isIncomplete: found.some(({ isIncomplete }) => isIncomplete),
        errors: found.flatMap(({ errors }) => errors),
      };
    },
  };
}

/** Joins error messages, without duplicates. */
export function joinErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
