import { expect, test } from 'vitest';
import { PodkeepError } from '../lib/errors.ts';
import { narrateJson, narrateText, type Narrator, type NarratorStreams } from './narrator.ts';

const error = new PodkeepError('PORT_TAKEN', 'it is taken', 'Take another.', 'never');

type Narrate = (streams: NarratorStreams) => Narrator;

const narrateAlone: Narrate = (streams) => narrateText(streams, true);

function listen(narrate: Narrate, kubeconfig = '/data/kubeconfig') {
  let [out, err] = ['', ''];
  const narrator = narrate({
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  });
  narrator.tell({ event: 'starting', version: '1.2.3', dataDir: '/data' });
  narrator.tell({ event: 'opened', revision: 7, ms: 100 });
  narrator.log.debug('nobody wants to know');
  narrator.log.warn('the disk is slow', { ms: 12, error: new Error('why') });
  narrator.tell({ event: 'serving', url: 'https://127.0.0.1:1', kubeconfig, ms: 200 });
  narrator.tell({ event: 'stopping', signal: 'SIGINT' });
  narrator.tell({ event: 'stopped' });
  narrator.fail(error);
  return { out, err };
}

test('people get sentences, and the shell the one line that it needs', () => {
  const { out, err } = listen(narrateAlone);
  expect(out).toBe('export KUBECONFIG=/data/kubeconfig\n');
  expect(err.replace(/error="Error: why[^"]*"/, 'error="…"')).toMatchInlineSnapshot(`
    "podkeep 1.2.3
      data     /data
      store    at revision 7, open after 100 ms
    warning the disk is slow ms=12 error="…"
      serving  https://127.0.0.1:1 after 200 ms


    kubectl and every client library work with that. Ctrl-C stops the server.
    SIGINT: stopping; once more to stop at once
    stopped
    error PORT_TAKEN: it is taken
      hint   Take another.
    "
  `);
});

test('whoever has a command running needs no shell to be told', () => {
  const { out, err } = listen((streams) => narrateText(streams, false));
  expect(out).toBe('');
  expect(err).not.toContain('Ctrl-C');
});

test('a path that a shell would take apart is quoted', () => {
  expect(listen(narrateAlone, "/it's here/k").out).toBe(
    String.raw`export KUBECONFIG='/it'\''s here/k'` + '\n',
  );
});

test('programs get one object a line, and all of it in one stream', () => {
  const { out, err } = listen(narrateJson);
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
