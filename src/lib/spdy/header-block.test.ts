import { constants, createDeflate } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { HEADER_DICTIONARY } from './dictionary.ts';
import { encodeHeaders, HeaderReader, parseHeaders } from './header-block.ts';

/** As a client does it: one stream, flushed after every block. */
function squeezer(): (bytes: Buffer) => Promise<Buffer> {
  const deflate = createDeflate({ dictionary: HEADER_DICTIONARY, flush: constants.Z_SYNC_FLUSH });
  return async (bytes) => {
    const parts: Buffer[] = [];
    const take = (part: Buffer): void => void parts.push(part);
    deflate.on('data', take);
    await new Promise((resolve) => deflate.write(bytes, resolve));
    deflate.off('data', take);
    return Buffer.concat(parts);
  };
}

function plain(headers: ReadonlyMap<string, string>): Buffer {
  const start = 5;
  const block = encodeHeaders(headers, false);
  return block.subarray(start, block.length - 5);
}

test('the dictionary is the one of the protocol', () => {
  expect(HEADER_DICTIONARY).toHaveLength(1423);
  // Its checksum is in the first block of every connection.
  expect(encodeHeaders(new Map(), true).subarray(0, 6).toString('hex')).toBe('78bbe3c6a7c2');
});

test('blocks that refer to earlier ones are read in their order', async () => {
  const squeeze = squeezer();
  const reader = new HeaderReader();
  const first = new Map([
    ['streamtype', 'error'],
    ['port', '80'],
    ['requestid', '0'],
  ]);
  const second = new Map([...first, ['streamtype', 'data']] as [string, string][]);
  const blocks = [await squeeze(plain(first)), await squeeze(plain(second))];
  expect(blocks[1]?.length).toBeLessThan(blocks[0]?.length ?? 0);
  for (const [index, headers] of [first, second].entries()) {
    expect(await reader.read(blocks[index] ?? Buffer.alloc(0))).toEqual(headers);
  }
  reader.close();
});

test('our own blocks can be read by any inflater', async () => {
  const names = fc.stringMatching(/^[a-z-]{1,20}$/);
  const values = fc.stringMatching(/^[ -~]{0,200}$/);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(names, values, { maxKeys: 5 }), { minLength: 1, maxLength: 4 }),
      async (given) => {
        const reader = new HeaderReader();
        for (const [index, headers] of given.entries()) {
          const map = new Map(Object.entries(headers));
          expect(await reader.read(encodeHeaders(map, index === 0))).toEqual(map);
        }
        reader.close();
      },
    ),
    { numRuns: 50 },
  );
});

test('a few bytes that stand for megabytes are refused', async () => {
  const bomb = await squeezer()(Buffer.alloc(20_000_000));
  expect(bomb.length).toBeLessThan(64 * 1024);
  const reader = new HeaderReader();
  await expect(reader.read(bomb)).rejects.toThrow('headers that cannot be read');
  await expect(reader.read(bomb)).rejects.toThrow('headers that cannot be read');
});

test('what is no zlib is refused', async () => {
  const reader = new HeaderReader();
  await expect(reader.read(Buffer.from('not zlib at all'))).rejects.toThrow('cannot be read');
});

test('a reader that is closed while it reads does not wait forever', async () => {
  const reader = new HeaderReader();
  const reading = reader.read(encodeHeaders(new Map([['a', 'b']]), true));
  reader.close();
  await expect(reading).rejects.toThrow('cannot be read');
});

test('names are in lower case, several values are the first, and a name comes once', () => {
  const bytes = plain(new Map([['StreamType', 'data\0error']]));
  expect(parseHeaders(bytes)).toEqual(new Map([['streamtype', 'data']]));
  const twice = plain(
    new Map([
      ['A', '1'],
      ['a', '2'],
    ]),
  );
  expect(() => parseHeaders(twice)).toThrow('a header "a" too many');
});

test('headers that end too early are refused, wherever they end', () => {
  const bytes = plain(
    new Map([
      ['port', '80'],
      ['streamtype', 'data'],
    ]),
  );
  for (let length = 0; length < bytes.length; length += 1) {
    expect(() => parseHeaders(bytes.subarray(0, length))).toThrow('headers that end too early');
  }
});
