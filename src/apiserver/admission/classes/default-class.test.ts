import { expect, it } from 'vitest';
import { newestDefault } from './default-class.ts';
import type { JsonObject } from '../../../lib/json.ts';

const MARKS = ['new-mark', 'old-mark'];

function made(name: string, second: number, annotations: JsonObject): JsonObject {
  const creationTimestamp = `2026-01-01T00:00:0${second}Z`;
  return { metadata: { name, creationTimestamp, annotations } };
}

it('no class is the default unless an annotation says true', () => {
  const classes = [made('a', 1, {}), made('b', 2, { 'new-mark': 'yes' })];
  expect(newestDefault(classes, MARKS)).toBeUndefined();
});

it('of several default classes the newest counts, by either annotation', () => {
  const classes = [
    made('a', 1, { 'new-mark': 'true' }),
    made('b', 3, { 'old-mark': 'true' }),
    made('c', 2, { 'new-mark': 'true' }),
  ];
  expect(newestDefault(classes, MARKS)).toBe('b');
});

it('of two default classes of one second the first by name counts', () => {
  const classes = [made('z', 1, { 'new-mark': 'true' }), made('y', 1, { 'new-mark': 'true' })];
  expect(newestDefault(classes, MARKS)).toBe('y');
});
