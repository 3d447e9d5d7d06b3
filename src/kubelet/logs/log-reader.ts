/**
 * Reads the logs of containers for clients of podkeep's kubelet, as streams with backpressure. As in
 * Kubernetes' kubelet, only the newest file is read: rotated files are not shown.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { LogFile, LogSource } from '../../ports/pod/log-source.ts';
import type { ContainerRun } from '../../ports/pod/pod-files.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { defineError } from '../../lib/errors.ts';
import type { LogOptions } from './log-options.ts';
import { LogSession } from './log-session.ts';
import { findTailStart } from './tail-start.ts';

export interface LogReaderOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly source: LogSource;
  readonly runtime: Pick<PodRuntime, 'inspect' | 'follow'>;
}

export const logMissing = defineError<{ file: string }>({
  code: 'LOG_MISSING',
  retry: 'never',
  message: ({ file }) => `failed to open log file ${JSON.stringify(file)}: no such file`,
  hint: () => 'It was removed together with its container, or the container has not written yet.',
});

export class LogReader {
  readonly #options: LogReaderOptions;

  constructor(options: LogReaderOptions) {
    this.#options = options;
  }

  /** Throws LOG_MISSING. `containerId` is that of the run, to find out when it has ended. */
  async read(
    run: ContainerRun,
    containerId: string,
    options: LogOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    const { clock, source } = this.#options;
    const file = await source.open(run);
    if (!file) throw logMissing({ file: source.nameOf(run) });
    const { start, end } = await rangeOf(file, options.tailLines);
    const session = new LogSession({
      clock,
      options,
      file,
      start,
      end,
      reopen: () => source.open(run),
      isRunning: () => this.#isRunning(run.pod.uid, containerId),
      watch: (grown, ended) => this.#watch(run, grown, ended),
    });
    return streamOf(session);
  }

  /** If the runtime does not answer, the container counts as running, and the reader continues. */
  async #isRunning(podUid: string, containerId: string): Promise<boolean> {
    const { runtime, log } = this.#options;
    try {
      const { containers } = await runtime.inspect(podUid);
      return containers.some(({ id, state }) => id === containerId && state === 'running');
    } catch (error) {
      log.debug('Container runtime does not answer; still following the log', {
        containerId,
        error,
      });
      return true;
    }
  }

  #watch({ pod, ...rest }: ContainerRun, grown: () => void, ended: () => void): () => void {
    const { source, runtime } = this.#options;
    const stops = [
      source.watch({ pod, ...rest }, grown),
      runtime.follow?.(({ podUid }) => {
        if (podUid === pod.uid) ended();
      }),
    ];
    return () => {
      for (const stop of stops) stop?.();
    };
  }
}

async function rangeOf(
  file: LogFile,
  tailLines: number | null,
): Promise<{ readonly start: number; readonly end: number }> {
  try {
    const end = await file.size();
    return { start: tailLines === null ? 0 : await findTailStart(file, end, tailLines), end };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Nothing is read before the consumer asks for it. */
function streamOf(session: LogSession): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const bytes = await session.next();
          if (bytes === null) controller.close();
          else controller.enqueue(bytes);
        } catch (error) {
          await session.close();
          throw error;
        }
      },
      cancel: () => session.close(),
    },
    { highWaterMark: 0 },
  );
}
