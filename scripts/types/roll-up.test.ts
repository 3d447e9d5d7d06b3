import { expect, test } from 'vitest';
import { rollUpTypes } from './roll-up.ts';

function rollUp(files: Readonly<Record<string, string>>, ...entries: string[]) {
  const read = (file: string): string => {
    const text = files[file];
    if (text === undefined) throw new Error(`there is no ${file}`);
    return text;
  };
  return rollUpTypes(
    entries.map((name) => ({ name, file: `${name}.d.ts` })),
    read,
  );
}

test('what an entry point reaches is in one file, under its public names', () => {
  const files = {
    'index.d.ts': `/** All of it. */
export { advance as advanceBackOff } from './core/back-off.ts';
export type * from './pod.ts';
`,
    'core/back-off.d.ts': `/** Header. */
import type { Pod as APod } from '../pod.ts';
import * as time from './time.ts';
export interface Unused { readonly pod: APod }
/** Once more. */
export declare function advance(pod: APod, now: time.Instant, at: import('./time.ts').Zone): Pod;
interface Pod { readonly own: true }
`,
    'core/time.d.ts':
      'export type Instant = number;\nexport type Zone = typeof UTC;\ndeclare const UTC = "UTC";\n',
    'pod.d.ts': 'export interface Pod { readonly name: string }\n',
  };
  expect(rollUp(files, 'index').get('index')).toBe(`/** All of it. */
/** Once more. */
declare function advanceBackOff(pod: Pod, now: Instant, at: Zone): Pod2;
interface Pod { readonly name: string }
type Instant = number;
type Zone = typeof UTC;
declare const UTC = "UTC";
interface Pod2 { readonly own: true }
export {
  advanceBackOff,
  type Pod,
};
`);
});

test('what an earlier entry point exports is imported from there, and packages from themselves', () => {
  const files = {
    'api.d.ts': "export type { Pod as ApiPod } from './pod.ts';\n",
    'node.d.ts': `import type { Readable } from 'node:stream';
import type { Pod } from './pod.ts';
export interface Logs { read(pod: Pod): Readable }
`,
    'pod.d.ts': 'export interface Pod { readonly name: string }\n',
  };
  expect(rollUp(files, 'api', 'node').get('node')).toBe(`import { ApiPod } from './api.js';
import { Readable } from 'node:stream';
interface Logs { read(pod: ApiPod): Readable }
export {
  type Logs,
};
`);
});

test('a private name gives way to a global that is used, and parameters of types stay', () => {
  const files = {
    'index.d.ts': `export declare function fetch(request: Request): import('./own.ts').Answer<string>;\n`,
    'own.d.ts': `export interface Answer<T> { readonly request: Request; readonly body: T }
interface Request { readonly own: true }
`,
  };
  expect(rollUp(files, 'index').get('index')).toContain(
    'interface Answer<T> { readonly request: Request2; readonly body: T }\ninterface Request2 ',
  );
});

test('a class in two files, and what cannot be read, fail the build', () => {
  const files = {
    'a.d.ts': "import type { C } from './c.ts';\nexport type A = C;\n",
    'b.d.ts': "import type { C } from './c.ts';\nexport type B = C;\n",
    'c.d.ts': 'export declare class C { #private; }\n',
    'd.d.ts': 'export declare namespace D { }\n',
    'e.d.ts': "export { nothing } from './c.ts';\n",
  };
  expect(() => rollUp(files, 'a', 'b')).toThrow('export the class C of c.d.ts: it is used twice');
  expect(() => rollUp(files, 'd')).toThrow('cannot be rolled up');
  expect(() => rollUp(files, 'e')).toThrow('nothing leads nowhere');
});
