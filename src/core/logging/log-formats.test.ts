import { expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import { formatLogRecord } from './log-formats.ts';
import type { LogRecord } from './log-record.ts';

const TIME_MS = new Date(2026, 10, 18, 4, 52, 49, 123).getTime();

function record(facts: LogRecord['facts'], more: Partial<LogRecord> = {}): LogRecord {
  const head = { severity: 'info', v: 0, timeMs: TIME_MS, pid: 12_345 } as const;
  return { ...head, component: 'kubelet', message: 'Evicting pod', facts, ...more };
}

const text = (facts: LogRecord['facts'], more?: Partial<LogRecord>): string =>
  formatLogRecord(record(facts, more), 'text');
const json = (facts: LogRecord['facts'], more?: Partial<LogRecord>): unknown =>
  JSON.parse(formatLogRecord(record(facts, more), 'json'));

const POD = { uid: 'u-1', name: 'web', namespace: 'shop' };

test('a line of text has the header of klog, with the component in place of the source', () => {
  expect(text({ pod: POD, count: 3, isNew: true })).toBe(
    'I1118 04:52:49.123000   12345 kubelet] "Evicting pod" pod="shop/web" podUID="u-1" count=3 isNew=true',
  );
  expect(text({}, { severity: 'warn' })).toMatch(/^W1118 /);
  expect(text({}, { severity: 'error' })).toMatch(/^E1118 /);
});

test('a line of JSON has the fields of the kubelet; errors have no verbosity', () => {
  expect(json({ pod: POD, container: 'app' }, { v: 2 })).toEqual({
    ts: TIME_MS,
    level: 'info',
    logger: 'kubelet',
    msg: 'Evicting pod',
    v: 2,
    pod: { name: 'web', namespace: 'shop' },
    podUID: 'u-1',
    containerName: 'app',
  });
  const failed = json({ error: new Error('no disk'), msg: 'x' }, { severity: 'error' });
  expect(failed).toEqual({
    ts: TIME_MS,
    level: 'error',
    logger: 'kubelet',
    msg: 'Evicting pod',
    err: 'no disk',
    msg_: 'x',
  });
});

test('facts get the keys of the kubelet', () => {
  expect(text({ uid: 'u-2' })).toContain(' podUID="u-2"');
  expect(text({ pod: 'u-3' })).toContain(' podUID="u-3"');
  expect(text({ pod: 'shop/web' })).toContain(' pod="shop/web"');
  expect(text({ about: { kind: 'Node', name: 'n1' } })).toContain(' object="n1" kind="Node"');
});

test('an error is its text, with its code and its causes', () => {
  const cause = new Error('ENOSPC');
  expect(text({ error: new Error('write failed', { cause }) })).toContain(
    'err="write failed: ENOSPC"',
  );
  const known = new PodkeepError('DISK_FULL', 'the disk is full', 'Free some space.', 'backoff');
  expect(text({ error: known })).toContain('err="DISK_FULL: the disk is full"');
});

test.each(['text', 'json'] as const)(
  'a record of %s is one line without control characters',
  (format) => {
    const facts = { reason: 'a\nb\u001b[2J\u009b2J\u2028', list: ['\u0007\n'], 'a\nb': 1 };
    const line = formatLogRecord(record(facts, { message: 'x\ny\u001b' }), format);
    expect(line).not.toMatch(/[\p{Cc}\u2028]/u);
    expect(line).toContain(
      format === 'text' ? String.raw`reason="a\nb\x1b[2J` : String.raw`a\nb\u001b[2J`,
    );
  },
);

test('long values and long lists of facts are cut, and the rest is counted', () => {
  expect(text({ output: 'x'.repeat(5000) })).toMatch(/x{4096}\.\.\. \(904 more characters\)"$/);
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, index]));
  expect(text(many)).toContain(' k31=31 factsLeftOut=8');
  expect(json({ deep: { text: 'y'.repeat(9000) } })).toMatchObject({
    deep: expect.stringMatching(/^\{"text":"y+\.\.\. \(\d+ more characters\)$/),
  });
});

test('a value that cannot be printed does not lose the line', () => {
  const loop: Record<string, unknown> = {};
  loop['loop'] = loop;
  expect(text({ loop, after: 1 })).toMatch(/loop="<.*circular.*" after=1$/);
});

test('secrets are not logged, whether their key or their form shows them', () => {
  const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0abc.c2lnbmF0dXJl';
  const key = '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----';
  const line = text({
    password: 'hunter2',
    nested: { token: 'hunter3', auth: 'hunter4' },
    header: 'Authorization: Bearer abcdefghij123',
    error: new Error(`refused ${jwt}`),
    key,
    url: 'https://me:hunter5@registry.example/v2',
    tokenPath: '/var/run/token',
  });
  expect(line).not.toMatch(/hunter|abcdefghij|eyJ|abc\\n/);
  expect(line).toContain('tokenPath="/var/run/token"');
  expect(line).toContain('https://me:--- REDACTED ---@registry.example');
});
