import { expect, test, vi } from 'vitest';
import { CriHarness } from '../../../test/support/cri-harness.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';

const NEVER = new AbortController().signal;

test('the runtime reports a command that takes too long, counted from its start', async () => {
  const harness = await CriHarness.start();
  const clock = new VirtualClock();
  const runtime = await harness.open(clock);
  const request = { command: ['sleep', '9'], timeoutSeconds: 1 };
  const late = { code: 'EXEC_TIMED_OUT' };
  harness.answer('ExecSync', () => ({ status: 4, message: 'timeout 1s exceeded' }));
  await expect(runtime.execSync('containerd://c1', request, NEVER)).rejects.toMatchObject(late);
  // A runtime that does not answer gets the time of any other call plus the time of the command.
  harness.answer('ExecSync', () => null);
  const heard = vi.fn<(error: unknown) => void>();
  const asked = runtime.execSync('containerd://c1', request, NEVER).catch(heard);
  await clock.pass(120_000);
  expect(heard).not.toHaveBeenCalled();
  await clock.pass(1000);
  await asked;
  expect(heard).toHaveBeenCalledWith(expect.objectContaining(late));
});
