/**
 * Runs an exec probe: a command inside the container, whose exit code is the result. The first 10 KiB of its
 * output go into the Event.
 */
import { formatGoDuration } from '../../../api/values/time-duration.ts';
import { PodkeepError } from '../../../lib/errors.ts';
import { cutToBytes } from '../../../lib/utf8.ts';
import type { PodRuntime } from '../../../ports/runtime/pod-runtime.ts';
import { goQuote } from '../../containers/config/go-text.ts';
import { failed, succeeded, type ProbeAnswer } from '../answer.ts';

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
}

const OUTPUT_BYTES_MAX = 10_240;

/** Throws the runtime's error if the command could not be run. */
export async function probeExec(
  runtime: Pick<PodRuntime, 'execSync'>,
  containerID: string,
  command: readonly string[],
  timeoutSeconds: number,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  try {
    const request = { command, timeoutSeconds };
    const { exitCode, stdout, stderr } = await runtime.execSync(containerID, request, signal);
    const output = cutToBytes(decode(stdout) + decode(stderr), OUTPUT_BYTES_MAX);
    return exitCode === 0 ? succeeded(output) : failed(output);
  } catch (error) {
    if (!(error instanceof PodkeepError) || error.code !== 'EXEC_TIMED_OUT') throw error;
    const given = goQuote(command.join(' '));
    const limit = formatGoDuration(timeoutSeconds * 1000);
    return failed(`command timed out: ${given} timed out after ${limit}`);
  }
}

/**
 * Replaces `$(NAME)` if the spec has a value for that variable; other references stay unchanged. `$$` becomes
 * `$`, so `$$(NAME)` is not replaced.
 */
export function expandCommand(
  command: readonly string[],
  env: readonly EnvVar[],
): readonly string[] {
  const values = new Map(env.map(({ name, value = '' }) => [name, value]));
  return command.map((word) =>
    word.replace(/\$(?:\$|\(([^)]*)\))/g, (found, name: string | undefined) =>
      name === undefined ? '$' : (values.get(name) ?? found),
    ),
  );
}

/** A character that is cut in two here is removed later. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, OUTPUT_BYTES_MAX + 4));
}
