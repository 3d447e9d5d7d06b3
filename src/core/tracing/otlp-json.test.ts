import { expect, test } from 'vitest';
import { otlpTraces, type EndedSpan } from './otlp-json.ts';

const SPAN: EndedSpan = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentSpanId: null,
  name: 'syncPod',
  kind: 'internal',
  startNs: 1_700_000_000_000_000_001n,
  endNs: 1_700_000_000_500_000_002n,
  attributes: { text: 'a', whole: 3, part: 0.5, truth: true, absent: undefined },
  failure: null,
};
const RESOURCE = {
  attributes: { 'service.name': 'kubelet' },
  scope: { name: 'podkeep', version: '1' },
};

function spanOf(span: EndedSpan): unknown {
  const json: unknown = JSON.parse(JSON.stringify(otlpTraces([span], RESOURCE)));
  expect(json).toMatchObject({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'kubelet' } }] },
        scopeSpans: [{ scope: { name: 'podkeep', version: '1' } }],
      },
    ],
  });
  return (json as { resourceSpans: { scopeSpans: { spans: unknown[] }[] }[] }).resourceSpans[0]
    ?.scopeSpans[0]?.spans[0];
}

test('a root span, with attributes of every type', () => {
  expect(spanOf(SPAN)).toEqual({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00f067aa0ba902b7',
    name: 'syncPod',
    kind: 1,
    startTimeUnixNano: '1700000000000000001',
    endTimeUnixNano: '1700000000500000002',
    attributes: [
      { key: 'text', value: { stringValue: 'a' } },
      { key: 'whole', value: { intValue: '3' } },
      { key: 'part', value: { doubleValue: 0.5 } },
      { key: 'truth', value: { boolValue: true } },
    ],
  });
});

test('a call that failed has its parent, the exception and the status', () => {
  const failure = { type: 'Error', message: 'no such image' };
  expect(spanOf({ ...SPAN, kind: 'client', parentSpanId: 'b7ad6b7169203331', failure })).toEqual(
    expect.objectContaining({
      kind: 3,
      parentSpanId: 'b7ad6b7169203331',
      status: { code: 2, message: 'no such image' },
      events: [
        {
          timeUnixNano: '1700000000500000002',
          name: 'exception',
          attributes: [
            { key: 'exception.type', value: { stringValue: 'Error' } },
            { key: 'exception.message', value: { stringValue: 'no such image' } },
          ],
        },
      ],
    }),
  );
});

test('a secret in a message is replaced', () => {
  const message = 'denied: Authorization: Bearer abcdefghijklmnop';
  const json = JSON.stringify(spanOf({ ...SPAN, failure: { type: 'Error', message } }));
  expect(json).toContain('denied');
  expect(json).not.toContain('abcdefghijklmnop');
});

test('a long message is cut, and half a character of it replaced', () => {
  const message = `${'x'.repeat(1023)}😀${'x'.repeat(5000)}`;
  expect(spanOf({ ...SPAN, failure: { type: 'Error', message } })).toMatchObject({
    status: { message: `${'x'.repeat(1023)}\uFFFD` },
  });
});
