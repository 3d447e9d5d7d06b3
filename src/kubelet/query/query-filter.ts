/**
 * Parses the filters of queries in the syntax of Kubernetes: `labelSelector`, `fieldSelector`, and `since`
 * for times. Fields that are not listed here are refused, because an unknown field would match nothing, or
 * everything.
 */
import type { Pod } from '../../api/pod.ts';
import {
  matchesFields,
  parseFieldSelector,
  type FieldSelector,
} from '../../api/values/field-selector.ts';
import { parseLabelSelector } from '../../api/values/label-selector-text.ts';
import { matchesLabels } from '../../api/values/label-selector.ts';
import { parseTime } from '../../api/values/time.ts';
import { defineError, PodkeepError } from '../../lib/errors.ts';
import type { DecisionRecord } from '../../ports/observe/decision-log.ts';

export interface PodFilter {
  /** Such as `app=web,tier!=cache`. Absent: every pod. */
  readonly labelSelector?: string | undefined;
  /** Such as `metadata.namespace=default,status.phase=Running`. Absent: every pod. */
  readonly fieldSelector?: string | undefined;
}

export interface DecisionFilter {
  /** Such as `metadata.namespace=default,machine=pod-worker`. Absent: every decision. */
  readonly fieldSelector?: string | undefined;
  /** RFC 3339: only decisions at this time or later. Absent: all that are remembered. */
  readonly since?: string | undefined;
}

export const queryInvalid = defineError<{ parameter: string; problem: string }>({
  code: 'QUERY_INVALID',
  retry: 'never',
  message: ({ parameter, problem }) => `${parameter}: ${problem}`,
  hint: () => 'The parameters of each path are in /podkeep/v1/openapi.json.',
});

type Fields<Subject> = Readonly<Record<string, (subject: Subject) => string | undefined>>;

interface PodWithAllFields extends Pod {
  readonly spec: Pod['spec'] & {
    readonly schedulerName?: string;
    readonly serviceAccountName?: string;
  };
}

/** The fields that the API server supports for pods, and the UID. */
const POD_FIELDS: Fields<PodWithAllFields> = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace,
  'metadata.uid': ({ metadata }) => metadata.uid,
  'spec.nodeName': ({ spec }) => spec.nodeName,
  'spec.restartPolicy': ({ spec }) => spec.restartPolicy,
  'spec.schedulerName': ({ spec }) => spec.schedulerName,
  'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName,
  'spec.hostNetwork': ({ spec }) => String(spec.hostNetwork ?? false),
  'status.phase': ({ status }) => status?.phase,
  'status.podIP': ({ status }) => status?.podIP,
};

const DECISION_FIELDS: Fields<DecisionRecord> = {
  'metadata.name': ({ pod }) => pod.name,
  'metadata.namespace': ({ pod }) => pod.namespace,
  'metadata.uid': ({ pod }) => pod.uid,
  machine: ({ machine }) => machine,
  from: ({ from }) => from,
  to: ({ to }) => to,
};

export const POD_FIELD_NAMES: readonly string[] = Object.keys(POD_FIELDS);
export const DECISION_FIELD_NAMES: readonly string[] = Object.keys(DECISION_FIELDS);

/** Throws QUERY_INVALID. */
export function podMatcher({ labelSelector, fieldSelector }: PodFilter): (pod: Pod) => boolean {
  const labels = read('labelSelector', labelSelector, parseLabelSelector);
  const fields = readFields(fieldSelector, POD_FIELDS);
  if (!labels && fields.length === 0) return () => true;
  return (pod) =>
    (!labels || matchesLabels(labels, pod.metadata.labels)) &&
    matchesFields(fields, (field) => POD_FIELDS[field]?.(pod));
}

/** Throws QUERY_INVALID. */
export function decisionMatcher(filter: DecisionFilter): (decision: DecisionRecord) => boolean {
  const fields = readFields(filter.fieldSelector, DECISION_FIELDS);
  const sinceMs = read('since', filter.since, parseTime)?.ms ?? Number.NEGATIVE_INFINITY;
  return (decision) =>
    decision.atMs >= sinceMs &&
    matchesFields(fields, (field) => DECISION_FIELDS[field]?.(decision));
}

function readFields(text: string | undefined, fields: object): FieldSelector {
  const selector = read('fieldSelector', text, parseFieldSelector) ?? [];
  const unknown = selector.find(({ field }) => !Object.hasOwn(fields, field));
  if (!unknown) return selector;
  const known = Object.keys(fields).join(', ');
  const problem = `field label not supported: ${unknown.field}; supported are ${known}`;
  throw queryInvalid({ parameter: 'fieldSelector', problem });
}

function read<Value>(
  parameter: string,
  text: string | undefined,
  parse: (text: string) => Value,
): Value | undefined {
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    throw queryInvalid({ parameter, problem: error.message }, error);
  }
}
