/** docs/process-runtime.md lists what containers see and the Warning events: exactly what the source has. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ETC_FILES, ETC_FOLDERS } from '../../src/runtimes/process/root/machine-tree.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const PAGE = read('docs/process-runtime.md');

test('every Warning event of the runtime has its row, in order', () => {
  const sources = ['sandbox/unenforced.ts', 'sandbox/pod-warnings.ts'].map((file) =>
    read(`src/runtimes/process/${file}`),
  );
  const reasons = sources.flatMap((text) =>
    [
      ...text.matchAll(
        /'([A-Z][A-Za-z]+(?:Unavailable|Boundary|ReadOnly|Clash|OnDisk|Unconfined))'/g,
      ),
    ].map(([, reason = '']) => reason),
  );
  const section = PAGE.slice(PAGE.indexOf('## Warning events'));
  const rows = [...section.matchAll(/^\| `([A-Za-z]+)` +\|/gm)].map(([, reason]) => reason);
  expect(rows).toEqual([...new Set(reasons)].toSorted());
});

test('what containers see of /etc is listed, in order', () => {
  const [, list = ''] = /of `\/etc` these: ([^.]*(?:\.[a-z][^.]*)*?)\. `passwd`/s.exec(PAGE) ?? [];
  const names = [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  expect(names).toEqual([...ETC_FILES, ...ETC_FOLDERS].toSorted());
});
