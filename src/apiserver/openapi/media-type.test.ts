import { expect, test } from 'vitest';
import { formOf } from './media-type.ts';

test('a client without a preference gets JSON', () => {
  expect(formOf(null, 'v3')).toBe('json');
  expect(formOf('', 'v3')).toBe('json');
  expect(formOf('*/*', 'v3')).toBe('json');
  expect(formOf('application/json, */*', 'v3')).toBe('json');
});

test('protobuf is known by its name, and by the old one with an @ in it', () => {
  const older = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  const newer = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
  expect(formOf(older, 'v2')).toBe('protobuf');
  expect(formOf(newer, 'v2')).toBe('protobuf');
  expect(formOf(older, 'v3')).toBeUndefined();
});

test('a higher quality comes first, and a full name before a wildcard', () => {
  const protobuf = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
  expect(formOf(`application/json;q=0.5, ${protobuf}`, 'v3')).toBe('protobuf');
  expect(formOf(`${protobuf};q=0.5, application/json`, 'v3')).toBe('json');
  expect(formOf(`*/*, ${protobuf}`, 'v3')).toBe('protobuf');
});

test('a client that accepts neither gets nothing', () => {
  expect(formOf('text/html', 'v3')).toBeUndefined();
  expect(formOf('application/yaml', 'v2')).toBeUndefined();
});
