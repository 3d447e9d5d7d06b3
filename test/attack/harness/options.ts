/** The command line of the attack suite. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ALL_MODES, MODES, type Mode } from './types.ts';

export interface SuiteOptions {
  /** The podkeep checkout whose bin/podkeep is attacked. */
  readonly target: string;
  readonly modes: readonly Mode[];
  /** Attacks whose id matches. */
  readonly only: RegExp | undefined;
  readonly list: boolean;
  /** The build is known to have holes: print them, and fail only if none was found. */
  readonly expectHoles: boolean;
  /** Write the expected inventories instead of comparing with them. */
  readonly update: boolean;
  /** Where the machine-readable record goes. */
  readonly json: string | undefined;
  readonly parallel: number;
  readonly verbose: boolean;
}

const ROOT = path.join(import.meta.dirname, '../../..');
const PARALLEL = 6;

/** Throws with a sentence for the person who typed it. */
export function readOptions(words: readonly string[]): SuiteOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      target: { type: 'string' },
      mode: { type: 'string', default: 'all' },
      only: { type: 'string' },
      list: { type: 'boolean', default: false },
      'expect-holes': { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
      json: { type: 'string' },
      parallel: { type: 'string', default: String(PARALLEL) },
      verbose: { type: 'boolean', default: false },
    },
  });
  return {
    target: path.resolve(values.target ?? ROOT),
    modes: modesOf(values.mode),
    only: values.only === undefined ? undefined : new RegExp(values.only),
    list: values.list,
    expectHoles: values['expect-holes'],
    update: values.update,
    json: values.json,
    parallel: Math.max(1, Number(values.parallel) || PARALLEL),
    verbose: values.verbose,
  };
}

function modesOf(word: string): readonly Mode[] {
  if (word === 'all') return ALL_MODES;
  if (word === 'process') return MODES;
  const found = ALL_MODES.filter((mode) => mode === word);
  if (found.length === 0) {
    throw new Error(`--mode ${word}: it is root, user, containerd, process (root and user) or all`);
  }
  return found;
}
