/**
 * Defines the kinds of reviews (TokenReview, SubjectAccessReview and so on), which are answered and not
 * stored.
 */
import type { KindDefinition } from '../../objects/kind.ts';
import { plainKind } from '../../objects/plain-kind.ts';

const AUTHENTICATION = 'authentication.k8s.io/v1';
const AUTHORIZATION = 'authorization.k8s.io/v1';

export const tokenReviews = review(AUTHENTICATION, 'TokenReview');
export const selfSubjectReviews = review(AUTHENTICATION, 'SelfSubjectReview');
export const subjectAccessReviews = review(AUTHORIZATION, 'SubjectAccessReview');
export const selfSubjectAccessReviews = review(AUTHORIZATION, 'SelfSubjectAccessReview');
export const localSubjectAccessReviews = review(AUTHORIZATION, 'LocalSubjectAccessReview');
export const selfSubjectRulesReviews = review(AUTHORIZATION, 'SelfSubjectRulesReview');

function review(apiVersion: string, kind: string): KindDefinition {
  return plainKind(apiVersion, { kind, resource: `${kind.toLowerCase()}s`, verbs: ['create'] });
}
