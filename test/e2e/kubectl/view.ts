/** The compared part of a step's output, as one readable text. */
import type { Json } from '../../../src/lib/json.ts';
import { isJsonObject } from '../../../src/lib/json.ts';
import { normalise, type ConfigPath } from './normalise.ts';
import type { Output } from './player.ts';
import type { View } from './step.ts';

/** A line of `explain` that names a field with its type, or the values that it may have. */
const FIELD = /^\s+\S+\t<.*>|^\s+enum: /;
const HEADING = /^[A-Z]+:/;

/** Begins the view of a step whose awaited output never came. */
export const NEVER_CAME = '[what was awaited never came]';

export function describeOutput(output: Output, view: View, place: ConfigPath): string {
  const { code, stdout, stderr, awaited } = output;
  const end = `[ended with ${code}]`;
  if (awaited !== undefined) return [NEVER_CAME, awaited, end, stdout, stderr].join('\n');
  if (view === 'code') return end;
  const parts = [end, normalise(selectPart(stdout, view), place)];
  const problems = normalise(stderr, place);
  if (problems !== '') parts.push('[stderr]', problems);
  return parts.filter((part) => part !== '').join('\n');
}

function selectPart(text: string, view: View): string {
  switch (view) {
    case 'fields':
      return [...withoutProse(text)].join('\n');
    case 'json':
      return text.startsWith('{') ? JSON.stringify(sortKeys(JSON.parse(text)), null, 2) : text;
    case 'set':
      return text.split('\n').toSorted().join('\n');
    case 'all':
    case 'code':
      return text;
  }
}

/** Every heading except that of the prose; below them the fields, and the whole list of ENUM. */
function* withoutProse(text: string): Generator<string> {
  let heading = '';
  for (const line of text.split('\n')) {
    if (HEADING.test(line)) heading = line;
    if (heading.startsWith('DESCRIPTION:')) continue;
    if (line === heading || heading.startsWith('ENUM:') || FIELD.test(line)) yield line;
  }
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, sortKeys(part)]));
}
