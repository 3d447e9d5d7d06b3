/**
 * What the commands of recorded pods do, as scripts of simulated containers.
 *
 * Files in /tmp and /dev belong to one run of a container; all others are in volumes, which the
 * containers of a pod share.
 */
import type { ContainerScript, ContainerScripts } from '../../../src/runtimes/simulated/script.ts';
import { runCommand, type FileChange, type ShellRun } from './small-shell.ts';

/** A shell takes so long to start, to exit, and to return from the sleep in its loop. */
const START_MS = 50;
const END_MS = 150;
const PROGRAMS = /(?:^|\/)(?:sh|ash|sleep|true|false|cat|echo|test|touch)$/;
const OWN_FILES = /^\/(?:tmp|dev)\//;
const TERMINATION_LOG = '/dev/termination-log';

export function recordedScripts(): ContainerScripts {
  const volumes = new Map<string, Map<string, string>>();
  return ({ podName, config: { command, args } }) => {
    const shared = volumes.get(podName) ?? new Map<string, string>();
    volumes.set(podName, shared);
    const words = [...command, ...args];
    const [program = ''] = words;
    if (program !== '' && !PROGRAMS.test(program)) return { startError: notFound(program) };
    const run: ShellRun = program === '' ? IDLE : runCommand(words, (file) => shared.get(file));
    for (const change of run.files) if (!OWN_FILES.test(change.file)) apply(shared, change);
    return scriptOf(run, shared);
  };
}

const IDLE: ShellRun = { endsAtMs: null, exitCode: 0, output: [], files: [], onStop: 'ignored' };

function scriptOf(run: ShellRun, shared: ReadonlyMap<string, string>): ContainerScript {
  const { endsAtMs, exitCode, onStop } = run;
  const terminationMessage = run.files.findLast(({ file }) => file === TERMINATION_LOG)?.text;
  return {
    startMs: START_MS,
    ...(endsAtMs !== null && { lifeMs: Math.max(endsAtMs, END_MS), exitCode }),
    output: run.output.map(({ atMs, text }, index) => ({
      afterMs: atMs + index + 1,
      text: text.replace(/\n$/, ''),
    })),
    ...(terminationMessage !== undefined &&
      terminationMessage !== null && { terminationMessage: terminationMessage }),
    stop: stopOf(onStop),
    exec: ({ command, runningMs }) => {
      const files = new Map(shared);
      for (const change of run.files) if (change.atMs <= runningMs) apply(files, change);
      const inside = runCommand(command, (file) => files.get(file));
      const stdout = inside.output.map(({ text }) => text).join('');
      const afterMs = inside.endsAtMs ?? Number.POSITIVE_INFINITY;
      return { exitCode: inside.exitCode, stdout, afterMs };
    },
  };
}

function stopOf(onStop: ShellRun['onStop']): NonNullable<ContainerScript['stop']> {
  if (onStop === 'ignored' || onStop.endsAtMs === null) return 'ignored';
  return { afterMs: END_MS + onStop.endsAtMs, exitCode: onStop.exitCode };
}

function apply(files: Map<string, string>, { file, text }: FileChange): void {
  if (text === null) files.delete(file);
  else files.set(file, text);
}

function notFound(program: string): string {
  const why = program.includes('/')
    ? `stat ${program}: no such file or directory`
    : 'executable file not found in $PATH';
  return (
    'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc ' +
    `create failed: unable to start container process: exec: "${program}": ${why}: unknown`
  );
}
