import { describe, expect, test } from 'vitest';
import { parseTime } from '../../../api/values/time.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { readObjects, readText } from '../../../api/validation/json-reading.ts';
import { POD_COLUMNS, podRowConditions } from './columns.ts';
import { stepsOf } from './recorded-answers.ts';

const NOW_MS = parseTime('2026-11-15T23:00:00Z').ms;

function cellsOf(pod: JsonObject): readonly Json[] {
  return POD_COLUMNS.map(({ cell }) => cell(pod, NOW_MS));
}

describe('as kube-apiserver prints them', () => {
  const steps = stepsOf('pod-tables');
  const tables = steps.flatMap((step, index) => {
    const [row] = readObjects(step.response.body['rows']);
    const { path } = step.request;
    const name = path.slice(path.lastIndexOf('/') + 1);
    // The pod that the step before the table returned.
    return row ? [[`${name} (${index})`, row, steps[index - 1]?.response.body ?? {}] as const] : [];
  });

  test.each(tables)('%s', (_name, row, pod) => {
    const printed = cellsOf(pod);
    const expected = row['cells'];
    expect(printed.with(4, '<age>')).toEqual(expected);
    expect(podRowConditions(pod)).toEqual(row['conditions'] ?? []);
  });

  test('there are nineteen tables and a deleted pod', () => {
    expect(tables.length).toBe(20);
  });

  test('the columns have the same descriptions', () => {
    const table = steps.find(({ response }) => response.body['columnDefinitions']);
    const described = POD_COLUMNS.map(({ format = '', name, type, priority, description }) => ({
      format,
      name,
      type,
      priority,
      description,
    }));
    expect(described).toEqual(table?.response.body['columnDefinitions']);
  });
});

function cell(name: string, pod: JsonObject): Json {
  return POD_COLUMNS.find((column) => column.name === name)?.cell(pod, NOW_MS) ?? null;
}

function running(name: string, more: JsonObject = {}): JsonObject {
  return { name, ready: true, restartCount: 0, state: { running: {} }, ...more };
}

describe('what the recorded tables do not show', () => {
  test('a pod without a creation time has an unknown age', () => {
    expect(cell('Age', {})).toBe('<unknown>');
    expect(cell('Age', { metadata: { creationTimestamp: null } })).toBe('<unknown>');
  });

  test('a pod of a lost node that is being deleted is Unknown', () => {
    const metadata = { deletionTimestamp: '2026-11-15T22:00:00Z' };
    const pod = { metadata, status: { phase: 'Running', reason: 'NodeLost' } };
    expect(cell('Status', pod)).toBe('Unknown');
  });

  test('a finished pod keeps its status while it is deleted', () => {
    const metadata = { deletionTimestamp: '2026-11-15T22:00:00Z' };
    expect(cell('Status', { metadata, status: { phase: 'Succeeded' } })).toBe('Succeeded');
  });

  test('a completed container beside one that runs is NotReady until the pod is ready', () => {
    const done = { name: 'a', state: { terminated: { exitCode: 0, reason: 'Completed' } } };
    const status = { phase: 'Running', containerStatuses: [done, running('b')] };
    expect(cell('Status', { status })).toBe('NotReady');
    const conditions = [{ type: 'Ready', status: 'True' }];
    expect(cell('Status', { status: { ...status, conditions } })).toBe('Running');
  });

  test('a failed container is not hidden by a completed one', () => {
    const failed = { name: 'b', state: { terminated: { exitCode: 3, reason: 'Error' } } };
    const done = { name: 'a', state: { terminated: { exitCode: 0, reason: 'Completed' } } };
    expect(cell('Status', { status: { containerStatuses: [done, failed] } })).toBe('Error');
  });

  test('restarts of init containers count only while the pod initializes', () => {
    const init = { name: 'i', restartCount: 2, state: { terminated: { exitCode: 0 } } };
    const last = { lastState: { terminated: { finishedAt: '2026-11-15T22:55:00Z' } } };
    const containerStatuses = [running('c', { restartCount: 1, ...last })];
    const status = { initContainerStatuses: [init], containerStatuses };
    expect(cell('Restarts', { status })).toBe('1 (5m ago)');
    const waiting = { ...init, state: { waiting: { reason: 'CrashLoopBackOff' } } };
    expect(cell('Restarts', { status: { initContainerStatuses: [waiting] } })).toBe('2');
  });

  test('an empty pod is printed', () => {
    expect(cellsOf({}).map((one) => readText(one))).toEqual([
      '',
      '0/0',
      '',
      '0',
      '<unknown>',
      '<none>',
      '<none>',
      '<none>',
      '<none>',
    ]);
  });
});
