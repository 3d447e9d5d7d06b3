/** Who is asked before something is written, and the rules that are read. */
import type { DescriptionTable } from './description-table.ts';

const RULE = {
  operations: 'CREATE, UPDATE, DELETE, CONNECT, or * for all.',
  apiGroups: 'Groups; * for all.',
  apiVersions: 'Versions; * for all.',
  resources: 'Resources, such as pods or pods/status; * for all.',
  scope: 'Cluster, Namespaced, or * for both.',
};

const WEBHOOK = {
  name: 'Its name, with a domain.',
  clientConfig: 'Where it is.',
  rules: 'Which requests it is asked about.',
  failurePolicy: 'If it does not answer: Fail, or Ignore.',
  matchPolicy: 'Exact, or Equivalent: requests in other versions count too.',
  namespaceSelector: 'Only in namespaces with these labels.',
  objectSelector: 'Only about objects with these labels.',
  sideEffects: 'Whether it changes anything else: None, or NoneOnDryRun.',
  timeoutSeconds: 'After how many seconds it counts as failed. 10 by default.',
  admissionReviewVersions: 'Which versions of AdmissionReview it understands.',
  matchConditions: 'Conditions in CEL, which all have to hold.',
};

const POLICY_SPEC = {
  paramKind: 'The kind of the objects with which it is configured.',
  matchConstraints: 'Which requests it is about.',
  failurePolicy: 'If a rule cannot be read or fails: Fail, or Ignore.',
  matchConditions: 'Conditions in CEL, which all have to hold.',
  variables: 'Values that the rules can use by name.',
};

const BINDING_SPEC = {
  policyName: 'The policy.',
  paramRef: 'The object with which it is configured.',
  matchResources: 'Which requests it is about, of those that the policy is.',
};

export const WEBHOOKS: DescriptionTable = {
  'admissionregistration/v1.ValidatingWebhook': {
    '': 'Somebody who may refuse what is written.',
    ...WEBHOOK,
  },
  'admissionregistration/v1.MutatingWebhook': {
    '': 'Somebody who may change or refuse what is written.',
    ...WEBHOOK,
    reinvocationPolicy: 'IfNeeded: it is asked again if others changed the object after it.',
  },
  'admissionregistration/v1.WebhookClientConfig': {
    '': 'Where a webhook is: at an address, or behind a service.',
    url: 'The address.',
    service: 'The service.',
    caBundle: 'Who has signed its certificate, in PEM.',
  },
  'admissionregistration/v1.ServiceReference': {
    '': 'A service, and a path there.',
    path: 'The path.',
    port: 'The port. 443 by default.',
  },
  'admissionregistration/v1.RuleWithOperations': { '': 'Some requests.', ...RULE },
  'admissionregistration/v1.NamedRuleWithOperations': {
    '': 'Some requests.',
    ...RULE,
    resourceNames: 'Only about the objects of these names. Empty: about all.',
  },
  'admissionregistration/v1.MatchCondition': {
    '': 'A condition in CEL.',
    name: 'Its name.',
    expression: 'The condition.',
  },
  'admissionregistration/v1.MatchResources': {
    '': 'Some requests.',
    namespaceSelector: 'Only in namespaces with these labels.',
    objectSelector: 'Only about objects with these labels.',
    resourceRules: 'Those that one of these fits.',
    excludeResourceRules: 'But not those that one of these fits.',
    matchPolicy: 'Exact, or Equivalent: requests in other versions count too.',
  },
  'admissionregistration/v1.ValidatingAdmissionPolicySpec': {
    '': 'What may be written.',
    ...POLICY_SPEC,
    validations: 'What has to be true.',
    auditAnnotations: 'What is noted in the audit log.',
  },
  'admissionregistration/v1.MutatingAdmissionPolicySpec': {
    '': 'How what is written is changed.',
    ...POLICY_SPEC,
    mutations: 'The changes.',
    reinvocationPolicy: 'IfNeeded: once more if others changed the object after it.',
  },
  'admissionregistration/v1.Validation': {
    '': 'Something in CEL that has to be true.',
    expression: 'What has to be true.',
    message: 'What to say if it is not.',
    messageExpression: 'What to say if it is not, in CEL.',
    reason: 'What to call it if it is not, for programs.',
  },
  'admissionregistration/v1.Variable': {
    '': 'A value that rules can use by name.',
    name: 'The name.',
    expression: 'The value, in CEL.',
  },
  'admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec': {
    '': 'Which policy, where, and what follows.',
    ...BINDING_SPEC,
    validationActions: 'Deny, Warn, Audit: what follows if something is not true.',
  },
  'admissionregistration/v1.MutatingAdmissionPolicyBindingSpec': {
    '': 'Which policy, and where.',
    ...BINDING_SPEC,
  },
  'admissionregistration/v1.ParamRef': {
    '': 'An object with which a policy is configured.',
    name: 'Its name.',
    namespace: 'Its namespace. That of the request by default.',
    selector: 'Several of them, by their labels.',
    parameterNotFoundAction: 'If there is none: Allow or Deny.',
  },
};
