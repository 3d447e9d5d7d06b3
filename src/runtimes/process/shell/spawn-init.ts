/**
 * Starts the init of a container with a shell, if there is no syscall helper and the configuration allows
 * containers without isolation (process.helper: none). The init keeps running without podkeep.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { boundingSet } from '../machine/capabilities.ts';
import { containerNotStarted } from '../errors.ts';
import type { Machine } from '../machine/machine.ts';
import { writePrivateScript } from '../record-file.ts';
import type { ContainerRecord } from '../container/records.ts';
import type { Preparation } from '../start/preparation.ts';
import { runScript } from './run-script.ts';

export interface InitEnd {
  readonly onExit: () => void;
  readonly onError: (error: Error) => void;
}

/** The environment of the programs that run before the command. The command does not inherit it. */
export const TOOL_ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
const OWNER_ONLY = { mode: 0o600 };

export function spawnInit(preparation: Preparation, { onExit, onError }: InitEnd): void {
  const { record, folder, machine, marker, env, memory } = preparation;
  const { config, argv, workingDir } = record;
  if (config.tty || config.stdin) {
    const reason = 'without the syscall helper it can have neither an input nor a terminal';
    throw containerNotStarted({ name: config.name, reason });
  }
  const script = runScript({ argv, env, workingDir, reports: true });
  writePrivateScript(path.join(folder, 'run.sh'), record, script, memory);
  writeFileSync(path.join(folder, 'setup.sh'), 'whole_group=yes\n', OWNER_ONLY);
  const files = ['stdout', 'stderr'].map((name) =>
    openSync(path.join(folder, name), 'a', OWNER_ONLY.mode),
  );
  try {
    const args = [marker, folder, ...plainChain(record, machine)];
    const stdio = ['ignore' as const, ...files];
    const options = { cwd: '/', env: TOOL_ENV, detached: true, stdio };
    const child = spawn(machine.tools.sh ?? 'sh', args, options);
    child.unref();
    child.on('exit', onExit);
    child.on('error', onError);
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** The command line by which init starts a shell as the container's user; the shell reads the run script. */
export function plainChain({ user, config }: ContainerRecord, machine: Machine): readonly string[] {
  const shell = [machine.tools.sh ?? 'sh', '-s'];
  const { setpriv } = machine.tools;
  if (machine.uid !== 0 || setpriv === undefined) return shell;
  const bounding = boundingSet(config.security);
  const groups =
    user.groups.length > 0 ? [`--groups=${user.groups.join(',')}`] : ['--clear-groups'];
  return [
    setpriv,
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    ...groups,
    ...(bounding === undefined ? [] : [`--bounding-set=${bounding}`, '--inh-caps=-all']),
    ...(config.security.noNewPrivileges ? ['--no-new-privs'] : []),
    '--',
    ...shell,
  ];
}
