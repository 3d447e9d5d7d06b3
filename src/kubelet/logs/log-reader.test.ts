import { appendFile, mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import type { RuntimeEvent } from '../../ports/runtime/pod-runtime.ts';
import { DiskPodFiles } from '../volumes/files/disk-pod-files.ts';
import { DiskLogSource } from './disk-log-source.ts';
import type { LogOptions } from './log-options.ts';
import { LogReader } from './log-reader.ts';

const POD = { uid: 'u1', name: 'web', namespace: 'default' };
const RUN = { pod: POD, container: 'main', attempt: 0 };
const ID = 'test://1';
const ALL: LogOptions = {
  follow: false,
  timestamps: false,
  tailLines: null,
  since: null,
  limitBytes: null,
};

function line(text: string): string {
  return `2026-01-02T03:04:05.000000006Z stdout F ${text}\n`;
}

async function harness() {
  const rootFolder = makeTempFolder();
  const logFolder = path.join(rootFolder, 'logs');
  const files = new DiskPodFiles({ rootFolder, logFolder });
  await files.makeLogFolder(POD, 'main');
  const source = new DiskLogSource(files);
  const clock = new VirtualClock();
  const container: RuntimeContainer = {
    id: ID,
    name: 'main',
    state: 'running',
    restartCount: 0,
    image: 'x',
    imageRef: 'x',
    createdAt: '2026-01-02T03:04:05Z',
  };
  const world = { state: 'running' as RuntimeContainer['state'], isDown: false };
  const listeners = new Set<(event: RuntimeEvent) => void>();
  const reader = new LogReader({
    clock,
    log: silentLog,
    source,
    runtime: {
      inspect: async () => {
        if (world.isDown) throw new Error('no answer');
        const { state } = world;
        return { sandboxes: [], ips: [], containers: [{ ...container, state }] };
      },
      follow: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  });
  const file = source.nameOf(RUN);
  const end = (): void => {
    world.state = 'exited';
    for (const notify of listeners)
      notify({ podUid: POD.uid, type: 'containerDied', containerId: ID });
  };
  return { reader, file, clock, world, end, listeners, logFolder };
}

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Reads in the background, and lets time pass until the text is there. */
function follower(stream: ReadableStream<Uint8Array>, clock: VirtualClock) {
  const reader = stream.getReader();
  const seen = { text: '', isOver: false };
  const read = async (): Promise<void> => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      seen.text += Buffer.from(next.value).toString();
    }
    seen.isOver = true;
  };
  const reading = read();
  onTestFinished(async () => {
    await reader.cancel();
    await reading;
  });
  const until = async (isDone: () => boolean): Promise<void> => {
    while (!isDone()) await clock.pass(100);
  };
  return {
    seen,
    cancel: () => reader.cancel(),
    untilText: (text: string) => until(() => seen.text === text),
    untilOver: () => until(() => seen.isOver),
  };
}

describe('a log that is not followed', () => {
  test('is shown from its beginning to its end', async () => {
    const { reader, file } = await harness();
    await writeFile(file, line('one') + line('two'));
    expect(await textOf(await reader.read(RUN, ID, ALL))).toBe('one\ntwo\n');
  });

  test('is shown in blocks, however long it is, and lines across blocks are whole', async () => {
    const { reader, file } = await harness();
    const texts = Array.from({ length: 30_000 }, (_, index) => `line number ${index}`);
    await writeFile(file, texts.map(line).join(''));
    const stream = await reader.read(RUN, ID, ALL);
    expect(await textOf(stream)).toBe(texts.map((text) => `${text}\n`).join(''));
  });

  test.each([0, 1, 2, 1500, 29_999, 30_000, 40_000])('has its last %i lines', async (tailLines) => {
    const { reader, file } = await harness();
    const texts = Array.from({ length: 30_000 }, (_, index) => `line number ${index}`);
    await writeFile(file, texts.map(line).join(''));
    const stream = await reader.read(RUN, ID, { ...ALL, tailLines });
    const wanted = tailLines === 0 ? [] : texts.slice(-tailLines);
    expect(await textOf(stream)).toBe(wanted.map((text) => `${text}\n`).join(''));
  });

  test('shows a last entry that has no end, but does not count it', async () => {
    const { reader, file } = await harness();
    await writeFile(file, line('one') + line('two') + line('cut').trimEnd());
    expect(await textOf(await reader.read(RUN, ID, ALL))).toBe('one\ntwo\ncut');
    expect(await textOf(await reader.read(RUN, ID, { ...ALL, tailLines: 1 }))).toBe('two\n');
  });

  test('ends where it ended at the time of the request', async () => {
    const { reader, file } = await harness();
    await writeFile(file, line('one'));
    const stream = await reader.read(RUN, ID, ALL);
    await appendFile(file, line('two'));
    expect(await textOf(stream)).toBe('one\n');
  });

  test('skips an entry that is too long, and continues after it', async () => {
    const { reader, file } = await harness();
    await writeFile(file, line('one') + line('x'.repeat(3_000_000)) + line('two'));
    expect(await textOf(await reader.read(RUN, ID, ALL))).toBe('one\ntwo\n');
  });

  test('that does not exist gives an error that names it', async () => {
    const { reader, file } = await harness();
    await expect(reader.read(RUN, ID, ALL)).rejects.toMatchObject({
      code: 'LOG_MISSING',
      message: `failed to open log file "${file}": no such file`,
    });
  });

  test('that is a link, or in a folder that is a link to the outside, is not read', async () => {
    const { reader, file, logFolder } = await harness();
    const secret = path.join(logFolder, '..', 'secret');
    await mkdir(secret);
    await writeFile(path.join(secret, '0.log'), line('secret'));
    await symlink(path.join(secret, '0.log'), file);
    await expect(reader.read(RUN, ID, ALL)).rejects.toMatchObject({ code: 'LOG_MISSING' });
    await rm(path.dirname(file), { recursive: true });
    await symlink(secret, path.dirname(file));
    await expect(reader.read(RUN, ID, ALL)).rejects.toMatchObject({ code: 'LOG_MISSING' });
  });
});

describe('a log that is followed', () => {
  const follow = { ...ALL, follow: true };

  test('shows new lines, and ends with the container, the rest included', async () => {
    const { reader, file, clock, end } = await harness();
    await writeFile(file, line('one'));
    const { seen, untilText, untilOver } = follower(await reader.read(RUN, ID, follow), clock);
    await untilText('one\n');
    await appendFile(file, line('two'));
    await untilText('one\ntwo\n');
    await appendFile(file, line('last words'));
    end();
    await untilOver();
    expect(seen.text).toBe('one\ntwo\nlast words\n');
  });

  test('starts with the requested last lines', async () => {
    const { reader, file, clock } = await harness();
    await writeFile(file, line('one') + line('two'));
    const stream = await reader.read(RUN, ID, { ...follow, tailLines: 1 });
    const { seen, untilText } = follower(stream, clock);
    await untilText('two\n');
    await appendFile(file, line('three'));
    await untilText('two\nthree\n');
    expect(seen.isOver).toBe(false);
  });

  test('shows a line when it is whole', async () => {
    const { reader, file, clock } = await harness();
    const [start, rest] = [line('one').slice(0, 45), line('one').slice(45)];
    await writeFile(file, start);
    const { seen, untilText } = follower(await reader.read(RUN, ID, follow), clock);
    await clock.pass(3000);
    expect(seen.text).toBe('');
    await appendFile(file, rest);
    await untilText('one\n');
  });

  test('continues in the new file after a rotation, and loses nothing of the old one', async () => {
    const { reader, file, clock } = await harness();
    await writeFile(file, line('one'));
    const { seen, untilText } = follower(await reader.read(RUN, ID, follow), clock);
    await untilText('one\n');
    const old = `${file}.20260102-030405`;
    await rename(file, old);
    await appendFile(old, line('two'));
    await untilText('one\ntwo\n');
    await appendFile(old, line('three'));
    await writeFile(file, line('four'));
    await untilText('one\ntwo\nthree\nfour\n');
    await rename(file, `${file}.20260102-030406`);
    await rm(old);
    await writeFile(file, line('five'));
    await untilText('one\ntwo\nthree\nfour\nfive\n');
    expect(seen.isOver).toBe(false);
  });

  test('of a container that has ended is shown and ends', async () => {
    const { reader, file, clock, world } = await harness();
    world.state = 'exited';
    await writeFile(file, line('one'));
    const { seen, untilOver } = follower(await reader.read(RUN, ID, follow), clock);
    await untilOver();
    expect(seen.text).toBe('one\n');
  });

  test('continues while the runtime does not answer', async () => {
    const { reader, file, clock, world, end } = await harness();
    await writeFile(file, line('one'));
    world.isDown = true;
    const { seen, untilText, untilOver } = follower(await reader.read(RUN, ID, follow), clock);
    await clock.pass(5000);
    await appendFile(file, line('two'));
    await untilText('one\ntwo\n');
    expect(seen.isOver).toBe(false);
    world.isDown = false;
    end();
    await untilOver();
  });

  test('ends when the byte limit is reached', async () => {
    const { reader, file, clock } = await harness();
    await writeFile(file, line('one') + line('two'));
    const stream = await reader.read(RUN, ID, { ...follow, limitBytes: 5 });
    const { seen, untilOver } = follower(stream, clock);
    await untilOver();
    expect(seen.text).toBe('one\nt');
  });

  test('holds no resources when the reader has left', async () => {
    const { reader, file, clock, listeners } = await harness();
    await writeFile(file, line('one'));
    const { cancel, untilText } = follower(await reader.read(RUN, ID, follow), clock);
    await untilText('one\n');
    await cancel();
    await clock.pass(0);
    expect(listeners.size).toBe(0);
    expect(clock.pending).toBe(0);
    await truncate(file);
  });
});
