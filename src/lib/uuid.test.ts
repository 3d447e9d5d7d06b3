import { expect, it } from 'vitest';
import { uuidOf } from './uuid.ts';

it('a UUID keeps all bits but those of its version and variant', () => {
  expect(uuidOf(new Uint8Array(16))).toBe('00000000-0000-4000-8000-000000000000');
  expect(uuidOf(new Uint8Array(16).fill(0xff))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
  const counted = Uint8Array.from({ length: 16 }, (_value, at) => at);
  expect(uuidOf(counted)).toBe('00010203-0405-4607-8809-0a0b0c0d0e0f');
});
