/** Prints an autoscaler's metrics for its table column: the current value and the target. */
import type { JsonObject } from '../../../lib/json.ts';
import { printFirst } from '../../objects/columns.ts';
import { objectsAt, structAt, textAt, valueAt } from '../../objects/field-path.ts';
import { isGiven, readObject } from '../../../api/validation/json-reading.ts';
import { printAmount } from '../../../api/validation/quantities.ts';

const SHOWN_MAX = 2;
const UNKNOWN = '<unknown>';
/** The field that describes a metric, by its type. */
const SOURCES: ReadonlyMap<string, string> = new Map([
  ['External', 'external'],
  ['Pods', 'pods'],
  ['Object', 'object'],
  ['Resource', 'resource'],
  ['ContainerResource', 'containerResource'],
]);

export function printMetrics(object: JsonObject): string {
  const specs = objectsAt(object, 'spec.metrics');
  const statuses = objectsAt(object, 'status.currentMetrics');
  if (specs.length === 0) return '<none>';
  const texts = specs.map((spec, index) => printMetric(spec, statuses[index]));
  return printFirst(texts, SHOWN_MAX, ', ');
}

function printMetric(spec: JsonObject, status: JsonObject | undefined): string {
  const type = textAt(spec, 'type');
  const field = SOURCES.get(type);
  if (field === undefined) return '<unknown type>';
  const source = structAt(spec, field);
  const current = readObject(status && valueAt(status, `${field}.current`));
  const target = structAt(source, 'target');
  if (type === 'Resource' || type === 'ContainerResource') {
    return `${textAt(source, 'name')}: ${printUse(target, current)}`;
  }
  const isAverage = isGiven(target['averageValue']);
  const name = isAverage ? 'averageValue' : 'value';
  const shown = `${printCurrent(current, name)}/${printAmount(target[name])}`;
  return isAverage && type !== 'Pods' ? `${shown} (avg)` : shown;
}

function printUse(target: JsonObject, current: JsonObject | undefined): string {
  if (isGiven(target['averageValue'])) {
    return `${printCurrent(current, 'averageValue')}/${printAmount(target['averageValue'])}`;
  }
  const [used, wanted] = [current?.['averageUtilization'], target['averageUtilization']];
  const shown = typeof used === 'number' ? `${used}%` : UNKNOWN;
  return `${shown}/${typeof wanted === 'number' ? `${wanted}%` : '<auto>'}`;
}

function printCurrent(current: JsonObject | undefined, name: string): string {
  return current && isGiven(current[name]) ? printAmount(current[name]) : UNKNOWN;
}
