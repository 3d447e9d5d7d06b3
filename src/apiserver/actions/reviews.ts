/** All reviews: questions about users and what they may do, which are answered and not kept. */
import { formatTime } from '../../api/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { User } from '../access.ts';
import type { Action, ActionAnswer, Actions } from '../action.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { joinErrors, type Authorizer } from '../auth/authorizer.ts';
import type { PolicyRule } from '../auth/rbac/policy-rule.ts';
import type { KindDefinition } from '../kind.ts';
import { printedForm } from '../kinds/printed-form.ts';
import { readStruct, readText, readTexts } from '../kinds/validation/json-reading.ts';
import { badRequest } from '../status.ts';
import { reviewLocalSubject, reviewSelf, reviewSubject } from './access-reviews.ts';

export interface ReviewParts {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** Of this server. */
  readonly audiences: readonly string[];
}

export function reviewActions(clock: Clock, parts: ReviewParts): Actions {
  const { authenticator, authorizer, audiences } = parts;
  return new Map([
    ['authorization.k8s.io/subjectaccessreviews', reviewSubject(authorizer)],
    ['authorization.k8s.io/selfsubjectaccessreviews', reviewSelf(authorizer)],
    ['authorization.k8s.io/localsubjectaccessreviews', reviewLocalSubject(authorizer)],
    ['authorization.k8s.io/selfsubjectrulesreviews', reviewRules(authorizer)],
    ['authentication.k8s.io/tokenreviews', reviewToken(authenticator, audiences)],
    ['authentication.k8s.io/selfsubjectreviews', reviewWho(clock)],
  ]);
}

/** What may I do in this namespace? */
function reviewRules(authorizer: Authorizer): Action {
  return async ({ definition, body, user }) => {
    const namespace = readText(readStruct(body['spec'])['namespace']);
    if (namespace === '') throw badRequest('no namespace on request');
    const { rules, isIncomplete, errors } = authorizer.rulesFor(user, namespace);
    const status = {
      resourceRules: rules.filter(({ resources }) => resources).map(resourceRule),
      nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs).map(pathRule),
      incomplete: isIncomplete,
      ...(errors.length > 0 && { evaluationError: joinErrors(errors) }),
    };
    // The question is not given back.
    return { code: 201, body: { ...typeOf(definition), metadata: {}, spec: {}, status } };
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): JsonObject {
  return {
    verbs,
    ...(apiGroups && { apiGroups }),
    ...(resources && { resources }),
    ...(resourceNames && { resourceNames }),
  };
}

function pathRule({ verbs, nonResourceURLs }: PolicyRule): JsonObject {
  return { verbs, ...(nonResourceURLs && { nonResourceURLs }) };
}

/** Whose token is this? */
function reviewToken(authenticator: Authenticator, ownAudiences: readonly string[]): Action {
  return async ({ definition, body }) => {
    const { token, audiences } = readStruct(body['spec']);
    if (readText(token) === '')
      throw badRequest('token is required for TokenReview in authentication');
    const asked = readTexts(audiences);
    const verdict = authenticator.review(
      readText(token),
      asked.length === 0 ? ownAudiences : asked,
    );
    const status =
      'user' in verdict
        ? { authenticated: true, user: printUser(verdict.user), audiences: verdict.audiences }
        : { error: verdict.refusal };
    return print(definition, { ...body, status });
  };
}

/** Who am I? */
function reviewWho(clock: Clock): Action {
  return async ({ definition, user }) =>
    print(definition, {
      metadata: { creationTimestamp: formatTime(clock.now()) },
      status: { userInfo: printUser(user) },
    });
}

function printUser({ name, uid, groups, extra }: User): JsonObject {
  return {
    username: name,
    ...(uid !== undefined && { uid }),
    groups,
    ...(extra && Object.keys(extra).length > 0 && { extra: { ...extra } }),
  };
}

function print(definition: KindDefinition, object: JsonObject): ActionAnswer {
  const whole = { ...object, ...typeOf(definition) };
  return { code: 201, body: definition.type ? printedForm(whole, definition.type) : whole };
}

function typeOf({ group, version, kind }: KindDefinition): JsonObject {
  return { kind, apiVersion: `${group}/${version}` };
}
