import { expect, test } from 'vitest';
import { prometheusText } from '../../lib/metrics/exposition.ts';
import { Registry } from '../../lib/metrics/registry.ts';
import { reportRestarts } from './restart-report.ts';

test('restarts are Events of the node and a metric, and need not be reported again', () => {
  const metrics = new Registry();
  const recorded: string[] = [];
  const reported: number[] = [];
  const time = '2030-01-02T03:04:05Z';
  const restarts = {
    counts: { hang: 2, exit: 1 },
    pending: [
      { reason: 'hang', time, attempt: 1, detail: 'no heartbeat for 20 s; state T' },
      { reason: 'exit', time, attempt: 2, exitCode: 1 },
      { reason: 'signal', time, attempt: 3, signal: 'SIGSEGV' },
    ],
  };
  const events = {
    recordNode: (...words: readonly string[]) => void recorded.push(words.join(' ')),
  };
  const link = { restarts, reported: (count: number) => void reported.push(count) };
  reportRestarts(link, { events, metrics });
  const end = (attempt: number) =>
    `at ${time} and was restarted by its supervisor (attempt ${attempt})`;
  expect(recorded).toEqual([
    `Warning KubeletRestarted Kubelet hung (no heartbeat for 20 s; state T) ${end(1)}`,
    `Warning KubeletRestarted Kubelet exited with code 1 ${end(2)}`,
    `Warning KubeletRestarted Kubelet was ended by SIGSEGV ${end(3)}`,
  ]);
  expect(reported).toEqual([3]);
  const text = prometheusText.expose(metrics);
  for (const line of ['{reason="hang"} 2', '{reason="exit"} 1', '{reason="signal"} 0']) {
    expect(text).toContain(`podkeep_supervisor_restarts_total${line}\n`);
  }
});
