/** The command line of `npm run k8s:conformance`. */
import { parseArgs } from 'node:util';
import { defineError } from '../../src/lib/errors.ts';
import { isSetUpName, SET_UPS, type SetUpName } from './set-up-names.ts';

export interface ConformanceOptions {
  readonly on: SetUpName;
  /** Which tests: those whose name it matches, those of a file, the sample, or all. */
  readonly focus: RegExp | null;
  readonly list: string | null;
  readonly sample: boolean;
  /** How many tests run at the same time; ginkgo calls them nodes. */
  readonly nodes: number;
  readonly limitSeconds: number;
  /** Null: a new folder below the machine's temporary one. */
  readonly output: string | null;
}

const NODES_MAX = 32;
const LIMIT_SECONDS_MAX = 3600;

export const conformanceOption = defineError<{ readonly problem: string }>({
  code: 'CONFORMANCE_OPTION',
  retry: 'never',
  message: ({ problem }) => problem,
  hint: () =>
    'npm run k8s:conformance -- [--sample | --focus REGEX | --list FILE] ' +
    `[--on ${SET_UPS.join('|')}] [--nodes N] [--limit SECONDS] [--output DIR]`,
});

export function readOptions(args: readonly string[]): ConformanceOptions {
  const values = parse(args);
  const chosen = ['focus', 'list', 'sample'].filter((name) => values[name] !== undefined);
  if (chosen.length > 1)
    throw conformanceOption({ problem: `--${chosen.join(' and --')}: choose one` });
  const on = text(values, 'on') ?? 'up';
  if (!isSetUpName(on))
    throw conformanceOption({ problem: `--on ${on} is none of ${SET_UPS.join(', ')}` });
  return {
    on,
    focus: readFocus(text(values, 'focus')),
    list: text(values, 'list'),
    sample: values['sample'] === true,
    nodes: readCount('nodes', text(values, 'nodes') ?? '4', NODES_MAX),
    limitSeconds: readCount(
      'limit',
      text(values, 'limit') ?? defaultLimit(values),
      LIMIT_SECONDS_MAX,
    ),
    output: text(values, 'output'),
  };
}

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** Some tests watch for five minutes that nothing happens; none of the sample does. */
function defaultLimit(values: Values): string {
  return values['sample'] === true ? '150' : '600';
}

function parse(args: readonly string[]): Values {
  const word = { type: 'string' } as const;
  const options = {
    on: word,
    focus: word,
    list: word,
    nodes: word,
    limit: word,
    output: word,
    sample: { type: 'boolean' } as const,
  };
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw conformanceOption({ problem: error instanceof Error ? error.message : String(error) });
  }
}

function text(values: Values, name: string): string | null {
  const value = values[name];
  return typeof value === 'string' ? value : null;
}

function readFocus(source: string | null): RegExp | null {
  if (source === null) return null;
  try {
    return new RegExp(source);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw conformanceOption({ problem: `--focus ${source}: ${why}` });
  }
}

function readCount(name: string, value: string, max: number): number {
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1 && count <= max) return count;
  throw conformanceOption({ problem: `--${name} ${value} is no number from 1 to ${max}` });
}
