import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { readKubeletConfig } from './kubelet-config.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

function write(fields: string): string {
  const file = path.join(makeTempFolder(), 'kubelet.yaml');
  writeFileSync(file, `${HEAD}${fields}\n`);
  return file;
}

test('format and verbosity of the log are read, and flushFrequency is accepted', async () => {
  const file = write('logging: {format: json, verbosity: 3, flushFrequency: 1s}');
  expect((await readKubeletConfig(file)).logging).toEqual({
    format: 'json',
    verbosity: 3,
    flushFrequencyMs: 1000,
  });
});

test.each([
  ['logging: {verbosity: -1}', 'logging.verbosity must be a whole number from 0 to 2147483647'],
  ['logging: {format: xml}', 'logging.format must be text or json'],
  [
    'logging: {flushFrequency: soon}',
    'logging.flushFrequency must be a duration, such as 10s or 1h30m',
  ],
  [
    'logging: {vmodule: [{filePattern: a, verbosity: 1}]}',
    'logging.vmodule is not offered by podkeep; leave it out',
  ],
  [
    'enableSystemLogHandler: false\nenableSystemLogQuery: true',
    'enableSystemLogQuery needs enableSystemLogHandler, which is false',
  ],
])('%s is refused by its path', async (fields, problem) => {
  await expect(readKubeletConfig(write(fields))).rejects.toThrow(problem);
});
