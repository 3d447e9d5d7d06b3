/**
 * Defines the kind HorizontalPodAutoscaler of autoscaling/v1, which is stored as autoscaling/v2.
 *
 *     autoscaling/v2  <── stored as ──  autoscaling/v1
 *
 * autoscaling/v1 has fields for cpu utilization only. The other fields are in annotations, so that a client
 * that reads an object and writes it back loses nothing. These annotations are never stored.
 */
import { structOf } from '../../../api/schema/schema.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { metadataOf, withMetadata } from '../../objects/metadata.ts';
import { fromOldMetric, toOldMetric, type MetricPart } from './autoscaler-old-metrics.ts';
import {
  changeStructAt,
  numberAt,
  objectsAt,
  structAt,
  valueAt,
} from '../../objects/field-path.ts';
import { horizontalPodAutoscalers as current } from './horizontal-pod-autoscaler.ts';
import { withoutStatus } from '../lifecycle.ts';
import { plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { printedForm } from '../../objects/printed-form.ts';
import { withField, withFieldOf } from '../../../api/validation/json-changes.ts';
import {
  isGiven,
  readEntries,
  readObject,
  readTextMap,
} from '../../../api/validation/json-reading.ts';

const PREFIX = 'autoscaling.alpha.kubernetes.io/';
const METRICS = `${PREFIX}metrics`;
const BEHAVIOR = `${PREFIX}behavior`;
const CURRENT_METRICS = `${PREFIX}current-metrics`;
const CONDITIONS = `${PREFIX}conditions`;
const OF_SPEC = [METRICS, BEHAVIOR];
const OF_STATUS = [CURRENT_METRICS, CONDITIONS];
const CARRIED: ReadonlySet<string> = new Set([...OF_SPEC, ...OF_STATUS]);
const TARGET = 'targetCPUUtilizationPercentage';
const MEASURED = 'currentCPUUtilizationPercentage';

export const oldHorizontalPodAutoscalers = plainKind('autoscaling/v1', {
  kind: 'HorizontalPodAutoscaler',
  resource: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  subresources: [statusSubresource('HorizontalPodAutoscaler')],
  storedAs: { definition: current, fromStored: toOld, toStored: fromOld },
  rules: {
    applyDefaults: (object) => toOld(fromOld(object)),
    prepareForCreate: (object) => withoutStatus(withAnnotationsOf(object, {}, OF_STATUS)),
    // Annotations for parts of the spec or status that this update does not change are kept.
    prepareForUpdate: (object, old) =>
      withFieldOf(withAnnotationsOf(object, old, OF_STATUS), 'status', old),
    prepareForStatusUpdate: (object, old) =>
      withFieldOf(withAnnotationsOf(object, old, OF_SPEC), 'spec', old),
    validate: (object) => current.rules.validate?.(fromOld(object)) ?? [],
    validateUpdate: (object, old) =>
      current.rules.validateUpdate?.(fromOld(object), fromOld(old)) ?? [],
  },
  columns: current.columns.map((column) => ({
    ...column,
    cell: (object, nowMs) => column.cell(fromOld(object), nowMs),
  })),
});

function toOld(object: JsonObject): JsonObject {
  const [spec, status] = [structAt(object, 'spec'), structAt(object, 'status')];
  const metrics = objectsAt(spec, 'metrics');
  const use = metrics.find(isUseOfProcessor);
  const measured = objectsAt(status, 'currentMetrics').findLast(({ type, resource }) => {
    return type === 'Resource' && readObject(resource)?.['name'] === 'cpu';
  });
  const shown = {
    ...object,
    apiVersion: 'autoscaling/v1',
    spec: withNumber(
      keep(spec, ['scaleTargetRef', 'minReplicas', 'maxReplicas']),
      TARGET,
      use,
      'target',
    ),
    status: withNumber(keep(status, STATUS_FIELDS), MEASURED, measured, 'current'),
  };
  const others = metrics.filter((metric) => !isUseOfProcessor(metric));
  const notes: Record<string, Json | undefined> = {
    [METRICS]: toOldMetrics(others, 'target'),
    [BEHAVIOR]: capitalized(spec['behavior'] ?? null) ?? undefined,
    [CURRENT_METRICS]: toOldMetrics(objectsAt(status, 'currentMetrics'), 'current'),
    [CONDITIONS]: isGiven(status['conditions']) ? status['conditions'] : undefined,
  };
  return printedForm(withNotes(shown, notes), structOf('autoscaling/v1.HorizontalPodAutoscaler'));
}

const STATUS_FIELDS = ['observedGeneration', 'lastScaleTime', 'currentReplicas', 'desiredReplicas'];

function fromOld(object: JsonObject): JsonObject {
  const notes = readTextMap(metadataOf(object)['annotations']);
  const [spec, status] = [structAt(object, 'spec'), structAt(object, 'status')];
  const { [TARGET]: target, ...asked } = spec;
  const { [MEASURED]: measured, ...seen } = status;
  const metrics = [
    ...readNote(notes.get(METRICS)).map((metric) => fromOldMetric(metric, 'target')),
    ...(isGiven(target) ? [useOfProcessor('target', target)] : []),
  ];
  const behavior = lowered(parseNote(notes.get(BEHAVIOR)));
  const carried = readNote(notes.get(CURRENT_METRICS)).map((one) => fromOldMetric(one, 'current'));
  const statuses = isGiven(measured) ? [useOfProcessor('current', measured)] : [];
  const currentMetrics = carried.length > 0 ? carried : statuses;
  const conditions = readNote(notes.get(CONDITIONS));
  const stored = {
    ...withNotes(object, {}),
    apiVersion: 'autoscaling/v2',
    spec: { ...asked, metrics, ...(isJsonObject(behavior) && { behavior }) },
    status: {
      ...seen,
      ...(currentMetrics.length > 0 && { currentMetrics }),
      ...(conditions.length > 0 && { conditions }),
    },
  };
  return current.rules.applyDefaults?.(stored) ?? stored;
}

function isUseOfProcessor({ type, resource }: JsonObject): boolean {
  const source = readObject(resource);
  const isCpu = type === 'Resource' && source?.['name'] === 'cpu';
  return isCpu && isGiven(valueAt(source ?? {}, 'target.averageUtilization'));
}

function useOfProcessor(part: MetricPart, percent: Json): JsonObject {
  const amount = { averageUtilization: percent };
  const notified = part === 'target' ? { type: 'Utilization', ...amount } : amount;
  return { type: 'Resource', resource: { name: 'cpu', [part]: notified } };
}

function withNumber(
  object: JsonObject,
  name: string,
  metric: JsonObject | undefined,
  part: MetricPart,
): JsonObject {
  const path = `resource.${part}.averageUtilization`;
  if (!metric || !isGiven(valueAt(metric, path))) return object;
  return withField(object, name, numberAt(metric, path));
}

function keep(object: JsonObject, names: readonly string[]): JsonObject {
  return names.reduce((kept: JsonObject, name) => withFieldOf(kept, name, object), {});
}

function toOldMetrics(metrics: readonly JsonObject[], part: MetricPart): Json | undefined {
  return metrics.length === 0 ? undefined : metrics.map((metric) => toOldMetric(metric, part));
}

/** Replaces all annotations that carry fields by these. */
function withNotes(
  object: JsonObject,
  notes: Readonly<Record<string, Json | undefined>>,
): JsonObject {
  const own = readEntries(metadataOf(object)['annotations']).filter(([key]) => !CARRIED.has(key));
  const added = Object.entries(notes).flatMap(([key, value]): [string, Json][] =>
    value === undefined ? [] : [[key, JSON.stringify(value)]],
  );
  const annotations = Object.fromEntries([...own, ...added]);
  const isEmpty = Object.keys(annotations).length === 0;
  return withMetadata(object, { annotations: isEmpty ? undefined : annotations });
}

/** Copies the named annotations, or their absence, from another object. */
function withAnnotationsOf(
  object: JsonObject,
  other: JsonObject,
  names: readonly string[],
): JsonObject {
  const theirs = structAt(other, 'metadata.annotations');
  return changeStructAt(object, 'metadata.annotations', (own) =>
    names.reduce((next, name) => withFieldOf(next, name, theirs), own),
  );
}

function readNote(text: string | undefined): readonly JsonObject[] {
  const value = parseNote(text);
  return Array.isArray(value) ? value.filter((one): one is JsonObject => isJsonObject(one)) : [];
}

/** An invalid annotation is ignored. */
function parseNote(text: string | undefined): Json {
  if (text === undefined) return null;
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
}

/** Go prints the keys of a type without JSON names in this form, which clients expect. */
function capitalized(value: Json): Json {
  return renamed(value, (name) => name.charAt(0).toUpperCase() + name.slice(1));
}

function lowered(value: Json): Json {
  return renamed(value, (name) => name.charAt(0).toLowerCase() + name.slice(1));
}

function renamed(value: Json, rename: (name: string) => string): Json {
  if (Array.isArray(value)) return value.map((item: Json) => renamed(item, rename));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, inner]) => [
    rename(name),
    renamed(inner, rename),
  ]);
  const notified: JsonObject = Object.fromEntries(fields);
  return notified;
}
