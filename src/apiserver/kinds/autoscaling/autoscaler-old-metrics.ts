/**
 * Converts metrics between autoscaling/v2 and autoscaling/v1. The latter has fields for cpu utilization only:
 * all other metrics are JSON in annotations, with field names that autoscaling/v2 has changed.
 *
 *     {"type":"Pods","pods":{"metricName":"q","targetAverageValue":"5"}}
 *     {"type":"Pods","pods":{"metric":{"name":"q"},"target":{"type":"AverageValue","averageValue":"5"}}}
 */
import type { Json, JsonObject } from '../../../lib/json.ts';
import { changeStructAt, structAt, textAt, valueAt } from '../../objects/field-path.ts';
import { withField, withoutField } from '../../../api/validation/json-changes.ts';
import { isGiven, readText } from '../../../api/validation/json-reading.ts';

/** The target value, or the current value. */
export type MetricPart = 'target' | 'current';

interface Source {
  /** The field that describes the metric. */
  readonly field: string;
  /** Pairs of old and new field names. */
  readonly names: (part: MetricPart) => readonly (readonly [old: string, now: string])[];
}

const ofResource: Source['names'] = (part) => [
  ['name', 'name'],
  ['container', 'container'],
  [`${part}AverageUtilization`, `${part}.averageUtilization`],
  [`${part}AverageValue`, `${part}.averageValue`],
];

const SOURCES: ReadonlyMap<string, Source> = new Map([
  ['Resource', { field: 'resource', names: ofResource }],
  ['ContainerResource', { field: 'containerResource', names: ofResource }],
  [
    'Pods',
    {
      field: 'pods',
      names: (part) => [
        ['metricName', 'metric.name'],
        [`${part}AverageValue`, `${part}.averageValue`],
        ['selector', 'metric.selector'],
      ],
    },
  ],
  [
    'Object',
    {
      field: 'object',
      names: (part) => [
        ['target', 'describedObject'],
        ['metricName', 'metric.name'],
        [`${part}Value`, `${part}.value`],
        ['selector', 'metric.selector'],
        ['averageValue', `${part}.averageValue`],
      ],
    },
  ],
  [
    'External',
    {
      field: 'external',
      names: (part) => [
        ['metricName', 'metric.name'],
        ['metricSelector', 'metric.selector'],
        [`${part}Value`, `${part}.value`],
        [`${part}AverageValue`, `${part}.averageValue`],
      ],
    },
  ],
]);

export function toOldMetric(metric: JsonObject, part: MetricPart): JsonObject {
  const type = textAt(metric, 'type');
  const source = SOURCES.get(type);
  if (!source) return { type };
  const details = structAt(metric, source.field);
  const fields = source.names(part).flatMap(([old, now]): [string, Json][] => {
    const value = valueAt(details, now);
    return isGiven(value) ? [[old, value]] : [];
  });
  const notified = Object.fromEntries(fields);
  // For Object metrics the old form always has a value: zero if there is none.
  const valued = type === 'Object' ? { [`${part}Value`]: '0', ...notified } : notified;
  return { type, [source.field]: valued };
}

export function fromOldMetric(metric: JsonObject, part: MetricPart): JsonObject {
  const type = textAt(metric, 'type');
  const source = SOURCES.get(type);
  if (!source) return { type };
  const notified = structAt(metric, source.field);
  const details = source.names(part).reduce((next: JsonObject, [old, now]) => {
    const value = notified[old];
    return isGiven(value) ? withFieldAt(next, now, value) : next;
  }, {});
  const named = changeStructAt(details, part, (amount) =>
    part === 'target' ? withTargetType(amount, type) : amount,
  );
  return { type, [source.field]: named };
}

/** The old form does not name the type of the target, so it is derived. */
function withTargetType(target: JsonObject, metricType: string): JsonObject {
  const isAverage = isGiven(target['averageValue']);
  if (isGiven(target['averageUtilization'])) return withField(target, 'type', 'Utilization');
  if (metricType === 'External') {
    return withField(target, 'type', isGiven(target['value']) ? 'Value' : 'AverageValue');
  }
  if (metricType !== 'Object') return withField(target, 'type', 'AverageValue');
  if (!isAverage) return withField(target, 'type', 'Value');
  const isZero = readText(target['value']) === '0';
  const meant = isZero ? withoutField(target, 'value') : target;
  return withField(meant, 'type', 'AverageValue');
}

function withFieldAt(object: JsonObject, path: string, value: Json): JsonObject {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return withField(object, name, value);
  return changeStructAt(object, name, (inner) => withFieldAt(inner, rest.join('.'), value));
}
