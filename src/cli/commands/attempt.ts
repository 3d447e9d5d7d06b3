/**
 * Runs a client command: prints a failure as an error message, returns the exit code, and aborts on Ctrl-C.
 */
import { PodkeepError } from '../../lib/errors.ts';
import { ApiError } from '../../ports/api/api-client.ts';
import { codeOfSignal } from '../child-command.ts';
import type { Io, StopSignal } from '../io.ts';
import { printError } from '../console-progress.ts';
import { visibleText } from '../terminal-text.ts';

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
    io.err(visibleText(describe(error)));
    return 1;
  } finally {
    leave();
  }
}

const WHAT_THERE_IS =
  '  hint   podkeep get KIND -A lists what there is in all namespaces, such as pods.\n';

/** Formats an error; the server's messages look as in kubectl. */
function describe(error: PodkeepError): string {
  if (error instanceof ApiError) {
    const given = `Error from server (${error.reason}): ${error.message}\n`;
    return error.reason === 'NotFound' ? `${given}${WHAT_THERE_IS}` : given;
  }
  if (error.code !== 'API_UNREACHABLE') return printError(error);
  return `error ${error.code}: ${error.message}\n  hint   Check that it runs: podkeep up starts it, and writes its kubeconfig.\n`;
}
