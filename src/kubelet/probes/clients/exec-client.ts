/**
 * Runs a command inside the container; its exit code is the answer. What it says goes into the event, as
 * far as the first 10 KiB.
 */
import { formatGoDuration } from '../../../api/time-duration.ts';
import { PodkeepError } from '../../../lib/errors.ts';
import { cutToBytes } from '../../../lib/utf8.ts';
import type { PodRuntime } from '../../../ports/runtime/pod-runtime.ts';
import { goQuote } from '../../pod-runner/go-text.ts';
import { failed, succeeded, type ProbeAnswer } from '../answer.ts';

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
}

const OUTPUT_BYTES_MAX = 10_240;

/** Throws what the runtime throws if the command could not be run at all. */
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
    const said = goQuote(command.join(' '));
    const limit = formatGoDuration(timeoutSeconds * 1000);
    return failed(`command timed out: ${said} timed out after ${limit}`);
  }
}

/**
 * `$(NAME)` stands for a variable whose value is written in the spec; any other stays as it is, and so
 * does what comes after `$$`, without one of the two.
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

/** A character that is cut in two here is cut away later. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, OUTPUT_BYTES_MAX + 4));
}
