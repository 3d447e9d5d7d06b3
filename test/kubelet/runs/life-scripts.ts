/** What the commands of the recorded pods do, as scripts of simulated containers. */
import type { ContainerScript, Runs, ScriptBook } from '../../../src/runtimes/simulated/script.ts';

const RUNS: ContainerScript = { startMs: 50, stop: { afterMs: 150, exitCode: 0 } };

function exits(exitCode: number, lifeMs = 150): ContainerScript {
  return { startMs: 50, lifeMs, exitCode };
}

function seconds(runningMs: number): number {
  return runningMs / 1000;
}

const NOT_FOUND =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create ' +
  'failed: unable to start container process: exec: "/bin/nonexistent": stat /bin/nonexistent: no such ' +
  'file or directory: unknown';

/** By the last word of the command. */
const LIVES: Readonly<Record<string, Runs>> = {
  "trap 'exit 0' TERM; while :; do sleep 0.2; done": RUNS,
  "trap '' TERM; while :; do sleep 0.2; done": { ...RUNS, stop: 'ignored' },
  'exit 0': exits(0),
  'exit 1': exits(1),
  'exit 3': exits(3),
  'exit 4': exits(4),
  'sleep 1': exits(0, 1000),
  'test -f /v/x && exit 0; touch /v/x; exit 1': [exits(1), exits(0)],
  'echo -n from file > /dev/termination-log; exit 2': {
    ...exits(2),
    terminationMessage: 'from file',
  },
  'echo line one; echo line two; exit 2': {
    ...exits(2),
    output: [
      { afterMs: 1, text: 'line one' },
      { afterMs: 2, text: 'line two' },
    ],
  },
  // The first process of a namespace cannot kill itself, and so its shell ends with 1.
  'kill -9 $$': exits(1),
  "sleep 3; touch /tmp/down; trap 'exit 0' TERM; while :; do sleep 0.2; done": RUNS,
  "sleep 2; touch /tmp/up; trap 'exit 0' TERM; while :; do sleep 0.2; done": RUNS,
  '/bin/nonexistent': { startError: NOT_FOUND },
};

/** What commands inside a container end with, and what they print. */
const COMMANDS: Readonly<Record<string, (runningMs: number) => [number, string?]>> = {
  'exit 1': () => [1],
  'exit 7': () => [7],
  'echo not yet; exit 1': () => [1, 'not yet\n'],
  'test ! -f /tmp/down': (runningMs) => [seconds(runningMs) >= 3 ? 1 : 0],
  'test -f /tmp/up': (runningMs) => [seconds(runningMs) >= 2 ? 0 : 1],
};

export const recordedScripts: ScriptBook = ({ config }) => {
  const runs = LIVES[config.command.at(-1) ?? ''] ?? RUNS;
  const script = Array.isArray(runs)
    ? (runs as readonly ContainerScript[])[Math.min(config.attempt, runs.length - 1)]
    : (runs as ContainerScript);
  return {
    ...script,
    exec: ({ command, runningMs }) => {
      const [word = ''] = command.slice(-1);
      if (word === 'sleep 2') return { afterMs: 2000 };
      const [exitCode, stdout = ''] = COMMANDS[word]?.(runningMs) ?? [0];
      return { exitCode, stdout };
    },
  };
};
