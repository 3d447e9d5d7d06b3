/** Starts the init of a container, and lets it go: from then on it needs nobody. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const OWNER_ONLY = 0o600;

/** Its output goes into files of the folder, because a pipe would end with podkeep. */
export function spawnInit(
  { command, args, env }: Launch,
  folder: string,
  onExit: () => void,
  onError: (error: Error) => void,
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
