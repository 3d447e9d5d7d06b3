/** `podkeep up` whose node cannot start: it prints why, and ends. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PodkeepUp } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

test('a damaged record of allocations ends podkeep, with the file that is to be deleted', async () => {
  const folder = makeTempFolder();
  const file = path.join(folder, 'node', 'allocated_pods_state');
  mkdirSync(path.dirname(file));
  writeFileSync(file, '{"v1":{"data":');
  const up = new PodkeepUp(['--data-dir', folder, '--port', '0', '--output', 'json']);
  const failed = await up.event('failed');
  expect(failed).toMatchObject({ code: 'CHECKPOINT_UNUSABLE' });
  expect(failed['hint']).toContain(`then delete ${file}`);
  // Nothing that it opened for the node keeps it alive.
  expect(await up.ended).toMatchObject({ code: 1 });
});
