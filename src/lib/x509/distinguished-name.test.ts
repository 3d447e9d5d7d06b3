import { expect, test } from 'vitest';
import { oid, sequence, setOf, writeValue } from './der.ts';
import { readDer } from './der-reader.ts';
import { readSubject } from './distinguished-name.ts';

const ORGANIZATION = '2.5.4.10';

test.each([
  ['UTF8String', 0x0c, Buffer.from('system:masters')],
  ['PrintableString', 0x13, Buffer.from('system:masters')],
  ['BMPString', 0x1e, Buffer.from('system:masters', 'utf16le').swap16()],
])('a group is the same group as %s', (_, tag, bytes) => {
  const attribute = sequence(oid(ORGANIZATION), writeValue(tag, bytes));
  const { organizations } = readSubject(readDer(sequence(setOf(attribute))));
  expect(organizations).toEqual(['system:masters']);
});

test('a BMPString with half a letter is no name', () => {
  const attribute = sequence(oid(ORGANIZATION), writeValue(0x1e, Buffer.from([0, 0x61, 0])));
  expect(readSubject(readDer(sequence(setOf(attribute)))).organizations).toEqual(['']);
});
