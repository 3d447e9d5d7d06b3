import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../../../test/support/silent-ports.ts';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { ActionLedger } from './action-ledger.ts';

function openLedger(file: string, clock = new VirtualClock()) {
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  return { clock, warnings, ledger: new ActionLedger({ clock, log, file }) };
}

test('runs are there after a restart, as old as they are', async () => {
  const file = path.join(makeTempFolder(), 'runs.json');
  const first = openLedger(file);
  first.ledger.set('a', [{ atMs: first.clock.monotonic(), subject: 'web' }]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const clock = new VirtualClock();
  await clock.pass(5000);
  const second = openLedger(file, clock);
  expect(second.ledger.get('a')).toEqual([{ atMs: clock.monotonic() - 5000, subject: 'web' }]);
  expect(second.ledger.get('b')).toEqual([]);
});

test('a run in the future counts as now: a clock that was set back makes actions rarer', () => {
  const file = path.join(makeTempFolder(), 'runs.json');
  const at = new VirtualClock().now() + 86_400_000;
  writeFileSync(file, JSON.stringify({ a: [{ at, subject: 'web' }] }));
  const { ledger, clock } = openLedger(file);
  expect(ledger.get('a')).toEqual([{ atMs: clock.monotonic(), subject: 'web' }]);
});

test.each(['', '{', '[1]', '{"a":[{"at":"x"}],"b":7}'])(
  'a file with %j has no runs, and is written again',
  (text) => {
    const file = path.join(makeTempFolder(), 'runs.json');
    writeFileSync(file, text);
    const { ledger } = openLedger(file);
    expect(ledger.get('a')).toEqual([]);
    ledger.set('a', [{ atMs: 0, subject: 'web' }]);
    expect(readFileSync(file, 'utf8')).toContain('"subject":"web"');
  },
);

test('runs count in memory where the file cannot be written, which is logged', () => {
  const { ledger, warnings } = openLedger(path.join(makeTempFolder(), 'missing', 'runs.json'));
  const runs = [{ atMs: 1, subject: 'web' }];
  ledger.set('a', runs);
  expect(ledger.get('a')).toEqual(runs);
  expect(warnings).toEqual(['Failed to store the runs of alert actions']);
});
