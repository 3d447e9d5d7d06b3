/** The guard of a folder of containers: a process that ends them when the folder is deleted. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { keyOf } from './layout.ts';
import type { Machine } from './machine/machine.ts';
import { TOOL_ENV } from './shell/spawn-init.ts';

/** Ends the guard of this podkeep immediately; for when nothing runs that it could guard. */
export type EndGuard = () => void;

/**
 * It ends by itself: see scripts.ts. That it is the guard now is recorded here and not by the guard: it may
 * come late, when the folder has been left or is being deleted.
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
  // Without a guard, containers whose folder is deleted go on; everything else works.
  guard.on('error', () => undefined);
  guard.unref();
  const { pid } = guard;
  if (pid === undefined) return () => undefined;
  await writeFile(path.join(folder, 'guard'), `${pid}\n`);
  return () => {
    // Once it has ended, its PID may be that of another process.
    if (guard.exitCode === null && guard.signalCode === null) endGroup(pid);
  };
}

/** With the `sleep` that it waits for. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended in this moment.
  }
}
