/**
 * Compiles regular expressions from users and matches them in linear time. The syntax is Go's (RE2), as
 * everywhere in Kubernetes: it has no look-around and no backreferences, so no text takes exponential time.
 *
 * Linear is not always quick: each character may cost as many steps as the compiled program has instructions,
 * about twenty nanoseconds each. So the size of a program is limited when a pattern is compiled, and the
 * number of steps when an object is validated.
 */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { estimateProgram } from './pattern-size.ts';

export interface Pattern {
  /** Matches anywhere in the text. */
  readonly matches: (text: string) => boolean;
  readonly expression: RE2JS;
  /** The number of instructions: the maximum of steps per character. */
  readonly size: number;
}

/** Limits the steps of all patterns together while one object is validated. */
export class PatternBudget {
  #steps = STEPS_MAX;

  /** False: the remaining budget is too small to match the text. */
  spend(text: string, { size }: Pattern): boolean {
    this.#steps -= text.length * size;
    return this.#steps >= 0;
  }
}

const STEPS_MAX = 10_000_000;
const PATTERN_CHARS_MAX = 10_000;
const PROGRAM_SIZE_MAX = 10_000;

/** Compiled patterns are cached, because each object needs them again. */
const CACHE_SIZE_MAX = 1000;
const known = new Map<string, Pattern | PatternFault>();

/** Why a text is not a pattern. */
export interface PatternFault {
  readonly fault: string;
}

export function compilePattern(text: string): Pattern | PatternFault {
  const found = known.get(text);
  if (found) return found;
  const compiled = compile(text);
  if (known.size >= CACHE_SIZE_MAX) known.clear();
  known.set(text, compiled);
  return compiled;
}

const TOO_LARGE: PatternFault = {
  fault: `expression too large: its program has more than ${PROGRAM_SIZE_MAX} instructions`,
};

const require = createRequire(import.meta.url);
let loaded: typeof RE2JS | undefined;

/** Loaded lazily: it is large, and most servers never see a pattern. */
function compiler(): typeof RE2JS {
  if (loaded) return loaded;
  const re2: { readonly RE2JS: typeof RE2JS } = require('re2js');
  loaded = re2.RE2JS;
  return loaded;
}

function compile(text: string): Pattern | PatternFault {
  if (text.length > PATTERN_CHARS_MAX) {
    return { fault: `expression too large: it has more than ${PATTERN_CHARS_MAX} characters` };
  }
  // The estimate may be too high, but less than twice.
  if (estimateProgram(text) > 2 * PROGRAM_SIZE_MAX) return TOO_LARGE;
  try {
    const expression = compiler().compile(text);
    const size = expression.programSize();
    if (size > PROGRAM_SIZE_MAX) return TOO_LARGE;
    return { expression, size, matches: (subject) => expression.matcher(subject).find() };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
