/** The lines of a watch as the body of an answer. */
import type { Outbox } from './outbox.ts';

export function lineStream(outbox: Outbox<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const lines = await outbox.take();
        if (!lines) controller.close();
        else controller.enqueue(joined(lines));
      },
      cancel: () => outbox.leave(),
    },
    { highWaterMark: 0 },
  );
}

function joined(lines: readonly Uint8Array[]): Uint8Array {
  const [only] = lines;
  return only && lines.length === 1 ? only : Buffer.concat(lines);
}
