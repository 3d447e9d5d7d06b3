import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { imageMounts, resolveCommand } from './image-folders.ts';

test('the working directory and the folder of the program are shown, by their real paths', () => {
  const real = path.join(makeTempFolder(), 'app');
  const link = path.join(makeTempFolder(), 'link');
  mkdirSync(path.join(real, 'bin'), { recursive: true });
  symlinkSync(real, link);
  const command = [path.join(link, 'bin', 'server'), 'start'];
  const { defaults, shown } = resolveCommand({ command, workingDir: link });
  // The folder of the program comes with the one around it.
  expect(shown).toEqual([real]);
  expect(defaults.workingDir).toBe(real);
  expect(defaults.command).toEqual([path.join(real, 'bin', 'server'), 'start']);
});

test.each([
  ['programs of the machine', { command: ['/usr/bin/env'], workingDir: '/usr/share' }],
  ['a folder that each container has for itself', { command: ['env'], workingDir: '/tmp' }],
  ['the whole machine', { command: ['/env'], workingDir: '/' }],
  ['the processes of the machine', { command: ['env'], workingDir: '/proc/self' }],
  ['settings of the machine', { command: ['env'], workingDir: '/etc/ssl' }],
  ['a folder that is not there', { command: ['env'], workingDir: '/srv/not-there' }],
])('%s are not mounted', (_, mapping) => {
  expect(resolveCommand(mapping)).toEqual({ defaults: mapping });
});

test('a volume of the spec replaces a folder of the image', () => {
  const volume = {
    containerPath: '/srv/app/',
    hostPath: '/data',
    isReadOnly: false,
    isRecursiveReadOnly: false,
    propagation: 'None',
  } as const;
  expect(imageMounts(['/srv/app', '/srv/bin'], [{ ...volume, containerPath: '/srv/app' }])).toEqual(
    [
      expect.objectContaining({
        containerPath: '/srv/bin',
        hostPath: '/srv/bin',
        isReadOnly: true,
      }),
    ],
  );
});
