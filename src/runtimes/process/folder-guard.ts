/** Starts the guard: a process that kills the containers of a data folder when the folder is deleted. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { keyOf } from './layout.ts';
import type { Machine } from './machine/machine.ts';
import { TOOL_ENV } from './shell/spawn-init.ts';

/** Kills the guard; called when no container is left that it could guard. */
export type EndGuard = () => void;

/**
 * When the guard exits by itself: see shell/scripts.ts. podkeep records the PID of the new guard here,
 * because the guard itself may start late, when podkeep has closed the folder or the folder is being deleted.
 */
export async function startGuard(folder: string, machine: Machine): Promise<EndGuard> {
  const script = path.join(folder, 'guard.sh');
  const args = [script, folder, String(process.pid), keyOf(folder)];
  const guard = spawn(machine.tools.sh ?? 'sh', args, {
    cwd: '/',
    env: TOOL_ENV,
    detached: true,
    stdio: 'ignore',
  });
  // Without a guard, containers keep running when their folder is deleted; everything else works.
  guard.on('error', () => undefined);
  guard.unref();
  const { pid } = guard;
  if (pid === undefined) return () => undefined;
  await writeFile(path.join(folder, 'guard'), `${pid}\n`);
  return () => {
    // After the guard has exited, another process may have its PID.
    if (guard.exitCode === null && guard.signalCode === null) endGroup(pid);
  };
}

/** Kills the guard together with the `sleep` that it runs. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The guard has just exited.
  }
}
