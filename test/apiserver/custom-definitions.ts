/** Two definitions of custom kinds: the well-known CronTab, and one that uses every feature. */
import type { JsonObject } from '../../src/lib/json.ts';

const CRON_SPEC: JsonObject = {
  type: 'object',
  required: ['cronSpec'],
  properties: {
    cronSpec: {
      type: 'string',
      pattern: '^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$',
    },
    image: { type: 'string', default: 'nobody' },
    replicas: { type: 'integer', minimum: 0, maximum: 10, default: 1 },
  },
  'x-kubernetes-validations': [
    {
      rule: "self.replicas > 0 || self.image == 'nobody'",
      messageExpression: "self.image + ' needs replicas'",
      message: 'an image needs replicas',
    },
    {
      rule: 'self.replicas >= oldSelf.replicas',
      message: 'replicas may not be taken away',
      reason: 'FieldValueForbidden',
      fieldPath: '.replicas',
    },
  ],
};

const CRON_STATUS: JsonObject = {
  type: 'object',
  properties: { replicas: { type: 'integer' }, labelSelector: { type: 'string' } },
};

export function cronTabs(names: JsonObject = {}): JsonObject {
  const plural = typeof names['plural'] === 'string' ? names['plural'] : 'crontabs';
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.stable.example.com` },
    spec: {
      group: 'stable.example.com',
      scope: 'Namespaced',
      names: { plural, singular: 'crontab', kind: 'CronTab', shortNames: ['ct'], ...names },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: CRON_SPEC, status: CRON_STATUS },
            },
          },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.labelSelector',
            },
          },
          additionalPrinterColumns: [
            { name: 'Spec', type: 'string', jsonPath: '.spec.cronSpec' },
            { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
        },
      ],
    },
  };
}

const GADGET_FIELDS: JsonObject = {
  color: {
    type: 'string',
    enum: ['red', 'green', 'blue'],
    'x-kubernetes-validations': [
      {
        rule: "self != 'green' || oldSelf.hasValue()",
        optionalOldSelf: true,
        message: 'green must come from somewhere',
      },
    ],
  },
  when: { type: 'string', format: 'date-time' },
  tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  ports: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, port: { type: 'integer', format: 'int32' } },
    },
  },
  template: {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  },
  either: {
    type: 'object',
    properties: { left: { type: 'integer' }, right: { type: 'integer' } },
    oneOf: [{ required: ['left'] }, { required: ['right'] }],
  },
  size: { 'x-kubernetes-int-or-string': true, default: '10%' },
  anything: {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { known: { type: 'object', properties: { a: { type: 'integer' } } } },
  },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  maybe: { type: 'string', nullable: true },
  never: { type: 'string' },
  count: { type: 'integer' },
  numbers: {
    type: 'array',
    items: { type: 'integer' },
    'x-kubernetes-validations': [
      {
        rule: 'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))',
        message: 'numbers are triples of nothing',
      },
    ],
  },
};

function gadgetSchema(more: JsonObject): JsonObject {
  return {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', required: ['color'], properties: { ...GADGET_FIELDS, ...more } },
        status: { type: 'object', properties: { count: { type: 'integer' } } },
      },
    },
  };
}

export function everything(): JsonObject {
  const subresources = {
    status: {},
    scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' },
  };
  const selectableFields = [{ jsonPath: '.spec.color' }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.lab.example.com' },
    spec: {
      group: 'lab.example.com',
      scope: 'Cluster',
      names: {
        plural: 'gadgets',
        singular: 'gadget',
        kind: 'Gadget',
        shortNames: ['gd'],
        categories: ['all', 'toys'],
      },
      versions: [
        {
          name: 'v1beta1',
          served: true,
          storage: false,
          deprecated: true,
          schema: gadgetSchema({ old: { type: 'string', default: 'as ever' } }),
          subresources,
          selectableFields,
        },
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: gadgetSchema({}),
          subresources,
          selectableFields,
        },
      ],
    },
  };
}
