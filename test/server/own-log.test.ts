/** podkeep's own log, its verbosity, and /statusz and /flagz, on the kubelet's server. */
import { describe, expect, test } from 'vitest';
import { LogWriter } from '../../src/cli/logging/log-writer.ts';
import type { ApiResponse } from '../../src/ports/api/http-handler.ts';
import { ADMIN, bodyOf, headerOf, kubeletHarness, request } from './kubelet-server-harness.ts';

const START_MS = Date.UTC(2026, 10, 18, 4, 0, 0);

function harness(settings = { enableSystemLogQuery: true }) {
  let nowMs = START_MS;
  const printed: string[] = [];
  const ownLog = new LogWriter({
    now: () => nowMs,
    pid: 7,
    print: (text) => void printed.push(text),
    event: null,
    isQuiet: false,
  });
  const log = ownLog.log('kubelet');
  for (const name of ['alpha', 'beta', 'Gamma', 'delta']) {
    log.info('Evicting pod', { pod: `shop/${name}` });
    nowMs += 60_000;
  }
  const flags = (): Record<string, string> => ({ v: String(ownLog.verbosity), 'data-dir': '/d' });
  return { ...kubeletHarness({ ownLog, settings, flags }), ownLog, log, printed };
}

const podsIn = async (answer: ApiResponse): Promise<readonly string[]> => {
  const found = (await bodyOf(answer)).matchAll(/shop\/(\w+)/g);
  return [...found].map(([, name]) => name ?? '');
};

describe('/logs/?query=', () => {
  test.each(['kubelet', 'podkeep'])('%s answers with the lines of the log', async (service) => {
    const { ask } = harness();
    const answer = await ask(`/logs/?query=${service}`);
    expect(answer.status).toBe(200);
    expect(headerOf(answer, 'content-type')).toBe('text/plain;charset=UTF-8');
    expect(await podsIn(answer)).toEqual(['alpha', 'beta', 'Gamma', 'delta']);
  });

  test.each([
    ['tailLines=2', ['Gamma', 'delta']],
    ['tailLines=0', []],
    ['sinceTime=2026-11-18T04:01:00Z&untilTime=2026-11-18T04:02:00Z', ['beta', 'Gamma']],
    ['pattern=gamma', ['Gamma']],
    ['pattern=SHOP', []],
    ['pattern=shop/.*a"&tailLines=1', ['delta']],
    ['boot=-1', []],
    ['boot=0', ['alpha', 'beta', 'Gamma', 'delta']],
  ])('%s selects lines', async (options, expected) => {
    const { ask } = harness();
    const path = `/logs/?query=kubelet&${options.replaceAll('"', '%22')}`;
    expect(await podsIn(await ask(path))).toEqual(expected);
  });

  test.each([
    ['query=', 400, 'query: Invalid value: [""]: may not be empty'],
    ['query=kubelet&sinceTime=now', 400, 'sinceTime: Invalid value: "now": invalid time format'],
    [
      'query=kubelet&tailLines=x',
      400,
      'tailLines: Invalid value: "x": strconv.Atoi: parsing "x": invalid syntax',
    ],
    [
      'query=kubelet&tailLines=100001',
      406,
      'tailLines: Invalid value: 100001: must be between 0 and 100000, inclusive',
    ],
    ['tailLines=5', 406, 'query: Required value: cannot be empty with options'],
    ['query=kubelet&boot=1', 406, 'boot: Invalid value: 1: must be less than 1'],
    ['query=a%20b', 406, 'query: Invalid value: "a b": input contains unsupported characters'],
    [
      'query=a&query=b&query=c&query=d&query=e',
      406,
      'query: Too many: 5: must have at most 4 items',
    ],
    [
      'query=/etc/shadow',
      406,
      'query: Invalid value: ["/etc/shadow"]: podkeep serves no files; query kubelet for its own log',
    ],
    [
      'query=/a&query=b',
      406,
      'query: Invalid value: "[/a], [b]": cannot specify a file and service',
    ],
    [
      'query=kubelet&sinceTime=2026-11-18T05:00:00Z&untilTime=2026-11-18T04:00:00Z',
      406,
      'untilTime: Invalid value: "2026-11-18T04:00:00Z": must be after `sinceTime`',
    ],
    [
      'query=kubelet&pattern=(a{50}){50}',
      406,
      'pattern: Invalid value: "(a{50}){50}": must repeat at most 100 times in all',
    ],
  ])('%s is refused with %i', async (search, status, message) => {
    const { ask } = harness();
    const answer = await ask(`/logs/?${search}`);
    expect([answer.status, await bodyOf(answer)]).toEqual([status, `${message}\n`]);
  });

  test('a pattern that is no regular expression is refused', async () => {
    const { ask } = harness();
    const answer = await ask('/logs/?query=kubelet&pattern=(');
    expect(answer.status).toBe(406);
    expect(await bodyOf(answer)).toMatch(/^pattern: Invalid value: "\(": .*missing closing/);
  });

  test('a path is not allowed in query mode, and another service has no log', async () => {
    const { ask } = harness();
    const below = await ask('/logs/sub?query=kubelet');
    expect([below.status, await bodyOf(below)]).toEqual([406, 'path not allowed in query mode\n']);
    expect(await bodyOf(await ask('/logs/?query=crio'))).toBe('\nlog not found for crio\n');
  });

  test('is not served unless enableSystemLogQuery is set', async () => {
    const { ask } = harness({ enableSystemLogQuery: false });
    const answer = await ask('/logs/?query=kubelet');
    expect([answer.status, await bodyOf(answer)]).toEqual([405, 'logs endpoint is disabled.\n']);
  });
});

describe('/debug/flags/v', () => {
  async function put(body: string, method = 'PUT') {
    const { server, ownLog, log, printed } = harness();
    const bytes = new Response(body).body;
    const answer = await server.answer(
      { ...request('/debug/flags/v', method), body: bytes },
      ADMIN,
    );
    log.debug('a detail');
    const hasDetail = printed.at(-1)?.includes('a detail') ?? false;
    return { ownLog, hasDetail, status: answer.status, text: await bodyOf(answer) };
  }

  test('changes the verbosity at run time', async () => {
    const { status, text, ownLog, hasDetail } = await put('4');
    expect([status, text]).toEqual([200, 'successfully set klog.logging.verbosity to 4']);
    expect(ownLog.verbosity).toBe(4);
    expect(hasDetail).toBe(true);
  });

  test.each([
    ['x', 400, 'strconv.ParseUint: parsing "x": invalid syntax'],
    ['-1', 400, 'strconv.ParseUint: parsing "-1": invalid syntax'],
    ['99999999999', 400, 'strconv.ParseUint: parsing "99999999999": value out of range'],
    ['1'.repeat(1000), 400, 'error reading request body: http: request body too large'],
  ])('refuses %s', async (body, status, text) => {
    const result = await put(body);
    expect([result.status, result.text]).toEqual([status, text]);
    expect(result.ownLog.verbosity).toBe(0);
  });

  test('is changed by PUT only', async () => {
    expect(await put('4', 'POST')).toMatchObject({ status: 406, text: 'unsupported http method' });
  });
});

describe('/statusz and /flagz', () => {
  test('are texts for people', async () => {
    const { ask, clock } = harness();
    await clock.pass(3_725_000);
    const statusz = await bodyOf(await ask('/statusz'));
    expect(statusz).toMatch(/^\nkubelet statusz\nWarning: This endpoint is not meant to be/);
    expect(statusz).toContain('\nUp: 1 hr 02 min 05 sec\n');
    expect(statusz).toContain('\nBinary version: 1.36.4-podkeep\nEmulation version: 1.36\n');
    expect(statusz).toMatch(/\nPaths: .*\/configz .*\/flagz .*\/logs .*\/pods .*\/statusz/);
    expect(await bodyOf(await ask('/flagz'))).toMatch(
      /^\nkubelet flagz\nWarning: .*\ndata-dir=\/d\nv=0\n$/,
    );
  });

  test('are objects for clients that ask for one of config.k8s.io', async () => {
    const { server } = harness();
    const accept = 'application/json;v=v1beta1;g=config.k8s.io;as=Flagz';
    const answer = await server.answer(request('/flagz', 'GET', { accept }), ADMIN);
    expect(JSON.parse(await bodyOf(answer))).toEqual({
      kind: 'Flagz',
      apiVersion: 'config.k8s.io/v1beta1',
      metadata: { name: 'kubelet' },
      flags: { v: '0', 'data-dir': '/d' },
    });
    const old = 'application/json;v=v1alpha1;g=config.k8s.io;as=Statusz';
    const deprecated = await server.answer(request('/statusz', 'GET', { accept: old }), ADMIN);
    expect(headerOf(deprecated, 'warning')).toContain('statusz endpoint is deprecated');
  });

  test.each([
    ['application/json, */*', 200],
    ['text/plain', 200],
    ['application/json', 406],
    ['image/png', 406],
  ])('Accept: %s is answered with %i', async (accept, status) => {
    const { server } = harness();
    const answer = await server.answer(request('/statusz', 'GET', { accept }), ADMIN);
    expect(answer.status).toBe(status);
  });

  test('need permission', async () => {
    const { server } = harness();
    const answers = ['/statusz', '/flagz', '/logs/?query=kubelet'].map((path) =>
      server.answer(request(path), {}),
    );
    const statuses = await Promise.all(answers);
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 401]);
  });
});
