import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { shutdownStateFile } from './shutdown-state.ts';

const FILE = 'graceful_node_shutdown_state';

test('times are kept in the kubelet’s file and format', async () => {
  const folder = makeTempFolder();
  const store = shutdownStateFile(folder);
  const times = {
    startMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    endMs: Date.UTC(2026, 0, 2, 3, 5, 0) + 7,
  };
  await store.store(times);
  expect(readdirSync(folder)).toEqual([FILE]);
  expect(JSON.parse(readFileSync(path.join(folder, FILE), 'utf8'))).toEqual({
    startTime: '2026-01-02T03:04:05.000000Z',
    endTime: '2026-01-02T03:05:00.007000Z',
  });
  expect(await store.load()).toEqual(times);
});

test('a shutdown that has not ended has Go’s zero time for its end', async () => {
  const folder = makeTempFolder();
  const store = shutdownStateFile(folder);
  await store.store({ startMs: 0, endMs: null });
  expect(readFileSync(path.join(folder, FILE), 'utf8')).toContain(
    '"endTime":"0001-01-01T00:00:00Z"',
  );
  expect(await store.load()).toEqual({ startMs: 0, endMs: null });
});

test('a file of the kubelet is read, and a missing one means that there was no shutdown', async () => {
  const folder = makeTempFolder();
  const store = shutdownStateFile(folder);
  expect(await store.load()).toEqual({ startMs: null, endMs: null });
  const text =
    '{"startTime":"2026-01-02T05:04:05.123456789+02:00","endTime":"0001-01-01T00:00:00Z"}';
  writeFileSync(path.join(folder, FILE), text);
  expect(await store.load()).toEqual({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5, 123), endMs: null });
});

test('a damaged file is an error, which the caller reports', async () => {
  const folder = makeTempFolder();
  writeFileSync(path.join(folder, FILE), '{');
  await expect(shutdownStateFile(folder).load()).rejects.toThrow(SyntaxError);
});
