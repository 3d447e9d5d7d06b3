/** What the model accepts, and what it does not. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { Ledger } from './ledger.ts';
import { Model, unfinished, unsettled } from './model.ts';
import type { ContainerView, PodView } from './pod-view.ts';
import type { Kind } from './pods.ts';

function ledgerOf(...lines: readonly string[]): Ledger {
  const folder = makeTempFolder();
  writeFileSync(path.join(folder, 'lines'), lines.map((line) => `u ${line}\n`).join(''));
  return new Ledger(folder);
}

function podOf(kind: Kind, phase: string, main: Partial<ContainerView>, isReady = false): PodView {
  const container = { name: 'main', restartCount: 0, ready: isReady, state: {}, lastState: {} };
  return {
    metadata: { name: 'p', uid: 'u', labels: { kind }, deletionGracePeriodSeconds: 0 },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
      containerStatuses: [{ ...container, ...main }],
    },
  };
}

function ended(exitCode: number, reason = 'Error') {
  return { state: { terminated: { exitCode, reason } } };
}

function faultsOf(pod: PodView, ledger: Ledger, isStopping: boolean): number {
  const model = new Model();
  model.observe(pod, ledger, isStopping);
  return model.faults.length;
}

test('an attempt that ran twice, or beside another, is a fault', () => {
  expect(ledgerOf('main 0 start', 'main 0 start').faults).toHaveLength(1);
  expect(ledgerOf('main 0 start', 'main 1 overlap', 'main 1 start').faults).toHaveLength(1);
  expect(ledgerOf('main 0 end 0 1').faults).toHaveLength(1);
  expect(ledgerOf('main 0 start', 'main 0 end 3 1', 'main 1 start').faults).toEqual([]);
});

test('an exit code that is not the one in the ledger is a fault, even of a pod that is stopped', () => {
  const ledger = ledgerOf('main 0 start', 'main 0 end 7 1');
  expect(faultsOf(podOf('ending', 'Failed', ended(7)), ledger, false)).toBe(0);
  expect(faultsOf(podOf('ending', 'Failed', ended(137)), ledger, false)).toBe(1);
  expect(faultsOf(podOf('ending', 'Failed', ended(137)), ledger, true)).toBe(1);
});

test('a container that was stopped before its first line ended by the signal, and only then', () => {
  const ledger = ledgerOf();
  expect(faultsOf(podOf('lasting', 'Failed', ended(143)), ledger, true)).toBe(0);
  expect(faultsOf(podOf('lasting', 'Failed', ended(143)), ledger, false)).toBe(1);
  expect(faultsOf(podOf('lasting', 'Failed', ended(0)), ledger, true)).toBe(1);
  const silent = ledgerOf('main 0 start');
  expect(faultsOf(podOf('lasting', 'Failed', ended(143)), silent, true)).toBe(1);
});

test('a container that never ran before its pod was deleted is unknown (SM-42)', () => {
  const unknown = podOf('lasting', 'Failed', ended(137, 'ContainerStatusUnknown'));
  expect(faultsOf(unknown, ledgerOf(), true)).toBe(0);
  expect(faultsOf(unknown, ledgerOf('main 0 start'), true)).toBe(1);
});

test('a count that decreases is a fault, and so is a pod that was ready and is not', () => {
  const model = new Model();
  const ledger = ledgerOf('main 1 start');
  model.observe(
    podOf('lasting', 'Running', { restartCount: 1, state: { running: {} } }, true),
    ledger,
    false,
  );
  expect(model.faults).toEqual([]);
  model.observe(podOf('lasting', 'Running', { state: { running: {} } }, true), ledger, false);
  expect(model.faults).toHaveLength(1);
  model.observe(
    podOf('lasting', 'Running', { restartCount: 1, state: { waiting: {} } }),
    ledger,
    false,
  );
  expect(model.faults).toHaveLength(2);
});

test('a kill between create and start costs an attempt, and each kill only one', () => {
  const pod = podOf('lasting', 'Running', { restartCount: 1, state: { running: {} } }, true);
  const ledger = ledgerOf('main 1 start');
  expect(unsettled(pod, ledger, { kills: 1 })).toEqual([]);
  expect(unsettled(pod, ledger, { kills: 0 })).toHaveLength(1);
});

test('a container that has written its start must write its end before its pod may go', () => {
  const pod = podOf('lasting', 'Failed', ended(7));
  expect(
    unfinished(pod, ledgerOf('main 0 start', 'main 0 term', 'main 0 end 7 1'), { kills: 0 }),
  ).toEqual([]);
  expect(unfinished(pod, ledgerOf('main 0 start'), { kills: 5 })).toHaveLength(1);
  // Stopped before its first line, which counts as a run.
  expect(unfinished(podOf('lasting', 'Failed', ended(143)), ledgerOf(), { kills: 0 })).toEqual([]);
});

test('the hook comes before the signal, and once more for each kill at most', () => {
  const pod = podOf('hooked', 'Failed', ended(7));
  const run = ['main 0 start', 'main 0 term', 'main 0 end 7 1'];
  const hook = 'main - prestop';
  expect(unfinished(pod, ledgerOf('main 0 start', hook, ...run.slice(1)), { kills: 0 })).toEqual(
    [],
  );
  expect(unfinished(pod, ledgerOf(...run, hook), { kills: 0 })).toHaveLength(1);
  const twice = ledgerOf('main 0 start', hook, hook, ...run.slice(1));
  expect(unfinished(pod, twice, { kills: 0 })).toHaveLength(1);
  expect(unfinished(pod, twice, { kills: 1 })).toEqual([]);
});
