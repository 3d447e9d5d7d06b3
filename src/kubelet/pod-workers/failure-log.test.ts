import { expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import type { LogFacts } from '../../ports/log.ts';
import { FailureLog } from './failure-log.ts';

const POD = { uid: 'u', namespace: 'default', name: 'web' };

function harness() {
  const lines: string[] = [];
  const line =
    (level: string) =>
    (message: string, facts: LogFacts = {}) => {
      const { pod, reason, failures } = facts;
      lines.push(
        [level, message, pod, reason, failures]
          .flatMap((one) => (one === undefined ? [] : [JSON.stringify(one).replaceAll('"', '')]))
          .join(' | '),
      );
    };
  const log = { debug: () => {}, info: line('info'), warn: line('warn'), error: line('error') };
  return { lines, failures: new FailureLog(POD, log) };
}

const fault = (reason: string): Error =>
  new PodkeepError('X', `failed to sync pod default/web: ${reason}`, 'hint', 'backoff');

test('a reason is logged once, and then only how often the work has failed', () => {
  const { lines, failures } = harness();
  for (let count = 1; count <= 120; count += 1) failures.failed('syncPod', fault('no config map'));
  expect(lines).toEqual([
    'warn | Failed to sync pod, will retry | default/web | no config map',
    'warn | Still failing to sync pod, will retry | default/web | 10',
    'warn | Still failing to sync pod, will retry | default/web | 100',
  ]);
});

test('two reasons that take turns are logged once each; after a success they count again', () => {
  const { lines, failures } = harness();
  for (let turn = 0; turn < 3; turn += 1) {
    failures.failed('syncPod', fault('a'));
    failures.failed('stopPod', fault('b'));
  }
  failures.succeeded();
  failures.succeeded();
  failures.failed('syncPod', fault('a'));
  expect(lines).toEqual([
    'warn | Failed to sync pod, will retry | default/web | a',
    'warn | Failed to stop pod, will retry | default/web | b',
    'info | Pod sync succeeded after failures | default/web | 6',
    'warn | Failed to sync pod, will retry | default/web | a',
  ]);
});

test('a defect of podkeep is an error, with its stack', () => {
  const { lines, failures } = harness();
  failures.failed('syncPod', new TypeError('x is not a function'));
  expect(lines).toEqual([
    'error | Failed to sync pod, will retry | default/web | x is not a function',
  ]);
});
