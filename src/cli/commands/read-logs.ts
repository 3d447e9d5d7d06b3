/**
 * `podkeep logs`: prints the log of a container byte for byte; on a terminal, control characters are made
 * visible.
 */
import type { Io } from '../io.ts';
import { VisibleBytes, visibleText } from '../terminal-text.ts';
import { openSession, type SessionOptions } from './api-session.ts';
import { chooseContainer, pathOfPod } from './container-choice.ts';

export interface LogsOptions extends SessionOptions {
  readonly container?: string;
  readonly follow: boolean;
  readonly tail?: number;
  /** In milliseconds. */
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
    if (typeof body === 'string') io.out(io.isOutTerminal ? visibleText(body) : body);
    else await printLog(body, io);
    return 0;
  } finally {
    await session.close();
  }
}

export async function printLog(
  body: AsyncIterable<Uint8Array>,
  io: Pick<Io, 'write' | 'isOutTerminal'>,
): Promise<void> {
  const visible = io.isOutTerminal ? new VisibleBytes() : undefined;
  for await (const chunk of body) await io.write('out', visible?.next(chunk) ?? chunk);
  if (visible) await io.write('out', visible.end());
}

function queryOf({ follow, tail, since, previous, timestamps }: LogsOptions) {
  return {
    ...(follow && { follow: 'true' }),
    ...(tail !== undefined && tail >= 0 && { tailLines: String(tail) }),
    // The API takes whole seconds, and 0 would mean the whole log.
    ...(since !== undefined && { sinceSeconds: String(Math.max(1, Math.ceil(since / 1000))) }),
    ...(previous && { previous: 'true' }),
    ...(timestamps && { timestamps: 'true' }),
  };
}
