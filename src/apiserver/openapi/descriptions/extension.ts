/** How the API itself is extended and guarded. */
import type { DescriptionTable } from './description-table.ts';

const WEBHOOKS = 'The webhooks, and when each is called.';

export const EXTENSION: DescriptionTable = {
  'apiextensions/v1.CustomResourceDefinition': {
    '': 'A kind that is added to the API. Its name is that of the resource and the group: crontabs.example.com.',
  },
  'apiextensions/v1.CustomResourceDefinitionSpec': {
    '': 'What a custom kind is.',
    group: 'The group of the kind.',
    names: 'What it is called.',
    scope: 'Namespaced or Cluster.',
    versions: 'Its versions.',
    conversion: 'How objects get from one version to another.',
    preserveUnknownFields: 'Not used any more. It has to be false.',
  },
  'apiextensions/v1.CustomResourceDefinitionNames': {
    '': 'What a custom kind is called.',
    plural: 'The plural, as in paths.',
    singular: 'The singular. The kind in small letters by default.',
    shortNames: 'Shorter names for people in a hurry.',
    kind: 'The kind, in CamelCase.',
    listKind: 'The kind of its lists. The kind and List by default.',
    categories: 'Groups of resources that are listed together, such as all.',
  },
  'apiextensions/v1.CustomResourceDefinitionVersion': {
    '': 'A version of a custom kind.',
    name: 'The version, such as v1.',
    served: 'Whether it is in the API.',
    storage: 'Whether objects are stored in it. Exactly one version has this.',
    deprecated: 'Whether clients are warned of it.',
    deprecationWarning: 'With which words they are warned.',
    schema: 'What its objects look like.',
    subresources: 'Which parts of its objects are written on their own.',
    additionalPrinterColumns: 'What kubectl get shows.',
    selectableFields: 'Fields that objects can be selected by.',
  },
  'apiextensions/v1.CustomResourceValidation': {
    '': 'What the objects of a custom kind look like.',
    openAPIV3Schema: 'As a schema of OpenAPI 3.',
  },
  'apiextensions/v1.CustomResourceSubresources': {
    '': 'Parts of objects that are written on their own.',
    status: 'The status.',
    scale: 'The number of replicas.',
  },
  'apiextensions/v1.CustomResourceDefinitionStatus': {
    '': 'What is seen of a custom kind.',
    acceptedNames: 'The names that it has got.',
    storedVersions: 'Versions in which objects may be stored.',
  },
  'apiextensions/v1.JSONSchemaProps': { '': 'A schema of JSON, as OpenAPI writes it.' },
  'apiregistration/v1.APIService': { '': 'A version of a group, and who serves it.' },
  'apiregistration/v1.APIServiceSpec': {
    '': 'Who serves a version.',
    service: 'The service that does. Empty: this server itself.',
    group: 'The group.',
    version: 'The version.',
    insecureSkipTLSVerify: 'Do not check its certificate.',
    caBundle: 'Who has signed its certificate, in PEM.',
    groupPriorityMinimum: 'Where the group stands among groups: the higher, the earlier.',
    versionPriority: 'Where the version stands in its group: the higher, the earlier.',
  },
  'admissionregistration/v1.ValidatingWebhookConfiguration': {
    '': 'Webhooks that may refuse what is written.',
    webhooks: WEBHOOKS,
  },
  'admissionregistration/v1.MutatingWebhookConfiguration': {
    '': 'Webhooks that may change or refuse what is written.',
    webhooks: WEBHOOKS,
  },
  'admissionregistration/v1.ValidatingAdmissionPolicy': {
    '': 'Rules in CEL that may refuse what is written. A binding puts them to work.',
  },
  'admissionregistration/v1.ValidatingAdmissionPolicyBinding': {
    '': 'Puts a ValidatingAdmissionPolicy to work.',
  },
  'admissionregistration/v1.MutatingAdmissionPolicy': {
    '': 'Rules in CEL that may change what is written. A binding puts them to work.',
  },
  'admissionregistration/v1.MutatingAdmissionPolicyBinding': {
    '': 'Puts a MutatingAdmissionPolicy to work.',
  },
  'apiextensions/v1.CustomResourceColumnDefinition': {
    '': 'A column that kubectl get shows.',
    name: 'Its title.',
    type: 'What it holds: integer, number, string, boolean or date.',
    format: 'How it is written.',
    description: 'What it means.',
    priority: '0: always shown. Higher: with -o wide.',
    jsonPath: 'Where the value stands in the object, such as .spec.replicas.',
  },
  'apiextensions/v1.CustomResourceSubresourceScale': {
    '': 'Where an object keeps its number of replicas.',
    specReplicasPath: 'How many are wanted, such as .spec.replicas.',
    statusReplicasPath: 'How many there are, such as .status.replicas.',
    labelSelectorPath: 'The labels of its pods, such as .status.selector.',
  },
  'apiextensions/v1.CustomResourceConversion': {
    '': 'A way between the versions of a custom kind.',
    strategy: 'None: only apiVersion changes. Webhook: somebody is asked.',
    webhook: 'For Webhook: who is asked.',
  },
  'apiextensions/v1.SelectableField': {
    '': 'A field that objects can be selected by.',
    jsonPath: 'Where it stands in the object, such as .spec.color.',
  },
  'apiextensions/v1.ValidationRule': {
    '': 'A rule in CEL that a value has to obey.',
    rule: 'The rule. self is the value, oldSelf what it was before.',
    message: 'What to say if it does not.',
    messageExpression: 'What to say if it does not, in CEL.',
    reason: 'What to call it if it does not, for programs.',
    fieldPath: 'The field that is to blame.',
    optionalOldSelf: 'Whether the rule counts for new objects too, which have no oldSelf.',
  },
};
