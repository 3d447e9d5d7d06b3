import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { followSizes, readSize, type TerminalSize } from './terminal-sizes.ts';

async function sizesIn(...chunks: readonly string[]): Promise<TerminalSize[]> {
  const stream = new PassThrough();
  const sizes: TerminalSize[] = [];
  followSizes(stream, (size) => sizes.push(size));
  for (const chunk of chunks) stream.write(chunk);
  await new Promise((resolve) => stream.once('end', resolve).end());
  return sizes;
}

test('sizes are found wherever they were cut', async () => {
  expect(await sizesIn('{"Width":80,"Hei', 'ght":24}\n{"Width":1', '32,"Height":43}')).toEqual([
    { columns: 80, rows: 24 },
    { columns: 132, rows: 43 },
  ]);
});

test('after the first thing that is no size the stream is read and dropped', async () => {
  expect(
    await sizesIn('{"Width":80,"Height":24}', '{"Width":-1}', '{"Width":1,"Height":1}'),
  ).toEqual([{ columns: 80, rows: 24 }]);
  expect(await sizesIn('x'.repeat(5000), '{"Width":1,"Height":1}')).toEqual([]);
});

test.each(['null}', '{"Width":65536,"Height":1}', '{"Width":1.5}', '{"Width":"80"}', '[}'])(
  '%s is no size',
  (text) => {
    expect(readSize(text)).toBeNull();
  },
);
