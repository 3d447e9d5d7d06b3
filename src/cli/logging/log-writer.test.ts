import { expect, test } from 'vitest';
import type { LogRecord } from '../../core/logging/log-record.ts';
import { LogWriter, type LogSettings } from './log-writer.ts';

function harness(settings: LogSettings = {}, isQuiet = false, hasEvents = false) {
  const printed: string[] = [];
  const events: LogRecord[] = [];
  const event = hasEvents ? (record: LogRecord) => void events.push(record) : null;
  const print = (text: string): void => void printed.push(text);
  const writer = new LogWriter({ now: () => 0, pid: 7, print, event, isQuiet }, settings);
  const log = writer.log('kubelet');
  const logAll = (): void => {
    log.debug('debug');
    log.info('two', {}, 2);
    log.info('zero');
    log.warn('warn');
    log.error('error');
  };
  const messages = (): readonly string[] => printed.map((line) => /"(\w+)"/.exec(line)?.[1] ?? '');
  return { writer, log, logAll, printed, events, messages };
}

test('by default info lines of verbosity 0, warnings and errors are printed', () => {
  const { logAll, messages } = harness();
  logAll();
  expect(messages()).toEqual(['zero', 'warn', 'error']);
});

test.each([
  [2, ['two', 'zero', 'warn', 'error']],
  [4, ['debug', 'two', 'zero', 'warn', 'error']],
])('with -v %i these are printed: %j', (verbosity, expected) => {
  const { logAll, messages } = harness({ verbosity });
  logAll();
  expect(messages()).toEqual(expected);
});

test('a quiet command prints warnings and errors until a verbosity is chosen', () => {
  const { logAll, messages, writer } = harness({}, true);
  logAll();
  expect(messages()).toEqual(['warn', 'error']);
  writer.setVerbosity(0);
  logAll();
  expect(messages().slice(2)).toEqual(['zero', 'warn', 'error']);
  expect(writer.verbosity).toBe(0);
});

test('the newest lines are kept, info lines of a quiet command too', () => {
  const { logAll, writer, log } = harness({}, true);
  logAll();
  expect([...writer.lines()].map(({ text }) => /"(\w+)"/.exec(text)?.[1])).toEqual([
    'zero',
    'warn',
    'error',
  ]);
  for (let index = 0; index < 25_000; index++) log.info('again', { index });
  const lines = [...writer.lines()];
  expect(lines).toHaveLength(10_000);
  expect(lines.at(-1)?.text).toContain('index=24999');
  expect(lines[0]?.text).toContain('index=15000');
});

test('the lines that are kept have a limit of characters', () => {
  const { writer, log } = harness();
  for (let index = 0; index < 3000; index++) log.info('long', { text: 'x'.repeat(4000), index });
  const lines = [...writer.lines()];
  const characters = lines.reduce((sum, { text }) => sum + text.length, 0);
  expect(characters).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(lines.at(-1)?.text).toContain('index=2999');
});

test('with --output json lines are events, unless a format is chosen', () => {
  const { log, events, printed, writer } = harness({}, false, true);
  log.warn('first', { uid: 'u' });
  expect(events).toMatchObject([{ severity: 'warn', message: 'first', facts: { uid: 'u' } }]);
  expect(printed).toEqual([]);
  writer.configure({ format: 'json' });
  log.warn('second');
  expect(events).toHaveLength(1);
  expect(printed.map((line): unknown => JSON.parse(line))).toMatchObject([{ msg: 'second' }]);
});

test('an error that is a defect is logged with its stack, a failure of the machine is not', () => {
  const { log, printed } = harness();
  log.error('a', { error: new TypeError('x is not a function') });
  log.error('b', { error: new Error('ENOSPC') });
  expect(printed[0]).toContain('stack="TypeError: x is not a function\\n');
  expect(printed[1]).not.toContain('stack');
});
