/** Runs a tcpSocket probe: checks whether a server accepts a connection, and closes it immediately. */
import { connect } from 'node:net';
import { offAbort, onAbort } from '../../../lib/abort-listeners.ts';
import type { Clock } from '../../../ports/clock.ts';
import { failed, succeeded, type ProbeAnswer } from '../answer.ts';
import { addressText, dialedHost, type ProbeAddress } from '../probe-address.ts';
import { dialMessage, socketErrorOf } from './dial-messages.ts';
import { withinTime } from './time-limit.ts';

export function probeTcp(
  clock: Clock,
  address: ProbeAddress,
  timeoutMs: number,
  outer: AbortSignal,
): Promise<ProbeAnswer> {
  const shown = addressText(address);
  return withinTime(clock, timeoutMs, outer, async ({ signal, isOver }) => {
    try {
      await dial(address, signal);
      return succeeded();
    } catch (error) {
      outer.throwIfAborted();
      if (isOver()) return failed(`dial tcp ${shown}: i/o timeout`);
      const known = socketErrorOf(error);
      return failed(dialMessage(known, shown) ?? `dial tcp ${shown}: ${known.message}`);
    }
  });
}

function dial(address: ProbeAddress, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: dialedHost(address), port: address.port });
    const abort = (): void => {
      socket.destroy();
      reject(new Error('the dial was aborted'));
    };
    onAbort(signal, abort);
    socket.on('error', reject);
    socket.on('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.on('close', () => offAbort(signal, abort));
  });
}
