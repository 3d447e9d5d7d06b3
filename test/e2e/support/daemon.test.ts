import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Daemon } from './daemon.ts';

function startShell(script: string): Daemon {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-daemon-'));
  const daemon = new Daemon({ name: 'shell', command: 'sh', args: ['-c', script], folder });
  onTestFinished(async () => {
    await daemon.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  return daemon;
}

test('a daemon is ready when its check passes', async () => {
  const daemon = startShell('echo up; exec sleep 60');
  await daemon.waitUntilReady(10_000, async () => daemon.log.includes('up'));
  await daemon.stop();
  expect(daemon.tail).toContain('up');
});

test('a daemon that ends before it is ready is reported immediately, with its log', async () => {
  const daemon = startShell('echo the disk is full >&2; exit 3');
  const ready = daemon.waitUntilReady(10_000, async () => false);
  await expect(ready).rejects.toThrow(/shell ended with 3[^]*the disk is full/);
});

test('a daemon that never gets ready is given up, and its log is shown', async () => {
  const daemon = startShell('echo still thinking; exec sleep 60');
  await daemon.waitUntilReady(10_000, async () => daemon.log !== '');
  const ready = daemon.waitUntilReady(200, async () => false);
  await expect(ready).rejects.toThrow(/shell to be ready[^]*still thinking/);
});

test('a missing program is an error with its name', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-daemon-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const daemon = new Daemon({ name: 'ghost', command: '/no/such/program', args: [], folder });
  await expect(daemon.waitUntilReady(10_000, async () => false)).rejects.toThrow(/ghost/);
  await daemon.stop();
});
