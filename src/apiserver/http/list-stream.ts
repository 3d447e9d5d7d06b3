/**
 * Streams a long list as the body of a response, in pieces.
 *
 * Each piece is serialized when the client has read the previous one, and other requests run in between:
 * neither their delay nor the memory depends on the length of the list or on the speed of the client. The
 * objects are a snapshot, shared with the store.
 */
import type { Pace } from '../flow/pace.ts';
import { isLonger } from '../decode/object-limits.ts';
import type { ListAnswer } from '../registry/presentation.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';

const PIECE_CHARS = 64 * 1024;
/** A limit in addition to the size, because small objects take time, too. */
const PIECE_ENTRIES = 250;

/** Whether a list is sent in several pieces. */
export function isLongList({ objects }: ListAnswer): boolean {
  return objects.length > PIECE_ENTRIES || isLonger(objects, PIECE_CHARS);
}

/** `pace`: shared by all list streams. */
export function listStream(list: ListAnswer, pace: Pace): ReadableStream<Uint8Array> {
  const pieces = piecesOf(list);
  return new ReadableStream(
    {
      async pull(controller) {
        await new Promise<void>((resolve) => pace.step(resolve));
        const { done, value } = pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
    },
    { highWaterMark: 0 },
  );
}

const encoder = new TextEncoder();

function* piecesOf({ head, field, objects, entry }: ListAnswer): Generator<string, void> {
  let piece = `${printExactJson(head).slice(0, -1)},"${field}":[`;
  let entries = 0;
  for (const [index, object] of objects.entries()) {
    piece += `${index === 0 ? '' : ','}${printExactJson(entry(object))}`;
    entries += 1;
    if (piece.length < PIECE_CHARS && entries < PIECE_ENTRIES) continue;
    yield piece;
    piece = '';
    entries = 0;
  }
  yield `${piece}]}`;
}
