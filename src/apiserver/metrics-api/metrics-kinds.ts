/**
 * Defines the kinds NodeMetrics and PodMetrics (metrics.k8s.io/v1beta1), which `kubectl top` and
 * HorizontalPodAutoscalers read.
 *
 * The objects are generated for each response from the windows of the collector. The values of a pod come
 * only from the kubelet of its own node: no node can report the usage of another node's pods.
 */
import { addQuantities, ZERO_QUANTITY, type Quantity } from '../../api/values/quantity.ts';
import { formatQuantity, readQuantity } from '../../api/values/quantity-text.ts';
import { formatGoDuration } from '../../api/values/time-duration.ts';
import { formatTime } from '../../api/values/time.ts';
import {
  nodeUsageOf,
  podUsageOf,
  type MeasuredUsage,
} from '../../core/resource-metrics/usage-window.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import type { Clock } from '../../ports/clock.ts';
import { nodes } from '../kinds/core/node.ts';
import { pods } from '../kinds/core/pods.ts';
import { objectsAt, textAt } from '../objects/field-path.ts';
import type { Column, KindDefinition, MadeScope } from '../objects/kind.ts';
import { metadataOf, nameOf } from '../objects/metadata.ts';
import { NAME, plainKind } from '../objects/plain-kind.ts';
import { notFound } from '../objects/status.ts';
import { readText } from '../../api/validation/json-reading.ts';
import { keyOf, prefixOf } from '../registry/registry.ts';
import type { MetricsCollector } from './metrics-collector.ts';

export interface MetricsKindsDeps {
  readonly store: ObjectStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly collector: Pick<MetricsCollector, 'windows'>;
}

export const METRICS_GROUP = 'metrics.k8s.io';
export const METRICS_VERSION = 'v1beta1';
const API_VERSION = `${METRICS_GROUP}/${METRICS_VERSION}`;
const RESOURCES = ['cpu', 'memory'] as const;

type ResourceName = (typeof RESOURCES)[number];

export function metricsKinds(deps: MetricsKindsDeps): readonly KindDefinition[] {
  return [
    plainKind(API_VERSION, {
      kind: 'NodeMetrics',
      resource: 'nodes',
      // metrics-server has no singular name, and clients derive it from the kind.
      singular: '',
      verbs: ['get', 'list'],
      columns: columnsOf((object) => [object]),
      made: (scope) => nodeMetrics(deps, scope),
    }),
    plainKind(API_VERSION, {
      kind: 'PodMetrics',
      resource: 'pods',
      singular: '',
      verbs: ['get', 'list'],
      columns: columnsOf((object) => objectsAt(object, 'containers')),
      made: (scope) => podMetrics(deps, scope),
    }),
  ];
}

async function nodeMetrics(deps: MetricsKindsDeps, scope: MadeScope) {
  const found = objectsIn(deps, nodes, scope);
  const windows = await deps.collector.windows();
  const made = found.flatMap((node) => {
    const usage = nodeUsageOf(windows.get(nameOf(node)));
    if (!usage) return [];
    return [{ ...headOf('NodeMetrics', node, deps, usage), usage: usageJson(usage) }];
  });
  if (scope.name !== null && made.length === 0) throw noMetrics('nodemetrics', scope.name);
  return made;
}

async function podMetrics(deps: MetricsKindsDeps, scope: MadeScope) {
  const found = objectsIn(deps, pods, scope);
  const windows = await deps.collector.windows();
  const made = found.flatMap((pod) => {
    const key = `${textAt(pod, 'metadata.namespace')}/${nameOf(pod)}`;
    const usages = podUsageOf(windows.get(textAt(pod, 'spec.nodeName')), key);
    if (!usages) return [];
    const [oldest] = [...usages.values()].toSorted((a, b) => a.timeMs - b.timeMs);
    const containers = Array.from(usages, ([name, usage]) => ({ name, usage: usageJson(usage) }));
    return oldest ? [{ ...headOf('PodMetrics', pod, deps, oldest), containers }] : [];
  });
  if (scope.name !== null && made.length === 0) {
    throw noMetrics('podmetrics', `${scope.namespace}/${scope.name}`);
  }
  return made;
}

/** Throws a not-found error for a node or pod that does not exist. */
function objectsIn(
  { store }: MetricsKindsDeps,
  definition: KindDefinition,
  { namespace, name }: MadeScope,
): readonly JsonObject[] {
  if (name === null) return store.list(prefixOf(definition, namespace)).objects.map(valueOf);
  const found = store.get(keyOf({ definition, namespace, name }));
  if (!found) throw notFound(definition, name);
  return [found.value];
}

function valueOf({ value }: { readonly value: JsonObject }): JsonObject {
  return value;
}

/** The not-found error with metrics-server's resource names. */
function noMetrics(resource: string, name: string) {
  return notFound({ group: METRICS_GROUP, resource }, name);
}

function headOf(
  kind: string,
  object: JsonObject,
  { clock }: MetricsKindsDeps,
  { timeMs, windowMs }: MeasuredUsage,
): JsonObject {
  const { name, namespace, labels } = metadataOf(object);
  return {
    kind,
    apiVersion: API_VERSION,
    metadata: {
      name: readText(name),
      ...(namespace !== undefined && { namespace }),
      creationTimestamp: formatTime(clock.now()),
      ...(isJsonObject(labels) && { labels }),
    },
    timestamp: formatTime(timeMs),
    window: formatGoDuration(windowMs),
  };
}

function usageJson({ nanoCores, memoryBytes }: MeasuredUsage): JsonObject {
  const bytes = BigInt(memoryBytes) * 1_000_000_000n;
  return {
    cpu: formatQuantity({ nanos: BigInt(nanoCores), format: 'DecimalSI' }),
    memory: formatQuantity({ nanos: bytes, format: 'BinarySI' }),
  };
}

/** The columns that metrics-server prints. */
function columnsOf(parts: (object: JsonObject) => readonly JsonObject[]): readonly Column[] {
  return [
    NAME,
    ...RESOURCES.map((resource) => ({
      name: resource,
      type: 'string' as const,
      format: 'quantity',
      priority: 0 as const,
      cell: (object: JsonObject) => formatQuantity(sumOf(parts(object), resource)),
    })),
    {
      name: 'Window',
      type: 'string',
      format: 'duration',
      priority: 0,
      cell: (object) => readText(object['window']),
    },
  ];
}

function sumOf(parts: readonly JsonObject[], resource: ResourceName): Quantity {
  return parts.reduce<Quantity>((sum, part) => {
    return addQuantities(sum, readQuantity(textAt(part, `usage.${resource}`) || 0));
  }, ZERO_QUANTITY);
}
