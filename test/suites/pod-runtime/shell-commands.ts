/** The commands of the suite, for runtimes that run real programs. */
import type { Commands } from './runtime-harness.ts';

const shell = (script: string): readonly string[] => ['sh', '-c', script];

export const shellCommands: Commands = {
  forever: shell('trap "exit 0" TERM; while :; do sleep 1000 & wait $!; done'),
  stubborn: shell('trap "" TERM INT HUP; echo ready; while :; do sleep 1000; done'),
  exit: (code) => shell(`exit ${code}`),
  exitOn: (signal, code) =>
    shell(`trap "exit ${code}" ${signal}; echo ready; while :; do sleep 1000 & wait $!; done`),
  print: (lines) =>
    shell(
      lines
        .map(([stream, text]) => `printf %s '${text}' >&${stream === 'stdout' ? 1 : 2}`)
        .join('; '),
    ),
  count: (lines) => shell(`i=0; while [ $i -lt ${lines} ]; do echo "line $i"; i=$((i+1)); done`),
  countSlowly: (lines) =>
    shell(`i=0; while [ $i -lt ${lines} ]; do echo "line $i"; i=$((i+1)); sleep 0.02; done`),
  countForever: shell(
    'trap "exit 0" TERM; i=0; while :; do echo "line $i"; i=$((i+1)); sleep 0.02; done',
  ),
  printVariables: ['env'],
  printFolder: ['pwd'],
  printFile: (file) => ['cat', file],
  writeFile: (file) => shell(`echo written >${file}`),
  echo: ['cat'],
};
