/**
 * As much of a shell as pods in recordings use, evaluated ahead of time: what a script does when, on a
 * clock that nothing else moves.
 *
 *     sleep 2; touch /tmp/up; trap 'exit 0' TERM; while :; do sleep 0.2; done
 *
 * becomes: at 2 s there is a file, then it runs until it is stopped, and that ends it with 0. A loop
 * never ends by itself. An unknown command exits with 127, as in any shell.
 */
export interface ShellRun {
  /** Null: it runs until it is stopped. */
  readonly endsAtMs: number | null;
  readonly exitCode: number;
  readonly output: readonly { readonly atMs: number; readonly text: string }[];
  readonly files: readonly FileChange[];
  /** What it does when it is asked to stop. Absent: PID 1 of a container ignores it. */
  readonly onStop: ShellRun | 'ignored';
}

export interface FileChange {
  readonly atMs: number;
  readonly file: string;
  /** Null: it is removed. */
  readonly text: string | null;
}

/** What files hold; undefined: there is none. */
export type ReadFile = (file: string) => string | undefined;

interface Statement {
  readonly words: readonly string[];
  /** How the previous one must have ended. */
  readonly when: 'always' | 'well' | 'badly';
}

export function runShell(text: string, readFile: ReadFile = () => undefined): ShellRun {
  return new Shell(readFile).run(statementsOf(text));
}

/** One command without a shell. */
export function runCommand(
  words: readonly string[],
  readFile: ReadFile = () => undefined,
): ShellRun {
  const [program = '', flag, text = ''] = words;
  if (/(?:^|\/)(?:ba|a)?sh$/.test(program) && flag === '-c') return runShell(text, readFile);
  return new Shell(readFile).run([{ words, when: 'always' }]);
}

class Shell {
  readonly #before: ReadFile;
  readonly #files: FileChange[] = [];
  readonly #output: { atMs: number; text: string }[] = [];
  #nowMs = 0;
  #code = 0;
  #isOver = false;
  #isEndless = false;
  #onStop: ShellRun['onStop'] = 'ignored';

  constructor(before: ReadFile) {
    this.#before = before;
  }

  run(statements: readonly Statement[]): ShellRun {
    for (const { words, when } of statements) {
      if (this.#isOver || this.#isEndless) break;
      if (when === 'well' && this.#code !== 0) continue;
      if (when === 'badly' && this.#code === 0) continue;
      this.#code = this.#perform(words);
    }
    return {
      endsAtMs: this.#isEndless ? null : this.#nowMs,
      exitCode: this.#code,
      output: this.#output,
      files: this.#files,
      onStop: this.#onStop,
    };
  }

  #perform([name = '', ...rest]: readonly string[]): number {
    const [first = '', second = ''] = rest;
    switch (name.replace(/^.*\//, '')) {
      case 'exit':
        this.#isOver = true;
        return Number(first);
      case 'sleep':
        this.#isEndless = first === 'infinity';
        this.#nowMs += this.#isEndless ? 0 : Number(first) * 1000;
        return 0;
      case 'while':
      case 'wait':
        this.#isEndless = true;
        return 0;
      case 'trap':
        this.#onStop = first === '' ? 'ignored' : runShell(first, this.#before);
        return 0;
      case 'test':
        return this.#test(rest);
      case '[':
        return this.#test(rest.slice(0, -1));
      case 'touch':
        return this.#write(first, this.#read(first) ?? '');
      case 'rm':
        return this.#write(second || first, null);
      case 'cat':
        return this.#cat(first);
      case 'echo':
        return this.#echo(rest);
      // PID 1 of a namespace cannot be killed from inside.
      case 'kill':
      case 'false':
        return 1;
      case ':':
      case 'true':
      case 'sync':
        return 0;
      default:
        return 127;
    }
  }

  #test([flag = '', ...rest]: readonly string[]): number {
    if (flag === '!') return this.#test(rest) === 0 ? 1 : 0;
    return this.#read(rest[0] ?? '') === undefined ? 1 : 0;
  }

  #echo(words: readonly string[]): number {
    const arrow = words.findIndex((word) => /^>>?$/.test(word));
    const given = (arrow < 0 ? words : words.slice(0, arrow)).filter((word) => word !== '>&2');
    const text = given[0] === '-n' ? given.slice(1).join(' ') : `${given.join(' ')}\n`;
    if (arrow < 0) this.#output.push({ atMs: this.#nowMs, text });
    else this.#write(words[arrow + 1] ?? '', text);
    return 0;
  }

  #cat(file: string): number {
    const text = this.#read(file);
    const words = text ?? `cat: can't open '${file}': No such file or directory\n`;
    this.#output.push({ atMs: this.#nowMs, text: words });
    return text === undefined ? 1 : 0;
  }

  #read(file: string): string | undefined {
    const change = this.#files.findLast((each) => each.file === file);
    return change ? (change.text ?? undefined) : this.#before(file);
  }

  #write(file: string, text: string | null): number {
    this.#files.push({ atMs: this.#nowMs, file, text });
    return 0;
  }
}

/** Quotes hold words together; `;`, `&&` and `||` separate statements. */
function statementsOf(text: string): readonly Statement[] {
  const statements: { words: string[]; when: Statement['when'] }[] = [
    { words: [], when: 'always' },
  ];
  const pattern = /'([^']*)'|"([^"]*)"|(&&|\|\||;|\n|&(?!\d))|([^\s;&|'"]+(?:&\d)?)/g;
  for (const [, single, double, parting, word] of text.matchAll(pattern)) {
    const given = single ?? double ?? word;
    if (given !== undefined) statements.at(-1)?.words.push(given);
    else statements.push({ words: [], when: CONDITIONS[parting ?? ''] ?? 'always' });
  }
  return statements.filter(({ words }) => words.length > 0);
}

const CONDITIONS: Readonly<Record<string, Statement['when']>> = { '&&': 'well', '||': 'badly' };
