/**
 * Starts the init of a container, and lets it go: from then on it needs nobody. A hand makes it, or a
 * chain of programs becomes it.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import type { ContainerOrder, KernelHand } from '../../lib/kernel-hand/kernel-hand.ts';

export type Launch = Chain | { readonly kind: 'order'; readonly order: ContainerOrder };

interface Chain {
  readonly kind: 'chain';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const OWNER_ONLY = 0o600;

/** What is done when it has ended, or never began. */
export interface InitNews {
  readonly onExit: () => void;
  readonly onError: (error: Error) => void;
}

export function startInit(
  launch: Launch,
  folder: string,
  hand: KernelHand | undefined,
  news: InitNews,
): void {
  if (launch.kind === 'chain') spawnInit(launch, folder, news);
  else hand?.run(launch.order, news.onExit, news.onError);
}

/** Its output goes into files of the folder, because a pipe would end with podkeep. */
function spawnInit(
  { command, args, env }: Chain,
  folder: string,
  { onExit, onError }: InitNews,
): void {
  const files = ['stdout', 'stderr'].map((name) =>
    openSync(path.join(folder, name), 'a', OWNER_ONLY),
  );
  try {
    const stdio = ['ignore' as const, ...files];
    const child = spawn(command, args, { cwd: '/', env, detached: true, stdio });
    child.unref();
    child.on('exit', onExit);
    child.on('error', onError);
  } finally {
    for (const file of files) closeSync(file);
  }
}
