/**
 * Builds the script with which a shell inside the container sets the environment and becomes the command.
 *
 * The shell is the first program that sees the container's variables: programs before it run with more
 * rights, and a variable such as LD_PRELOAD would affect them. Variables are in this script, never in an
 * argument, because every user of the machine can read arguments.
 *
 * Before the exec the script notes `running`, or why the command cannot run: the start waits for this note.
 */
import { quoteArgument, quoteArguments } from './shell-quoting.ts';

export interface RunRequest {
  readonly argv: readonly string[];
  readonly env: readonly (readonly [name: string, value: string])[];
  /** Absent: an earlier program has already changed to it. */
  readonly workingDir?: string | undefined;
  /** Whether the script writes the note for which the start waits. */
  readonly reports: boolean;
}

const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Variables that a shell reserves or interprets, so `export` cannot set them for the command. */
const SHELL_OWN: ReadonlySet<string> = new Set(['PPID', 'OPTIND', 'IFS', 'PS1', 'PS2', 'PS4']);

export function runScript(request: RunRequest): string {
  const { argv, env, workingDir, reports } = request;
  const [command = ''] = argv;
  const plain = env.filter(([name]) => SHELL_NAME.test(name) && !SHELL_OWN.has(name));
  const others = env.filter((entry) => !plain.includes(entry));
  const say = (argument: string): string => (reports ? `echo ${quoteArgument(argument)} >&3` : ':');
  const refuse = (argument: string): string =>
    reports
      ? `{ ${say(`failed ${argument}`)}; exit 127; }`
      : `{ echo ${quoteArgument(argument)} >&2; exit 127; }`;
  const lines = plain.map(([name, value]) => `export ${name}=${quoteArgument(value)}`);
  if (workingDir !== undefined) {
    const missing = `the working directory ${workingDir} is not there`;
    lines.push(`cd ${quoteArgument(workingDir)} 2>/dev/null || ${refuse(oneLine(missing))}`);
    if (!plain.some(([name]) => name === 'OLDPWD')) lines.push('unset OLDPWD');
  }
  lines.push(`${checkOf(command)} || ${refuse(oneLine(explanationOf(command)))}`, say('running'));
  const args = [...others.map(([name, value]) => `${name}=${value}`), ...argv];
  const prefix = others.length > 0 ? ['env', '--', ...args] : argv;
  lines.push(`exec ${quoteArguments(prefix)} <&5 3>&- 4>&- 5>&-`);
  return `${lines.join('\n')}\n`;
}

function checkOf(command: string): string {
  if (command === '') return 'false';
  if (!command.includes('/')) return `command -v ${quoteArgument(command)} >/dev/null 2>&1`;
  return `{ [ -x ${quoteArgument(command)} ] && [ ! -d ${quoteArgument(command)} ]; }`;
}

/** The same messages as other runtimes. */
function explanationOf(command: string): string {
  const problem = command.includes('/')
    ? 'no such file or directory, or not a program that this user may run'
    : 'executable file not found in $PATH';
  return `exec: ${JSON.stringify(command)}: ${problem}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
