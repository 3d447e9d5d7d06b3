import { expect, test } from 'vitest';
import { json, ScriptedTransport } from '../../../test/support/scripted-transport.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { measuredTransport } from './measured-transport.ts';

async function skewOf(date: string | undefined, roundTripMs = 0) {
  const clock = new VirtualClock();
  const inner = new ScriptedTransport();
  const skews: number[] = [];
  const codes: (number | null)[] = [];
  const transport = measuredTransport(inner, 'api', clock, {
    answered: (_host, _method, code) => void codes.push(code),
    serverAhead: (ms) => void skews.push(ms),
  });
  inner.next(async (request, signal) => {
    await clock.pass(roundTripMs);
    return json(200, {}, date === undefined ? {} : { date })(request, signal);
  });
  const target = '/version';
  await transport.send(
    { method: 'GET', target, headers: {}, body: null },
    new AbortController().signal,
  );
  return { skews, codes };
}

/** As a server writes it: whole seconds, cut off. */
function dateAt(ms: number): string {
  return new Date(ms).toUTCString();
}

const START_MS = new VirtualClock().now();

test.each([0, 90_000, -90_000])('a server that is %i ms ahead is seen as such', async (aheadMs) => {
  const { skews, codes } = await skewOf(dateAt(START_MS + aheadMs));
  expect(skews).toHaveLength(1);
  expect(Math.abs((skews[0] ?? Number.NaN) - aheadMs)).toBeLessThanOrEqual(500);
  expect(codes).toEqual([200]);
});

test('the Date of a slow answer is taken as made half a round trip ago', async () => {
  const { skews } = await skewOf(dateAt(START_MS + 10_000), 20_000);
  expect(Math.abs(skews[0] ?? Number.NaN)).toBeLessThanOrEqual(500);
});

test.each([undefined, '', 'yesterday', 'Thu, 99 Foo 2030 25:61:61 GMT'])(
  'an answer with the Date %j says nothing about the clock',
  async (date) => {
    const { skews, codes } = await skewOf(date);
    expect(skews).toEqual([]);
    expect(codes).toEqual([200]);
  },
);
