import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { readKubeletConfig } from './kubelet-config.ts';

const OURS = 'apiVersion: podkeep.dev/v1alpha1\nkind: PodkeepConfiguration\n';

function writeConfig(text: string): string {
  const file = path.join(makeTempFolder(), 'kubelet.yaml');
  writeFileSync(file, text);
  return file;
}

test('folders of a mapped command begin at the folder of the file, and names are looked up', async () => {
  const file = writeConfig(
    `${OURS}images:\n  a: { command: [./run.sh, ./x], workingDir: app }\n` +
      '  b: { command: [node, ./x], workingDir: /srv/app }\n',
  );
  const folder = path.dirname(file);
  expect((await readKubeletConfig(file)).podkeep.images).toEqual({
    a: { command: [path.join(folder, 'run.sh'), './x'], workingDir: path.join(folder, 'app') },
    b: { command: ['node', './x'], workingDir: '/srv/app' },
  });
});
