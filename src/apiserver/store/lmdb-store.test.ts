import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { objectStoreSuite } from '../../../test/suites/object-store.ts';
import { openLmdbStore } from './lmdb-store.ts';

objectStoreSuite({
  name: 'lmdb',
  histories: 20,
  open: (options) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-store-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return openLmdbStore({ ...options, folder });
  },
});
