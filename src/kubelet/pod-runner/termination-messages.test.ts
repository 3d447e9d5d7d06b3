import { expect, test } from 'vitest';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import type { PodFiles } from '../../ports/pod-files.ts';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import { TerminationMessages } from './termination-messages.ts';
import type { RunContainer } from './run-spec.ts';

function stage(
  container: Partial<RunContainer>,
  seen: Partial<RuntimeContainer>,
  words: { readonly file?: string; readonly log?: string },
) {
  const pod = livePod('web', { containers: [{ name: 'main', ...container }] });
  let reads = 0;
  const files = {
    readTerminationFile: (_run: unknown, _bytesMax: number, file?: string) => {
      reads += 1;
      return Promise.resolve(file === undefined ? (words.file ?? null) : `from ${file}`);
    },
    readLogTail: () => Promise.resolve(words.log ?? ''),
  } satisfies Partial<PodFiles>;
  const view = {
    id: 'x://1',
    name: 'main',
    state: 'exited' as const,
    restartCount: 0,
    image: '',
    imageRef: '',
    createdAt: '2026-01-02T03:04:05Z',
    exitCode: 1,
    ...seen,
  };
  const messages = new TerminationMessages({
    runtime: { inspect: () => Promise.resolve({ sandboxes: [], containers: [view], ips: [] }) },
    files: files as unknown as PodFiles,
    pods: { find: (uid) => (uid === 'uid-of-web' ? { pod } : undefined) },
  });
  const message = async () => (await messages.inspect('uid-of-web')).containers[0]?.message;
  return { messages, message, reads: () => reads };
}

const FALLBACK = { terminationMessagePolicy: 'FallbackToLogsOnError' as const };

test('last words follow what the runtime says (KL-45)', async () => {
  expect(await stage({}, {}, { file: 'bye' }).message()).toBe('bye');
  expect(await stage({}, { message: 'killed' }, { file: 'bye' }).message()).toBe('killed: bye');
  expect(await stage({}, { message: 'killed' }, {}).message()).toBe('killed');
});

test('a container that a kubelet made says where its last words are', async () => {
  const terminationFile = '/var/lib/kubelet/pods/u/containers/main/1a2b3c4d';
  expect(await stage({}, { terminationFile }, {}).message()).toBe(`from ${terminationFile}`);
});

test('the log speaks for a container that failed without a word, if it asks for that', async () => {
  const log = 'line\n';
  expect(await stage(FALLBACK, {}, { log }).message()).toBe('line\n');
  expect(await stage(FALLBACK, {}, { file: 'bye', log }).message()).toBe('bye');
  expect(await stage(FALLBACK, { exitCode: 0 }, { log }).message()).toBeUndefined();
  expect(
    await stage(FALLBACK, { reason: 'ContainerCannotRun' }, { log }).message(),
  ).toBeUndefined();
  expect(await stage({}, {}, { log }).message()).toBeUndefined();
});

test('each end is read once', async () => {
  const { message, reads } = stage({}, {}, { file: 'bye' });
  expect([await message(), await message()]).toEqual(['bye', 'bye']);
  expect(reads()).toBe(1);
});

test('containers that run, and pods that nobody knows, have no last words', async () => {
  expect(await stage({}, { state: 'running' }, { file: 'bye' }).message()).toBeUndefined();
  const { messages } = stage({}, {}, { file: 'bye' });
  expect((await messages.inspect('stranger')).containers[0]?.message).toBeUndefined();
});
