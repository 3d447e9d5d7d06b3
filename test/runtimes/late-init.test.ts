/**
 * podkeep is killed when the first process of a container is on its way, and the next podkeep looks
 * before it arrives. Whatever happens then, no two runs of one container are there at once, and none runs
 * that nobody knows of.
 */
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { INIT_SCRIPT } from '../../src/runtimes/process/shell/scripts.ts';
import { Stage, until } from '../suites/pod-runtime/stage.ts';
import { openForTest } from './process-runtime.ts';

interface Late {
  readonly stage: Stage;
  readonly sandbox: string;
  readonly id: string;
  /** Lets the late process go on. */
  readonly arrive: () => void;
  readonly hasLeft: () => boolean;
}

/** The container was created, its process was sent, and nobody has heard of it yet. */
async function sendLate(): Promise<Late> {
  const opened = await openForTest({ helper: 'none' });
  onTestFinished(() => opened.close());
  const stage = new Stage(opened);
  const [sent, signal] = ['sent', 'arrive'].map((name) => path.join(opened.folder, name));
  const slow = `echo $$ >${sent}\nwhile [ ! -e ${signal} ]; do sleep 0.02; done\n${INIT_SCRIPT}`;
  writeFileSync(path.join(opened.runtimeFolder, 'init.sh'), slow);
  const sandbox = await stage.runSandbox();
  const id = await stage.create(sandbox);
  // It is never answered: whoever asked is gone.
  void opened.runtime.startContainer(id).catch(() => undefined);
  await until(() => readText(sent) !== '');
  await stage.reopen();
  expect((await stage.container(id)).state).toBe('created');
  return {
    stage,
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
  test('is seen to run, and no other run of it is made beside it', async () => {
    const { stage, sandbox, id, arrive } = await sendLate();
    arrive();
    await until(async () => (await stage.container(id)).state === 'running');
    expect(stage.events.map(({ type }) => type)).toContain('containerStarted');
    await stage.stop(id, 20);
    expect((await stage.container(id)).state).toBe('exited');
    expect(await stage.create(sandbox, { attempt: 1 })).not.toBe(id);
  });

  test('never runs once another run of it was made', async () => {
    const { stage, sandbox, id, arrive, hasLeft } = await sendLate();
    const next = await stage.create(sandbox, { attempt: 1 });
    arrive();
    await until(hasLeft);
    await stage.runtime.startContainer(next);
    expect((await stage.container(next)).state).toBe('running');
    expect((await stage.container(id)).state).toBe('created');
  });

  test('never runs once its pod was stopped', async () => {
    const { stage, sandbox, id, arrive, hasLeft } = await sendLate();
    await stage.runtime.stopSandbox(sandbox);
    arrive();
    await until(hasLeft);
    expect((await stage.container(id)).state).toBe('created');
  });
});

test('a run that is about to begin keeps others from being made', async () => {
  const { stage, sandbox, id, arrive } = await sendLate();
  // It has just claimed the container, and not yet said who it is.
  const claim = path.join(stage.folder, 'runtime/pods/pod-1/main-0/claim');
  writeFileSync(claim, '');
  await expect(stage.create(sandbox, { attempt: 1 })).rejects.toMatchObject({
    code: 'RUNTIME_CONFLICT',
  });
  // But not for ever: whoever has not said so after a while never will.
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(claim, longAgo, longAgo);
  expect(await stage.create(sandbox, { attempt: 1 })).not.toBe(id);
  arrive();
});
