/** Streams the lines of a watch as the body of a response. */
import type { Pace } from '../flow/pace.ts';
import type { Outbox } from '../flow/outbox.ts';

/** `pace`: limits the initial events of all watches together, which can be very many. Absent: no limit. */
export function lineStream(outbox: Outbox<Uint8Array>, pace?: Pace): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        if (pace && outbox.hasFirst) await new Promise<void>((resolve) => pace.step(resolve));
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
