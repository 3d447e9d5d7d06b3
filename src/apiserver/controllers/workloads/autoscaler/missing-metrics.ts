/**
 * Builds the errors of Pods, Object and External metrics: podkeep serves no custom or external metrics API,
 * so they fail as in a cluster without a metrics adapter.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { readEntries, readText } from '../../../../api/validation/json-reading.ts';
import { objectsAt, structAt, textAt, valueAt } from '../../../objects/field-path.ts';
import type { MetricFailure } from './metric-proposals.ts';

const NO_CUSTOM =
  'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered';
const NO_EXTERNAL = 'unable to fetch metrics from external metrics API';
const NOT_FOUND = 'the server could not find the requested resource';

export function missingMetric(spec: JsonObject, namespace: string): MetricFailure {
  const type = textAt(spec, 'type');
  if (type === 'Pods') {
    const message = `unable to get metric ${textAt(spec, 'pods.metric.name')}: ${NO_CUSTOM}`;
    const summary = `failed to get pods metric value: ${message}`;
    return { reason: 'FailedGetPodsMetric', message, summary };
  }
  if (type === 'Object') return objectMetric(spec, namespace);
  if (type === 'External') return externalMetric(spec, namespace);
  const message = `unknown metric source type ${JSON.stringify(type)}`;
  return { reason: 'InvalidMetricSourceType', message, summary: message };
}

function objectMetric(spec: JsonObject, namespace: string): MetricFailure {
  const name = textAt(spec, 'object.metric.name');
  const { kind, name: object } = structAt(spec, 'object.describedObject');
  // Kubernetes prints them in this order.
  const where = `${readText(kind)} on ${namespace} ${readText(object)}/${NO_CUSTOM}`;
  const message = `unable to get metric ${name}: ${where}`;
  const isAverage = textAt(spec, 'object.target.type') === 'AverageValue';
  const outer = isAverage ? `failed to get ${name} object metric: ${message}` : message;
  const summary = `failed to get object metric value: ${outer}`;
  return { reason: 'FailedGetObjectMetric', message, summary };
}

function externalMetric(spec: JsonObject, namespace: string): MetricFailure {
  const name = textAt(spec, 'external.metric.name');
  const selector = selectorText(valueAt(spec, 'external.metric.selector') ?? null, spec);
  const missing = `${NO_EXTERNAL}: ${NOT_FOUND} (get ${name}.external.metrics.k8s.io)`;
  const message = `unable to get external metric ${namespace}/${name}/${selector}: ${missing}`;
  const isAverage = valueAt(spec, 'external.target.averageValue') !== undefined;
  const outer = isAverage
    ? `failed to get ${name} external metric: ${message}`
    : `failed to get external metric ${name}: ${message}`;
  const summary = `failed to get ${name} external metric value: ${outer}`;
  return { reason: 'FailedGetExternalMetric', message, summary };
}

function selectorText(selector: unknown, spec: JsonObject): string {
  if (selector === null) return 'nil';
  const labels = readEntries(valueAt(spec, 'external.metric.selector.matchLabels'));
  const pairs = labels.map(([key, value]) => `${key}: ${readText(value)},`).join('');
  const expressions = objectsAt(spec, 'external.metric.selector.matchExpressions')
    .map(({ key, operator }) => `{${readText(key)} ${readText(operator)}}`)
    .join(' ');
  const list = `[]LabelSelectorRequirement{${expressions}}`;
  return `&LabelSelector{MatchLabels:map[string]string{${pairs}},MatchExpressions:${list},}`;
}
