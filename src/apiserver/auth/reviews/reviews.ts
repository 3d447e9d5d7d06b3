/**
 * The handlers of all reviews (TokenReview, SubjectAccessReview and so on), which are answered and not
 * stored.
 */
import { formatTime } from '../../../api/values/time.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { User } from '../../objects/access.ts';
import type { Action, ActionAnswer, Actions } from '../../objects/action.ts';
import type { Authenticator } from '../authenticator.ts';
import { joinErrors, type Authorizer } from '../authorizer.ts';
import type { PolicyRule } from '../rbac/policy-rule.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { printedForm } from '../../objects/printed-form.ts';
import { readStruct, readText, readTexts } from '../../../api/validation/json-reading.ts';
import { badRequest } from '../../objects/status.ts';
import { reviewLocalSubject, reviewSelf, reviewSubject } from './access-reviews.ts';

export interface ReviewParts {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** The audiences of this server. */
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

/** SelfSubjectRulesReview: lists the user's permissions in a namespace. */
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
    // As in kube-apiserver, the spec is not returned.
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

/** TokenReview: authenticates a token. */
function reviewToken(authenticator: Authenticator, ownAudiences: readonly string[]): Action {
  return async ({ definition, body }) => {
    const { token, audiences } = readStruct(body['spec']);
    if (readText(token) === '')
      throw badRequest('token is required for TokenReview in authentication');
    const asked = readTexts(audiences);
    const review = authenticator.review(readText(token), asked.length === 0 ? ownAudiences : asked);
    const status =
      'user' in review
        ? { authenticated: true, user: printUser(review.user), audiences: review.audiences }
        : { error: review.refusal };
    return print(definition, { ...body, status });
  };
}

/** SelfSubjectReview: returns the user's own attributes. */
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
