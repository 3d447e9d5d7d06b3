/**
 * Regular expressions of other people, matched in linear time. They are Go's (RE2), as everywhere in
 * Kubernetes: no look-around and no references back, and therefore no text that takes forever.
 */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

export interface Pattern {
  /** Anywhere in the text. */
  readonly matches: (text: string) => boolean;
  readonly expression: RE2JS;
}

/** Whoever asks for a pattern asks for it again: once for each object. */
const CACHE_SIZE_MAX = 1000;
const known = new Map<string, Pattern | PatternFault>();

/** Why a text is no pattern. */
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

const require = createRequire(import.meta.url);
let loaded: typeof RE2JS | undefined;

/** It is large, and most servers never see a pattern. */
function compiler(): typeof RE2JS {
  if (loaded) return loaded;
  const room: { readonly RE2JS: typeof RE2JS } = require('re2js');
  loaded = room.RE2JS;
  return loaded;
}

function compile(text: string): Pattern | PatternFault {
  try {
    const expression = compiler().compile(text);
    return { expression, matches: (subject) => expression.matcher(subject).find() };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
