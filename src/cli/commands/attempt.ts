/** Runs a command for people: what goes wrong becomes a sentence and an exit code, Ctrl-C ends it. */
import { PodkeepError } from '../../lib/errors.ts';
import { ApiError } from '../../ports/api-client.ts';
import { codeOfSignal } from '../child-command.ts';
import type { Io, StopSignal } from '../io.ts';
import { printError } from '../narrator.ts';

export async function attempt(
  io: Io,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const abort = new AbortController();
  let stopped: StopSignal | null = null;
  const leave = io.onStop((signal) => {
    stopped = signal;
    abort.abort();
  });
  try {
    return await work(abort.signal);
  } catch (error) {
    if (stopped !== null) return codeOfSignal(stopped);
    if (!(error instanceof PodkeepError)) throw error;
    io.err(describe(error));
    return 1;
  } finally {
    leave();
  }
}

/** What the server said stands as kubectl would print it. */
function describe(error: PodkeepError): string {
  if (error instanceof ApiError) return `Error from server (${error.reason}): ${error.message}\n`;
  if (error.code !== 'API_UNREACHABLE') return printError(error);
  return `error ${error.code}: ${error.message}\n  hint   Check that it runs: podkeep up starts it.\n`;
}
