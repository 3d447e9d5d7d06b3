/**
 * What expressions of mutating admission policies have beside everything else: the types of what they make,
 * and `jsonpatch.escapeKey`, which exists only where these types do.
 */
import { overload, type Overload } from '../overload.ts';
import { DYN, STRING, type MessageType } from '../type.ts';
import { text } from './arguments.ts';

const OBJECT: MessageType = { kind: 'message', name: 'Object' };

const JSON_PATCH: MessageType = {
  kind: 'message',
  name: 'JSONPatch',
  fields: new Map([
    ['op', STRING],
    ['path', STRING],
    ['from', STRING],
    ['value', DYN],
  ]),
};

/** `Object` and everything below it, and `JSONPatch`. */
export function patchMessages(name: string): MessageType | undefined {
  if (name === JSON_PATCH.name) return JSON_PATCH;
  if (name === OBJECT.name) return OBJECT;
  return name.startsWith(`${OBJECT.name}.`) ? { kind: 'message', name } : undefined;
}

export const jsonPatches: readonly Overload[] = [
  overload('jsonpatch.escapeKey(string): string', ([a], budget) => {
    budget.walk(text(a).length);
    return text(a).replaceAll('~', '~0').replaceAll('/', '~1');
  }),
];
