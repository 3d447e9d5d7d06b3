import { expect, test } from 'vitest';

import { hasMarker, markerValue, markerValues } from './markers.ts';

const MARKERS = ['+optional', '+listType=map', '+listMapKey=port', '+listMapKey=protocol'];

test('a marker is there with or without a value', () => {
  expect(hasMarker(MARKERS, 'optional')).toBe(true);
  expect(hasMarker(MARKERS, 'listType')).toBe(true);
  expect(hasMarker(MARKERS, 'required')).toBe(false);
});

test('a marker is not another one that begins alike', () => {
  expect(hasMarker(['+genclient:nonNamespaced'], 'genclient')).toBe(false);
  expect(hasMarker(['+k8s:optional'], 'optional')).toBe(false);
});

test('a marker may stand more than once', () => {
  expect(markerValues(MARKERS, 'listMapKey')).toEqual(['port', 'protocol']);
  expect(markerValue(MARKERS, 'listMapKey')).toBe('port');
});

test('a marker without a value has none, and one may hold equal signs', () => {
  expect(markerValue(MARKERS, 'optional')).toBeUndefined();
  expect(markerValue(['+default="a=b"'], 'default')).toBe('"a=b"');
});
