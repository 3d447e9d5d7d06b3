/**
 * A connection to a port inside a sandbox, by the runtime's streams: one for the bytes, and one on which
 * the runtime says what went wrong.
 */
import { text } from 'node:stream/consumers';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../ports/clock.ts';
import { streamingFailed } from '../errors.ts';
import { openStreaming } from './upgrade.ts';

export interface PortStreamOptions {
  readonly url: string;
  readonly sandboxId: string;
  readonly port: number;
  readonly clock: Clock;
}

const PROTOCOL = 'portforward.k8s.io';
const WHAT = 'port-forward';

export async function openPortStream(options: PortStreamOptions): Promise<Duplex> {
  const { url, sandboxId, port, clock } = options;
  const session = await openStreaming({ url, what: WHAT, protocol: PROTOCOL, clock });
  const headersOf = (type: string): ReadonlyMap<string, string> =>
    new Map([
      ['streamtype', type],
      ['port', String(port)],
      ['requestid', '0'],
    ]);
  const error = session.open(headersOf('error'));
  error.end();
  const data = session.open(headersOf('data'));
  data.once('close', () => session.close());
  const isOver = text(error).then((said) => {
    if (said === '') return;
    const prefix = `error forwarding port ${port} to pod ${sandboxId}, uid : `;
    const reason = said.startsWith(prefix) ? said.slice(prefix.length) : said;
    data.destroy(streamingFailed({ what: WHAT, reason }));
  });
  // A stream that is destroyed without a word has told so by itself.
  isOver.catch(() => {});
  return data;
}
