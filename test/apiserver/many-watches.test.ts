/** Many watches over many objects share their bytes, and a slow one costs only itself. */
import { expect, test } from 'vitest';
import type { ApiResponse } from '../../src/ports/api/http-handler.ts';
import { ApiHarness, CONFIG_MAPS } from './api-harness.ts';

async function fill(harness: ApiHarness, count: number): Promise<void> {
  const text = 'x'.repeat(800);
  const names = Array.from({ length: count }, (_, index) => `c${index}`);
  await Promise.all(names.map((name) => harness.create(name, { data: { text } })));
}

async function watch(harness: ApiHarness, query = ''): Promise<ApiResponse> {
  const url = `http://podkeep${CONFIG_MAPS}?watch=1${query}`;
  return harness.server.answer({ method: 'GET', url, headers: new Headers(), body: null });
}

/** How many bytes arrive until there are as many events as asked for. */
async function readEvents({ body }: ApiResponse, events: number): Promise<number> {
  if (!(body instanceof ReadableStream)) throw new Error('a watch is a stream');
  const reader = body.getReader();
  let [bytes, lines] = [0, 0];
  while (lines < events) {
    const { value } = await reader.read();
    if (!value) break;
    bytes += value.byteLength;
    for (let at = value.indexOf(10); at >= 0; at = value.indexOf(10, at + 1)) lines += 1;
  }
  reader.releaseLock();
  return bytes;
}

test('2,000 watches over 1,000 objects take little time and memory', async () => {
  const harness = await ApiHarness.open();
  await fill(harness, 1000);
  const answers: ApiResponse[] = [];
  const before = process.memoryUsage();
  const cpuBefore = process.cpuUsage();
  for (let count = 0; count < 2000; count++) answers.push(await watch(harness));
  const one = await readEvents(answers[0] ?? (await watch(harness)), 1000);
  expect(one).toBeGreaterThan(1_000_000);
  for (const answer of answers.slice(1)) {
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    let bytes = 0;
    while (bytes < one) bytes += (await reader.read()).value?.byteLength ?? one;
    expect(bytes).toBe(one);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const after = process.memoryUsage();
  const megabytes = (after.heapUsed + after.external - before.heapUsed - before.external) / 2 ** 20;
  expect((user + system) / 1e6).toBeLessThan(4);
  expect(megabytes).toBeLessThan(200);
}, 60_000);

test('a change between two watches is in the second one only', async () => {
  const harness = await ApiHarness.open();
  await fill(harness, 3);
  const first = await harness.watch('');
  await harness.clock.pass(0);
  await harness.send('DELETE', `${CONFIG_MAPS}/c0`);
  await harness.create('d');
  const second = await harness.watch('');
  await harness.clock.pass(0);
  const names = (events: readonly { readonly [key: string]: unknown }[]) =>
    events.map(({ type, object }) => [
      type,
      (object as { metadata: { name: string } }).metadata.name,
    ]);
  expect(names(second.events)).toEqual([
    ['ADDED', 'c1'],
    ['ADDED', 'c2'],
    ['ADDED', 'd'],
  ]);
  expect(names(first.events).slice(0, 3)).toEqual([
    ['ADDED', 'c0'],
    ['ADDED', 'c1'],
    ['ADDED', 'c2'],
  ]);
});

test('a watch whose client does not read ends with 410 before it holds 16 MiB', async () => {
  const harness = await ApiHarness.open();
  const idle = await watch(harness);
  const text = 'x'.repeat(500_000);
  for (let count = 0; count < 32; count++) await harness.create(`c${count}`, { data: { text } });
  const lines = (await new Response(idle.body as ReadableStream<Uint8Array>).text()).split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  expect(lines).toHaveLength(2);
});
