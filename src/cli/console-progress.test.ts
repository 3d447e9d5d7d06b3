import { expect, test } from 'vitest';
import { PodkeepError } from '../lib/errors.ts';
import type { LogRecord } from '../core/logging/log-record.ts';
import {
  jsonProgress,
  textProgress,
  type ConsoleProgress,
  type ConsoleStreams,
} from './console-progress.ts';

const error = new PodkeepError('PORT_TAKEN', 'it is taken', 'Take another.', 'never');

type MakeProgress = (streams: ConsoleStreams) => ConsoleProgress;

const progressAlone: MakeProgress = (streams) => textProgress(streams, true);

function warning(message: string, facts: LogRecord['facts']): LogRecord {
  return { severity: 'warn', v: 0, timeMs: 0, pid: 1, component: 'kubelet', message, facts };
}

function listen(makeProgress: MakeProgress, kubeconfig = '/data/kubeconfig') {
  let [out, err] = ['', ''];
  const progress = makeProgress({
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  });
  progress.notify({ event: 'starting', version: '1.2.3', dataDir: '/data' });
  progress.notify({ event: 'opened', revision: 7, ms: 100 });
  progress.logged?.(warning('the disk is slow', { ms: 12, error: new Error('why') }));
  progress.notify({ event: 'serving', url: 'https://127.0.0.1:1', kubeconfig, ms: 200 });
  progress.notify({ event: 'stopping', signal: 'SIGINT' });
  progress.notify({ event: 'stopped' });
  progress.fail(error);
  return { out, err };
}

test('people get sentences, and the shell the one line that it needs', () => {
  const { out, err } = listen(progressAlone);
  expect(out).toBe('export KUBECONFIG=/data/kubeconfig\n');
  expect(err).toMatchInlineSnapshot(`
    "podkeep 1.2.3
      data     /data
      store    at revision 7, open after 100 ms
      serving  https://127.0.0.1:1 after 200 ms


    kubectl and every client library work with that. Ctrl-C stops the server.
    SIGINT: stopping; a second signal ends podkeep immediately and leaves its pods running
    stopped
    error PORT_TAKEN: it is taken
      hint   Take another.
    "
  `);
});

test('with a command running no hint for the shell is printed', () => {
  const { out, err } = listen((streams) => textProgress(streams, false));
  expect(out).toBe('');
  expect(err).not.toContain('Ctrl-C');
});

test('an end without waiting says what is left running, and how to end it', () => {
  let err = '';
  const { notify } = textProgress({ out: () => {}, err: (text) => void (err += text) }, true);
  const hint = 'podkeep down --data-dir /data stops them.';
  notify({ event: 'waiting', pods: ['default/a', 'default/b'] });
  notify({ event: 'left', signal: 'SIGHUP', pods: ['default/a'], hint });
  notify({ event: 'left', signal: 'SIGINT', pods: [], hint });
  expect(err).toBe(
    '  waiting  for default/a, default/b to stop\n' +
      `SIGHUP: ended immediately; left running: default/a\n  hint   ${hint}\n` +
      'SIGINT: ended immediately\n',
  );
});

test('a path that a shell would take apart is quoted', () => {
  expect(listen(progressAlone, "/it's here/k").out).toBe(
    String.raw`export KUBECONFIG='/it'\''s here/k'` + '\n',
  );
});

test('programs get one object a line, and all of it in one stream', () => {
  const { out, err } = listen(jsonProgress);
  expect(err).toBe('');
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(lines).toEqual([
    { event: 'starting', version: '1.2.3', dataDir: '/data' },
    { event: 'opened', revision: 7, ms: 100 },
    {
      event: 'log',
      level: 'warn',
      message: 'the disk is slow',
      ms: 12,
      error: expect.stringContaining('Error: why'),
    },
    { event: 'serving', url: 'https://127.0.0.1:1', kubeconfig: '/data/kubeconfig', ms: 200 },
    { event: 'stopping', signal: 'SIGINT' },
    { event: 'stopped' },
    { event: 'failed', code: 'PORT_TAKEN', message: 'it is taken', hint: 'Take another.' },
  ]);
});

test('facts keep their names, and neither a field of the event nor a fact is lost', () => {
  let out = '';
  const { logged } = jsonProgress({ out: (text) => void (out += text), err: () => {} });
  const loop: Record<string, unknown> = {};
  loop['loop'] = loop;
  logged?.(warning('a', { event: 'x', uid: 'u', token: 'abc', seconds: 2n ** 60n }));
  logged?.(warning('b', { loop }));
  const [first, second] = out
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  const head = { event: 'log', level: 'warn' };
  expect(first).toEqual({
    ...head,
    message: 'a',
    event_: 'x',
    uid: 'u',
    token: '--- REDACTED ---',
    seconds: '1152921504606846976',
  });
  expect(second).toEqual({ ...head, message: 'b', problem: expect.stringContaining('circular') });
});

test('control characters in others’ messages are shown, and not sent', () => {
  let err = '';
  const { fail } = textProgress({ out: () => {}, err: (text) => void (err += text) }, true);
  fail(new PodkeepError('CODE', 'it said \u001b]0;x\u0007', 'hint \u001b[2J', 'never'));
  expect(err).toBe('error CODE: it said ^[]0;x^G\n  hint   hint ^[[2J\n');
});
