/** `podkeep logs`: what a container has written, byte for byte. */
import type { Io } from '../io.ts';
import { openSession, type SessionOptions } from './api-session.ts';
import { chooseContainer, pathOfPod } from './container-choice.ts';

export interface LogsOptions extends SessionOptions {
  readonly container?: string;
  readonly follow: boolean;
  readonly tail?: number;
  /** Milliseconds. */
  readonly since?: number;
  readonly previous: boolean;
  readonly timestamps: boolean;
}

export async function readLogs(
  pod: string,
  options: LogsOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const session = await openSession(options, io);
  try {
    const container = options.container ?? (await chooseContainer(session, pod, io, signal));
    const query = new URLSearchParams({ container, ...queryOf(options) });
    const body = await session.read(`${pathOfPod(session, pod)}/log?${query.toString()}`, signal);
    if (typeof body === 'string') io.out(body);
    else for await (const chunk of body) await io.write('out', chunk);
    return 0;
  } finally {
    await session.close();
  }
}

function queryOf({ follow, tail, since, previous, timestamps }: LogsOptions) {
  return {
    ...(follow && { follow: 'true' }),
    ...(tail !== undefined && tail >= 0 && { tailLines: String(tail) }),
    // The server counts whole seconds; less than one would be everything.
    ...(since !== undefined && { sinceSeconds: String(Math.max(1, Math.ceil(since / 1000))) }),
    ...(previous && { previous: 'true' }),
    ...(timestamps && { timestamps: 'true' }),
  };
}
