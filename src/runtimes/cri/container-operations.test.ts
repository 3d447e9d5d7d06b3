import { expect, test, vi } from 'vitest';
import { CriStage } from '../../../test/support/cri-stage.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';

const NEVER = new AbortController().signal;

test('a command that takes too long is told as such by the runtime, which counts from its start', async () => {
  const stage = await CriStage.start();
  const clock = new VirtualClock();
  const runtime = await stage.open(clock);
  const request = { command: ['sleep', '9'], timeoutSeconds: 1 };
  const late = { code: 'EXEC_TIMED_OUT' };
  stage.answer('ExecSync', () => ({ status: 4, message: 'timeout 1s exceeded' }));
  await expect(runtime.execSync('containerd://c1', request, NEVER)).rejects.toMatchObject(late);
  // One that does not answer is given as long as any other call, and the time of the command.
  stage.answer('ExecSync', () => null);
  const heard = vi.fn<(error: unknown) => void>();
  const asked = runtime.execSync('containerd://c1', request, NEVER).catch(heard);
  await clock.pass(120_000);
  expect(heard).not.toHaveBeenCalled();
  await clock.pass(1000);
  await asked;
  expect(heard).toHaveBeenCalledWith(expect.objectContaining(late));
});
