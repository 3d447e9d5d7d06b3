import { describe, expect, test } from 'vitest';
import { objectPayload } from './object-payload.ts';
import type { Payload } from './payload.ts';

function shown(files: Payload): Record<string, readonly [string, number]> {
  return Object.fromEntries(
    [...files].map(([path, { data, mode }]) => [path, [Buffer.from(data).toString(), mode]]),
  );
}

const CONFIG = {
  data: { a: 'one', ['__proto__']: 'plain' },
  binaryData: { b: Buffer.from([0xff, 0x00]).toString('base64') },
};
const SECRET = { data: { a: Buffer.from('hidden').toString('base64') } };

describe('the files of an object', () => {
  test('are all of its keys', () => {
    const files = objectPayload('ConfigMap', CONFIG, {}, 0o644);
    expect([...files.keys()].sort()).toEqual(['__proto__', 'a', 'b']);
    expect(files.get('b')?.data).toEqual(Buffer.from([0xff, 0x00]));
    expect(shown(objectPayload('Secret', SECRET, {}, 0o600))).toEqual({ a: ['hidden', 0o600] });
  });

  test('are those that items name, at their paths and with their modes', () => {
    const items = [
      { key: 'a', path: 'x/y', mode: 0o400 },
      { key: 'a', path: 'z' },
    ];
    expect(shown(objectPayload('ConfigMap', CONFIG, { items }, 0o644))).toEqual({
      'x/y': ['one', 0o400],
      z: ['one', 0o644],
    });
  });

  test('may be missing if they are optional', () => {
    const items = [{ key: 'none', path: 'x' }];
    expect(objectPayload('ConfigMap', CONFIG, { items, optional: true }, 0o644).size).toBe(0);
    expect(objectPayload('Secret', null, { optional: true }, 0o644).size).toBe(0);
  });

  test.each([
    ['ConfigMap', 'configmap references non-existent config key: none'],
    ['Secret', 'references non-existent secret key: none'],
  ] as const)('of a %s must exist otherwise', (kind, words) => {
    const items = [{ key: 'none', path: 'x' }];
    expect(() => objectPayload(kind, SECRET, { items }, 0o644)).toThrow(words);
  });
});
