/**
 * podkeep is killed while the first process of a container is starting, and the next podkeep looks before
 * it has started. Whatever happens then, no two runs of one container exist at once, and none runs
 * unknown.
 */
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { INIT_SCRIPT } from '../../src/runtimes/process/shell/scripts.ts';
import { TestHarness, until } from '../suites/pod-runtime/runtime-harness.ts';
import { openForTest } from './process-runtime.ts';

interface Late {
  readonly harness: TestHarness;
  readonly sandbox: string;
  readonly id: string;
  /** Lets the late process continue. */
  readonly arrive: () => void;
  readonly hasLeft: () => boolean;
}

/** The container was created, its process was started, and has not reported yet. */
async function sendLate(): Promise<Late> {
  const opened = await openForTest({ helper: 'none' });
  onTestFinished(() => opened.close());
  const harness = new TestHarness(opened);
  const [sent, signal] = ['sent', 'arrive'].map((name) => path.join(opened.folder, name));
  const slow = `echo $$ >${sent}\nwhile [ ! -e ${signal} ]; do sleep 0.02; done\n${INIT_SCRIPT}`;
  writeFileSync(path.join(opened.runtimeFolder, 'init.sh'), slow);
  const sandbox = await harness.runSandbox();
  const id = await harness.create(sandbox);
  // It is never answered: the podkeep that asked is gone.
  void opened.runtime.startContainer(id).catch(() => undefined);
  await until(() => readText(sent) !== '');
  await harness.reopen();
  expect((await harness.container(id)).state).toBe('created');
  return {
    harness,
    sandbox,
    id,
    arrive: () => writeFileSync(signal ?? '', ''),
    hasLeft: () => !existsSync(`/proc/${readText(sent).trim()}`),
  };
}

function readText(file = ''): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

describe('a container whose first process arrives late', () => {
  test('is seen to run, and no other run of it is created beside it', async () => {
    const { harness, sandbox, id, arrive } = await sendLate();
    arrive();
    await until(async () => (await harness.container(id)).state === 'running');
    expect(harness.events.map(({ type }) => type)).toContain('containerStarted');
    await harness.stop(id, 20);
    expect((await harness.container(id)).state).toBe('exited');
    expect(await harness.create(sandbox, { attempt: 1 })).not.toBe(id);
  });

  test('never runs once another run of it was created', async () => {
    const { harness, sandbox, id, arrive, hasLeft } = await sendLate();
    const next = await harness.create(sandbox, { attempt: 1 });
    arrive();
    await until(hasLeft);
    await harness.runtime.startContainer(next);
    expect((await harness.container(next)).state).toBe('running');
    expect((await harness.container(id)).state).toBe('created');
  });

  test('never runs once its pod was stopped', async () => {
    const { harness, sandbox, id, arrive, hasLeft } = await sendLate();
    await harness.runtime.stopSandbox(sandbox);
    arrive();
    await until(hasLeft);
    expect((await harness.container(id)).state).toBe('created');
  });
});

test('a run that is about to begin prevents other runs', async () => {
  const { harness, sandbox, id, arrive } = await sendLate();
  // It has just claimed the container, and not yet written what it is into the claim.
  const claim = path.join(harness.folder, 'runtime/pods/pod-1/main-0/claim');
  writeFileSync(claim, '');
  await expect(harness.create(sandbox, { attempt: 1 })).rejects.toMatchObject({
    code: 'RUNTIME_CONFLICT',
  });
  // Not without end: a process that has not done so after a while never will.
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(claim, longAgo, longAgo);
  expect(await harness.create(sandbox, { attempt: 1 })).not.toBe(id);
  arrive();
});
