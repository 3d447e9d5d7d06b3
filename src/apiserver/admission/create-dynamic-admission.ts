/** Creates dynamic admission with its stages in kube-apiserver's order: policies, then webhooks. */
import { DynamicAdmission } from '../registry/dynamic-admission.ts';
import { MutatingPolicies } from './policies/mutating-policies.ts';
import { ValidatingPolicies } from './policies/validating-policies.ts';
import {
  MutatingWebhooks,
  ValidatingWebhooks,
  type WebhookDeps,
} from './webhooks/webhook-stages.ts';

export function createDynamicAdmission(deps: WebhookDeps): DynamicAdmission {
  return new DynamicAdmission(
    [new MutatingPolicies(deps), new MutatingWebhooks(deps)],
    [new ValidatingPolicies(deps), new ValidatingWebhooks(deps)],
  );
}
