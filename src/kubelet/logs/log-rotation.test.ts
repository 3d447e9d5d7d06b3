import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { LogRotation } from './log-rotation.ts';

function harness(options: { readonly reopenFails?: boolean; readonly state?: 'exited' } = {}) {
  const folder = makeTempFolder();
  mkdirSync(path.join(folder, 'main'));
  const file = path.join(folder, 'main', '0.log');
  const clock = new VirtualClock();
  const reopened: string[] = [];
  const container = {
    id: 'x://1',
    name: 'main',
    state: options.state ?? ('running' as const),
    restartCount: 0,
    image: '',
    imageRef: '',
    createdAt: '2026-01-02T03:04:05Z',
  };
  const pod = { sandboxes: [], containers: [container], ips: [] };
  const rotation = new LogRotation({
    clock,
    log: silentLog,
    maxBytes: 10,
    maxFiles: 3,
    runtime: {
      list: () => Promise.resolve([{ uid: 'u', name: 'web', namespace: 'shop', pod }]),
      reopenLog: (id) => {
        reopened.push(id);
        if (options.reopenFails) return Promise.reject(new Error('no'));
        writeFileSync(file, '');
        return Promise.resolve();
      },
    },
    files: { logFolder: () => folder, logPath: () => 'main/0.log' },
  });
  const names = (): readonly string[] => readdirSync(path.join(folder, 'main')).toSorted();
  return { folder, file, clock, rotation, reopened, names };
}

test('a small log is left alone', async () => {
  const { file, rotation, reopened } = harness();
  writeFileSync(file, 'small');
  await rotation.rotate();
  expect(reopened).toEqual([]);
});

test('a large log is rotated and reopened; older ones are compressed, the oldest are removed', async () => {
  const { folder, file, clock, rotation, names } = harness();
  for (const turn of ['first', 'second', 'third', 'fourth']) {
    writeFileSync(file, `${turn} ${'x'.repeat(10)}`);
    await rotation.rotate();
    await clock.pass(10_000);
  }
  expect(names()).toEqual(['0.log', '0.log.20300102-030425.gz', '0.log.20300102-030435']);
  const old = gunzipSync(readFileSync(path.join(folder, 'main', '0.log.20300102-030425.gz')));
  expect(old.toString()).toBe('third xxxxxxxxxx');
});

test('a log that cannot be reopened is moved back, and no line is lost', async () => {
  const { file, rotation, names } = harness({ reopenFails: true });
  writeFileSync(file, 'x'.repeat(20));
  await rotation.rotate();
  expect(names()).toEqual(['0.log']);
  expect(readFileSync(file, 'utf8')).toBe('x'.repeat(20));
});

test('what an earlier run has left unfinished is cleaned up', async () => {
  const { folder, file, rotation, names } = harness();
  const old = '0.log.20290101-000000';
  for (const name of [`${old}.tmp`, old, `${old}.gz`]) {
    writeFileSync(path.join(folder, 'main', name), '');
  }
  writeFileSync(file, 'x'.repeat(20));
  await rotation.rotate();
  expect(names()).toEqual(['0.log', `${old}.gz`, '0.log.20300102-030405'].toSorted());
});

test('a log file that was removed is reopened', async () => {
  const { rotation, reopened } = harness();
  await rotation.rotate();
  expect(reopened).toEqual(['x://1']);
});

test('containers that do not run are left alone', async () => {
  const { file, rotation, names } = harness({ state: 'exited' });
  writeFileSync(file, 'x'.repeat(20));
  await rotation.rotate();
  expect(names()).toEqual(['0.log']);
});

test('it runs every ten seconds until it is stopped', async () => {
  const { clock, rotation, reopened } = harness();
  rotation.start();
  expect(clock.pending).toBe(1);
  await clock.pass(10_000);
  expect(reopened.length).toBeLessThanOrEqual(1);
  rotation.stop();
  await clock.pass(60_000);
  expect(reopened.length).toBeLessThanOrEqual(1);
});
