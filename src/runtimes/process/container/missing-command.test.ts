import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { missingCommand } from './missing-command.ts';

const ROOT = { isolation: 'root' } as const;
const SHOWN = { folders: ['/usr', '/bin'], machinePath: '' };

function makeCommand(name: string): string {
  const folder = path.join(makeTempFolder(), 'tools');
  mkdirSync(folder);
  writeFileSync(path.join(folder, name), '#!/bin/sh\n');
  chmodSync(path.join(folder, name), 0o755);
  return folder;
}

test('a command that is nowhere is not found', () => {
  const command = { argv: ['no-such-tool'], env: [] };
  expect(missingCommand(command, ROOT, SHOWN)).toBe(
    'exec: "no-such-tool": executable file not found in $PATH',
  );
  expect(missingCommand({ argv: ['/no/such'], env: [] }, ROOT, SHOWN)).toMatch(
    /^exec: "\/no\/such": no such file or directory/,
  );
});

test('a command of the machine in a hidden folder is named with the folder and the setting', () => {
  const folder = makeCommand('hidden-tool');
  const hint = `(${folder} of the machine is hidden from containers; name it in the setting process.tree`;
  const command = { argv: ['hidden-tool'], env: [] };
  expect(missingCommand(command, ROOT, { ...SHOWN, machinePath: `/bin:${folder}` })).toContain(
    hint,
  );
  const byPath = { argv: [path.join(folder, 'hidden-tool')], env: [] };
  expect(missingCommand(byPath, ROOT, SHOWN)).toContain(hint);
});

test('there is no hint for folders that are shown, for images, and where nothing is hidden', () => {
  const folder = makeCommand('tool');
  const command = { argv: ['tool'], env: [['PATH', folder]] as const };
  expect(missingCommand(command, ROOT, { ...SHOWN, folders: [folder] })).not.toContain('hidden');
  expect(missingCommand({ ...command, imageRoot: '/image' }, ROOT, SHOWN)).not.toContain('hidden');
  expect(missingCommand(command, { isolation: 'none' }, SHOWN)).not.toContain('hidden');
});

test('a folder that is not on the PATH of the container is named with the path of the command', () => {
  const folder = makeCommand('tool');
  const command = { argv: ['tool'], env: [['PATH', '/usr/bin']] as const };
  const call = `${folder} is not in the container's $PATH: call it ${path.join(folder, 'tool')})`;
  const hidden = missingCommand(command, ROOT, { ...SHOWN, machinePath: folder });
  expect(hidden).toContain('process.tree');
  expect(hidden).toContain(call);
  const shown = { folders: [...SHOWN.folders, folder], machinePath: folder };
  expect(missingCommand(command, ROOT, shown)).toBe(
    `exec: "tool": executable file not found in $PATH (${call}`,
  );
});
