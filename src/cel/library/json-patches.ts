/**
 * The message types (`Object…`, `JSONPatch`) and the function `jsonpatch.escapeKey` that only expressions of
 * mutating admission policies have.
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

/**
 * The type of a message literal: `JSONPatch`, `Object`, or a nested type such as `Object.spec`. Undefined:
 * there is no such type.
 */
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
