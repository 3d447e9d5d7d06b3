import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { refuseWithVolumes } from './node-objects.ts';

const VOLUME = 'pvc-6c1f5b1e-0d2b-4c55-9d39-0b6f0d1f2a11';

test('a node with the data of volumes is not removed', () => {
  const folder = makeTempFolder();
  expect(() => refuseWithVolumes('web', folder)).not.toThrow();
  mkdirSync(path.join(folder, 'persistent-volumes', VOLUME), { recursive: true });
  expect(() => refuseWithVolumes('web', folder)).toThrow(
    `node web has the data of 1 volumes: ${VOLUME}`,
  );
});
