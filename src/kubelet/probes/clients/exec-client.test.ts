import { describe, expect, test } from 'vitest';
import { defineError } from '../../../lib/errors.ts';
import type { ExecRequest, ExecResult } from '../../../ports/runtime/streams.ts';
import { expandCommand, probeExec } from './exec-client.ts';

const FOREVER = new AbortController().signal;

const timedOut = defineError<null>({
  code: 'EXEC_TIMED_OUT',
  retry: 'backoff',
  message: () => 'it took too long',
  hint: () => '',
});

function runtimeOf(answer: () => Partial<Record<'out' | 'err', string>> & { exitCode: number }) {
  const asked: (ExecRequest & { readonly id: string })[] = [];
  const execSync = async (id: string, request: ExecRequest): Promise<ExecResult> => {
    asked.push({ id, ...request });
    const { out = '', err = '', exitCode } = answer();
    return { stdout: Buffer.from(out), stderr: Buffer.from(err), exitCode };
  };
  return { asked, execSync };
}

function probe(runtime: ReturnType<typeof runtimeOf>) {
  return probeExec(runtime, 'sim://1', ['cat', '/ready'], 2, FOREVER);
}

describe('the exit code is the result', () => {
  test('0 is a success', async () => {
    const runtime = runtimeOf(() => ({ exitCode: 0, out: 'fine\n' }));
    expect(await probe(runtime)).toEqual({ result: 'success', output: 'fine\n' });
    expect(runtime.asked).toEqual([
      { id: 'sim://1', command: ['cat', '/ready'], timeoutSeconds: 2 },
    ]);
  });

  test('any other is a failure, with the output of both streams', async () => {
    const runtime = runtimeOf(() => ({ exitCode: 1, out: 'not yet\n', err: 'sorry' }));
    expect(await probe(runtime)).toEqual({ result: 'failure', output: 'not yet\nsorry' });
  });

  test('of the output, 10 KiB are kept, and no half character', async () => {
    const runtime = runtimeOf(() => ({ exitCode: 1, out: 'x' + 'é'.repeat(20_000) }));
    const { output } = await probe(runtime);
    expect(output).toBe('x' + 'é'.repeat(5119));
  });

  test('a command that takes too long has failed', async () => {
    const runtime = runtimeOf(() => {
      throw timedOut(null);
    });
    const output = 'command timed out: "cat /ready" timed out after 2s';
    expect(await probe(runtime)).toEqual({ result: 'failure', output });
  });

  test('a command that could not be run is an error', async () => {
    const runtime = runtimeOf(() => {
      throw new Error('container not found');
    });
    await expect(probe(runtime)).rejects.toThrow('container not found');
  });
});

test.each<[string, string]>([
  ['$(A)', 'one'],
  ['x$(A)y$(B)', 'xoney'],
  ['$(MISSING)', '$(MISSING)'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$one'],
  ['$A $', '$A $'],
  ['$(constructor)', '$(constructor)'],
  ['$(A', '$(A'],
])('variables of the spec are replaced by their values: %s', (word, expected) => {
  const env = [{ name: 'A', value: 'one' }, { name: 'B' }];
  expect(expandCommand([word], env)).toEqual([expected]);
});
