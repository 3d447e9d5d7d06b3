/** How targets inside a root are opened and made (program/inside-root.pl). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test, type TestContext } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import type { SystemCall } from './calls.ts';
import { SyscallHelper } from './syscall-helper.ts';

interface Root {
  readonly folder: string;
  readonly outside: string;
  readonly make: (target: string, kind: 'file' | 'folder', text?: string) => Promise<void>;
}

async function openRoot(context: TestContext): Promise<Root> {
  const { helper } = await SyscallHelper.find();
  if (!helper || process.platform !== 'linux') {
    console.log('skipped: this machine has no syscall helper for roots');
    return context.skip('no syscall helper');
  }
  const base = makeTempFolder();
  const [folder, outside] = [path.join(base, 'root'), path.join(base, 'outside')];
  mkdirSync(folder);
  mkdirSync(outside);
  const make: Root['make'] = (target, kind, text) => {
    const call: SystemCall =
      text === undefined
        ? ['make', 'root', target, kind]
        : ['make', 'root', target, kind, '', text];
    return helper.perform([['keep', 'root', folder, 'path'], call]);
  };
  return { folder, outside, make };
}

test('a target that lacks only its last part is created', async (context) => {
  const { folder, make } = await openRoot(context);
  mkdirSync(path.join(folder, 'etc'));
  await make('/etc/hostname', 'file', 'web-0\n');
  expect(readFileSync(path.join(folder, 'etc/hostname'), 'utf8')).toBe('web-0\n');
  await make('etc/folder/', 'folder');
  await make('/top', 'folder');
  expect(statSync(path.join(folder, 'etc/folder')).isDirectory()).toBe(true);
  expect(statSync(path.join(folder, 'top')).isDirectory()).toBe(true);
});

test('a target that lacks more than its last part is created too', async (context) => {
  const { folder, make } = await openRoot(context);
  await make('/run/secrets/token', 'file');
  expect(statSync(path.join(folder, 'run/secrets/token')).isFile()).toBe(true);
});

test('a link that leads nowhere is followed inside the root only', async (context) => {
  const { folder, outside, make } = await openRoot(context);
  mkdirSync(path.join(folder, 'tmp'));
  symlinkSync(path.join(outside, 'made'), path.join(folder, 'tmp/last'));
  symlinkSync('../../../outside', path.join(folder, 'tmp/above'));
  await make('/tmp/last', 'file', 'text');
  await make('/tmp/above/made', 'file');
  expect(existsSync(path.join(outside, 'made'))).toBe(false);
  expect(lstatSync(path.join(folder, 'tmp/last')).isSymbolicLink()).toBe(true);
  expect(readFileSync(path.join(folder, outside, 'made'), 'utf8')).toBe('text');
  expect(existsSync(path.join(folder, 'outside/made'))).toBe(true);
});

test('names with .. are resolved while files of the machine are renamed', async (context) => {
  const { folder, outside, make } = await openRoot(context);
  mkdirSync(path.join(folder, 'a/b'), { recursive: true });
  // Renames of folders count on all of the machine.
  const renames = `while (!-e 'stop') { rename('x', 'y'); rename('y', 'x') }`;
  mkdirSync(path.join(outside, 'x'));
  const renamer = spawn('perl', ['-e', renames], { cwd: outside, stdio: 'ignore' });
  try {
    const targets = Array.from({ length: 20 }, () => `${'/a/b/../..'.repeat(40)}/a/b`);
    for (const target of targets) await expect(make(target, 'folder')).resolves.toBeUndefined();
  } finally {
    writeFileSync(path.join(outside, 'stop'), '');
    await once(renamer, 'exit');
  }
});

test('a file where a folder must be is refused', async (context) => {
  const { make } = await openRoot(context);
  await make('/file', 'file');
  await expect(make('/file/below', 'file')).rejects.toThrow('Not a directory');
});
