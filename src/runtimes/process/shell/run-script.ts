/**
 * Writes what turns a shell inside the container into its command.
 *
 * The shell is the first program that sees the container's variables: those before it run with more
 * rights, and a variable such as LD_PRELOAD would reach into them. They travel in this script and never
 * in an argument, which every user of the machine could read.
 *
 * Before it goes it says `running`, or why it cannot: that is what a start waits for.
 */
import { quoteWord, quoteWords } from './shell-words.ts';

export interface RunRequest {
  readonly argv: readonly string[];
  readonly env: readonly (readonly [name: string, value: string])[];
  /** Where nothing else has gone there already. */
  readonly workingDir?: string | undefined;
  /** Whether somebody waits for the word that it runs. */
  readonly reports: boolean;
}

const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Names that a shell keeps for itself, or gives a meaning when they are set. */
const SHELL_OWN: ReadonlySet<string> = new Set(['PPID', 'OPTIND', 'IFS', 'PS1', 'PS2', 'PS4']);

export function runScript(request: RunRequest): string {
  const { argv, env, workingDir, reports } = request;
  const [command = ''] = argv;
  const plain = env.filter(([name]) => SHELL_NAME.test(name) && !SHELL_OWN.has(name));
  const others = env.filter((entry) => !plain.includes(entry));
  const say = (word: string): string => (reports ? `echo ${quoteWord(word)} >&3` : ':');
  const refuse = (word: string): string =>
    reports
      ? `{ ${say(`failed ${word}`)}; exit 127; }`
      : `{ echo ${quoteWord(word)} >&2; exit 127; }`;
  const lines = plain.map(([name, value]) => `export ${name}=${quoteWord(value)}`);
  if (workingDir !== undefined) {
    const missing = `the working directory ${workingDir} is not there`;
    lines.push(`cd ${quoteWord(workingDir)} 2>/dev/null || ${refuse(oneLine(missing))}`);
    if (!plain.some(([name]) => name === 'OLDPWD')) lines.push('unset OLDPWD');
  }
  lines.push(`${checkOf(command)} || ${refuse(oneLine(explanationOf(command)))}`, say('running'));
  const words = [...others.map(([name, value]) => `${name}=${value}`), ...argv];
  const prefix = others.length > 0 ? ['env', '--', ...words] : argv;
  lines.push(`exec ${quoteWords(prefix)} <&5 3>&- 4>&- 5>&-`);
  return `${lines.join('\n')}\n`;
}

function checkOf(command: string): string {
  if (command === '') return 'false';
  if (!command.includes('/')) return `command -v ${quoteWord(command)} >/dev/null 2>&1`;
  return `{ [ -x ${quoteWord(command)} ] && [ ! -d ${quoteWord(command)} ]; }`;
}

/** In the words that the other runtimes use. */
function explanationOf(command: string): string {
  const problem = command.includes('/')
    ? 'no such file or directory, or not a program that this user may run'
    : 'executable file not found in $PATH';
  return `exec: ${JSON.stringify(command)}: ${problem}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
