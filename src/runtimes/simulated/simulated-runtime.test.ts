/** The suite of all runtimes, with its commands read as scripts. No program runs. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../platform/system-clock.ts';
import { podRuntimeSuite } from '../../../test/suites/pod-runtime.ts';
import type { Commands, OpenRuntime } from '../../../test/suites/pod-runtime/runtime-harness.ts';
import type { LogLine } from './container.ts';
import { SimulatedMachine } from './machine.ts';
import type { ContainerScript, ExecAnswer, OutputLine } from './script.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';

const commands: Commands = {
  forever: ['forever'],
  stubborn: ['stubborn'],
  exit: (code) => ['exit', String(code)],
  exitOn: (signal, code) => ['exitOn', signal, String(code)],
  print: (lines) => ['print', JSON.stringify(lines)],
  count: (lines) => ['count', String(lines), '0'],
  countSlowly: (lines) => ['count', String(lines), '20'],
  countForever: ['count', '1000', '20'],
  printVariables: ['env'],
  printFolder: ['pwd'],
  printFile: (file) => ['cat', file],
  writeFile: (file) => ['write', file],
  echo: ['echo'],
};

function scriptOf([word = '', first = '', second = '']: readonly string[]): ContainerScript {
  switch (word) {
    case 'forever':
      return { stop: { exitCode: 0 } };
    case 'stubborn':
      return { stop: 'ignored', output: [{ afterMs: 0, text: 'ready' }] };
    case 'exit':
      return { lifeMs: 1, exitCode: Number(first) };
    case 'exitOn':
      return { stop: { exitCode: Number(second) }, output: [{ afterMs: 0, text: 'ready' }] };
    case 'print':
      return { lifeMs: 5, output: linesFrom(first) };
    case 'count':
      return counting(Number(first), Number(second));
    case 'no-such-command':
      return { startError: 'no-such-command: not found' };
    default:
      return {};
  }
}

function linesFrom(json: string): readonly OutputLine[] {
  const words = JSON.parse(json) as readonly (readonly ['stdout' | 'stderr', string])[];
  return words.map(([stream, text]) => ({
    afterMs: 1,
    stream,
    text: text.replace(/\n$/, ''),
    isPartial: !text.endsWith('\n'),
  }));
}

function counting(count: number, everyMs: number): ContainerScript {
  const output = Array.from({ length: count }, (_, index) => ({
    afterMs: index * everyMs,
    text: `line ${index}`,
  }));
  return { lifeMs: count * everyMs + 20, output, stop: { exitCode: 0 } };
}

function answerTo([program = '', ...words]: readonly string[]): ExecAnswer {
  switch (program) {
    case 'echo':
      return { stdout: `${words.join(' ')}\n` };
    case 'sleep':
      return { afterMs: Number(words[0]) * 1000 };
    case 'sh':
      return { stdout: 'out\n', stderr: 'err\n', exitCode: 5 };
    default:
      return { exitCode: 127 };
  }
}

/** In CRI format. */
function writeLog(file: string, line: LogLine | null): void {
  mkdirSync(path.dirname(file), { recursive: true });
  appendFileSync(file, line ? textOf(line) : '');
}

function textOf({ atMs, stream, isPartial, text }: LogLine): string {
  const time = new Date(atMs).toISOString().replace('Z', '000000Z');
  return `${time} ${stream} ${isPartial ? 'P' : 'F'} ${text}\n`;
}

function open(): Promise<OpenRuntime> {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-simulated-'));
  const machine = new SimulatedMachine({
    clock: systemClock,
    writeLog,
    scripts: ({ config }) => ({
      ...scriptOf(config.command),
      exec: ({ command }) => answerTo(command),
    }),
  });
  let runtime = new SimulatedRuntime({ machine });
  return Promise.resolve({
    runtime,
    folder,
    image: 'example.com/anything:1',
    commands,
    reopen: async () => {
      await runtime.close();
      runtime = new SimulatedRuntime({ machine });
      return runtime;
    },
    close: async () => {
      for (const { pod } of machine.list()) {
        for (const { id } of pod.sandboxes) machine.removeSandbox(id);
      }
      await runtime.close();
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

const NO_PROGRAM = 'no program runs that could look';
const NO_INPUT = 'a script hears nothing';

podRuntimeSuite({
  name: 'simulated',
  open,
  skip: {
    'variables reach the command as they are, and of two with one name the last counts': NO_PROGRAM,
    'nothing of the environment of podkeep reaches a container': NO_PROGRAM,
    'arguments follow the command, whatever is in them': NO_PROGRAM,
    'a container works in the folder that it asks for': NO_PROGRAM,
    'a volume is where the spec mounts it, and what is written there stays': NO_PROGRAM,
    'a volume that is mounted read-only cannot be written': NO_PROGRAM,
    'a single file can be mounted, over one that is there and where there is none': NO_PROGRAM,
    'a command inside sees what the container sees': NO_PROGRAM,
    'a command with streams hears and speaks until it ends': NO_INPUT,
    'whoever attaches hears what is said from then on, and speaks to the container': NO_INPUT,
  },
});
