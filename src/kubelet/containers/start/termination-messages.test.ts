import { expect, test } from 'vitest';
import type { RuntimeContainer } from '../../../api/runtime-pod.ts';
import type { PodFiles } from '../../../ports/pod/pod-files.ts';
import { livePod } from '../../../../test/kubelet/runs/live-pod.ts';
import { TerminationMessages } from './termination-messages.ts';
import type { RunContainer } from '../../../api/run-spec.ts';

function harness(
  container: Partial<RunContainer>,
  seen: Partial<RuntimeContainer>,
  terminationMessages: { readonly file?: string; readonly log?: string },
) {
  const pod = livePod('web', { containers: [{ name: 'main', ...container }] });
  let reads = 0;
  const files = {
    readTerminationFile: (_run: unknown, _bytesMax: number, file?: string) => {
      reads += 1;
      return Promise.resolve(
        file === undefined ? (terminationMessages.file ?? null) : `from ${file}`,
      );
    },
    readLogTail: () => Promise.resolve(terminationMessages.log ?? ''),
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

test("the termination message follows the runtime's message (KL-45)", async () => {
  expect(await harness({}, {}, { file: 'bye' }).message()).toBe('bye');
  expect(await harness({}, { message: 'killed' }, { file: 'bye' }).message()).toBe('killed: bye');
  expect(await harness({}, { message: 'killed' }, {}).message()).toBe('killed');
});

test('a container from a kubelet has its own termination message path', async () => {
  const terminationFile = '/var/lib/kubelet/pods/u/containers/main/1a2b3c4d';
  expect(await harness({}, { terminationFile }, {}).message()).toBe(`from ${terminationFile}`);
});

test('the log is used for a container that failed without a message, if its policy says so', async () => {
  const log = 'line\n';
  expect(await harness(FALLBACK, {}, { log }).message()).toBe('line\n');
  expect(await harness(FALLBACK, {}, { file: 'bye', log }).message()).toBe('bye');
  expect(await harness(FALLBACK, { exitCode: 0 }, { log }).message()).toBeUndefined();
  expect(
    await harness(FALLBACK, { reason: 'ContainerCannotRun' }, { log }).message(),
  ).toBeUndefined();
  expect(await harness({}, {}, { log }).message()).toBeUndefined();
});

test('each end is read once', async () => {
  const { message, reads } = harness({}, {}, { file: 'bye' });
  expect([await message(), await message()]).toEqual(['bye', 'bye']);
  expect(reads()).toBe(1);
});

test('running containers, and pods that no source has reported, have no termination message', async () => {
  expect(await harness({}, { state: 'running' }, { file: 'bye' }).message()).toBeUndefined();
  const { messages } = harness({}, {}, { file: 'bye' });
  expect((await messages.inspect('stranger')).containers[0]?.message).toBeUndefined();
});
