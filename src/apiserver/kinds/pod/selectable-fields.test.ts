import { expect, test } from 'vitest';
import { matchesFields, parseFieldSelector } from '../../../api/values/field-selector.ts';
import { readObjects, readStruct, readText } from '../../../api/validation/json-reading.ts';
import { stepsOf } from './recorded-answers.ts';
import { podSelectableFields } from './selectable-fields.ts';

const steps = stepsOf('lists-and-selectors');
const pods = [
  ...new Map(
    steps
      .filter(({ response }) => response.body['kind'] === 'Pod')
      .map(({ response: { body } }) => [readText(readStruct(body['metadata'])['name']), body]),
  ).values(),
];
const lists = steps.flatMap(({ request: { path }, response: { code, body } }) => {
  const selector = /fieldSelector=([^&]*)/.exec(path)?.[1];
  if (selector === undefined || code !== 200) return [];
  const names = readObjects(body['items']).map((item) => readStruct(item['metadata'])['name']);
  return [[decodeURIComponent(selector), names] as const];
});

test.each(lists)('%s selects what kube-apiserver selected', (selector, names) => {
  const requirements = parseFieldSelector(selector);
  const selected = pods.filter((pod) => matchesFields(requirements, podSelectableFields(pod)));
  expect(selected.map((pod) => readStruct(pod['metadata'])['name'])).toEqual(names);
});

test('there are lists to compare', () => {
  expect(lists.length).toBe(4);
});

test('an empty pod has empty fields, and is not on the host network', () => {
  const fields = podSelectableFields({});
  expect(fields['spec.hostNetwork']).toBe('false');
  expect(Object.entries(fields).filter(([, value]) => value !== '')).toHaveLength(1);
});
