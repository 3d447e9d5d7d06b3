/** The OpenAPI 3.0 schemas of the query API's objects. Pods and nodes are Kubernetes' own objects. */
import type { JsonObject } from '../../lib/json.ts';

const TEXT = { type: 'string' };
const TIME = { type: 'string', format: 'date-time' };
const COUNT = { type: 'integer', minimum: 0 };
const NUMBER = { type: 'number', minimum: 0 };

/** Schemas by the names of fields, or of objects. */
type Fields = Readonly<Record<string, JsonObject>>;

function object(required: Fields, optional: Fields = {}): JsonObject {
  return {
    type: 'object',
    required: Object.keys(required),
    properties: { ...required, ...optional },
    additionalProperties: false,
  };
}

function list(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

function only(value: string): JsonObject {
  return { type: 'string', enum: [value] };
}

function kind(name: string): Fields {
  return { kind: only(name), apiVersion: only('podkeep/v1') };
}

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

const POSITION: Fields = {
  revision: { ...COUNT, description: 'The number of the newest change in this answer.' },
  epoch: { ...TEXT, description: 'Names the process that counts; EPOCH-REVISION is an event ID.' },
};

const POD_REFERENCE: Fields = { namespace: TEXT, name: TEXT, uid: TEXT };

const DECISION: Fields = {
  at: TIME,
  machine: { ...TEXT, description: 'The state machine that decided, such as pod-worker.' },
  from: TEXT,
  to: TEXT,
  why: TEXT,
};

const WAITING: Fields = {
  waitsFor: { ...TEXT, description: 'What the pod waits for.' },
  since: { ...TIME, description: 'Since when it waits.' },
  attempts: { ...COUNT, description: 'How often it was tried.' },
  nextAt: { ...TIME, description: 'When it is tried next.' },
};

const CPU: Fields = {
  cpuCores: { ...NUMBER, description: 'Absent: there are no two measurements yet.' },
  cpuSecondsTotal: NUMBER,
};

const MEMORY: Fields = {
  memoryWorkingSetBytes: COUNT,
  memoryUsageBytes: COUNT,
  memoryResidentBytes: COUNT,
};

/** From 0, idle, to 1, exhausted. */
const SHARE = { type: 'number', minimum: 0, maximum: 1 };

/** Values that were not measured are absent. */
const MEASURED = { type: 'object', additionalProperties: NUMBER };

export const SCHEMAS: Fields = {
  Pod: {
    type: 'object',
    required: ['kind', 'apiVersion', 'metadata', 'spec'],
    properties: {
      kind: only('Pod'),
      apiVersion: only('v1'),
      metadata: { type: 'object' },
      spec: { type: 'object' },
      status: { type: 'object' },
    },
    description: 'A Pod of core/v1 with its newest status on this node.',
    externalDocs: { url: 'https://kubernetes.io/docs/reference/kubernetes-api/' },
  },
  PodList: object({ ...kind('PodList'), ...POSITION, items: list(ref('Pod')) }),
  PodReference: object(POD_REFERENCE),
  TimelineItem: object(DECISION, WAITING),
  PodTimeline: object({
    ...kind('PodTimeline'),
    ...POSITION,
    pod: ref('PodReference'),
    items: list(ref('TimelineItem')),
  }),
  Decision: object({ pod: ref('PodReference'), ...DECISION }, WAITING),
  DecisionList: object({
    ...kind('DecisionList'),
    ...POSITION,
    omitted: { ...COUNT, description: 'Older decisions that the limit left out.' },
    items: list(ref('Decision')),
  }),
  NodeReport: object(
    {
      ...kind('NodeReport'),
      name: TEXT,
      ready: { type: 'boolean' },
      notReadyReasons: list(TEXT),
      pressures: list(TEXT),
      pods: object({
        total: COUNT,
        ready: COUNT,
        byPhase: { type: 'object', additionalProperties: COUNT },
      }),
      node: {
        type: 'object',
        nullable: true,
        description: 'The Node of core/v1 as this node knows it; null: the API server has none.',
      },
    },
    { load: { type: 'object' } },
  ),
  ContainerUsage: object(
    { name: TEXT, startedAt: TIME },
    { ...CPU, ...MEMORY, writableLayerBytes: COUNT },
  ),
  PodUsage: object(
    { ...POD_REFERENCE, startedAt: TIME, containers: list(ref('ContainerUsage')) },
    { ...CPU, ...MEMORY },
  ),
  ResourceUsage: object({
    ...kind('ResourceUsage'),
    at: TIME,
    node: object(
      { name: TEXT, cpuCapacityCores: NUMBER, memoryCapacityBytes: COUNT },
      {
        ...CPU,
        ...MEMORY,
        swapUsageBytes: COUNT,
        processes: COUNT,
        saturation: { type: 'object', additionalProperties: SHARE },
        worst: object({ resource: TEXT, saturation: SHARE }),
      },
    ),
    pods: list(ref('PodUsage')),
  }),
  HistoryPoint: object({ at: TIME, mean: MEASURED, max: MEASURED }),
  ResourceHistory: object({
    ...kind('ResourceHistory'),
    node: object({ name: TEXT, points: list(ref('HistoryPoint')) }),
    pods: list(object({ ...POD_REFERENCE, points: list(ref('HistoryPoint')) })),
  }),
  Alert: object(
    {
      alertname: TEXT,
      severity: TEXT,
      state: { type: 'string', enum: ['pending', 'firing', 'resolved'] },
      labels: { type: 'object', additionalProperties: TEXT },
      annotations: { type: 'object', additionalProperties: TEXT },
      activeAt: { ...TIME, description: 'Since when the condition of the rule holds.' },
    },
    {
      firedAt: TIME,
      resolvedAt: TIME,
      actions: list(object({ at: TIME, action: TEXT, result: TEXT, message: TEXT })),
    },
  ),
  AlertList: object({ ...kind('AlertList'), ...POSITION, items: list(ref('Alert')) }),
  Status: {
    type: 'object',
    required: ['kind', 'apiVersion', 'status', 'message', 'reason', 'code'],
    properties: {
      kind: only('Status'),
      apiVersion: only('v1'),
      metadata: { type: 'object' },
      status: only('Failure'),
      message: TEXT,
      reason: TEXT,
      code: COUNT,
    },
  },
};
