import { describe, expect, it } from 'vitest';
import { ApiRequests, problemsOf, TABLE } from '../../../../test/support/api-requests.ts';
import { SAMPLES } from '../../../../test/support/kind-samples.ts';
import { nameOf } from '../../objects/metadata.ts';
import { objectsAt } from '../../objects/field-path.ts';

const CORE = '/api/v1/namespaces/default/events';
const GROUP = '/apis/events.k8s.io/v1/namespaces/default/events';
const oldEvent = {
  ...SAMPLES['v1/events'],
  metadata: { name: 'old' },
  message: 'hello',
  source: { component: 'kubelet', host: 'n1' },
  count: 2,
};
const newEvent = { ...SAMPLES['events.k8s.io/v1/events'], metadata: { name: 'new' }, note: 'hi' };

async function openWithBoth(): Promise<ApiRequests> {
  const api = await ApiRequests.open();
  expect((await api.ask('POST', CORE, { body: oldEvent })).code).toBe(201);
  expect((await api.ask('POST', GROUP, { body: newEvent })).code).toBe(201);
  return api;
}

describe('events of two groups', () => {
  it('are the same events under other names', async () => {
    const api = await openWithBoth();
    expect((await api.ask('GET', `${GROUP}/old`)).body).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      note: 'hello',
      deprecatedCount: 2,
      deprecatedSource: { component: 'kubelet', host: 'n1' },
      regarding: { name: 'x' },
    });
    expect((await api.ask('GET', `${CORE}/new`)).body).toMatchObject({
      apiVersion: 'v1',
      message: 'hi',
      reportingComponent: 'example.com/k',
    });
  });

  it('are listed by both, and selected by the field names of each', async () => {
    const api = await openWithBoth();
    const names = async (path: string): Promise<readonly string[]> =>
      objectsAt((await api.ask('GET', path)).body, 'items').map(nameOf);
    expect(await names(CORE)).toEqual(['new', 'old']);
    expect(await names(GROUP)).toEqual(['new', 'old']);
    expect(await names(`${CORE}?fieldSelector=source%3Dkubelet`)).toEqual(['old']);
    expect(await names(`${GROUP}?fieldSelector=reportingController%3Dexample.com%2Fk`)).toEqual([
      'new',
    ]);
    expect((await api.ask('GET', `${GROUP}?fieldSelector=source%3Dkubelet`)).code).toBe(400);
  });

  it('are watched in the form of the watched group', async () => {
    const api = await openWithBoth();
    const response = await api.server.fetch(new Request(`http://podkeep${GROUP}?watch=1`));
    const reader = response.body?.getReader();
    const [first = ''] = new TextDecoder().decode((await reader?.read())?.value).split('\n');
    await reader?.cancel();
    expect(JSON.parse(first)).toMatchObject({
      type: 'ADDED',
      object: { apiVersion: 'events.k8s.io/v1', note: 'hi' },
    });
  });

  it('are deleted through either', async () => {
    const api = await openWithBoth();
    expect((await api.ask('DELETE', `${GROUP}/old`)).code).toBe(200);
    expect((await api.ask('GET', `${CORE}/old`)).code).toBe(404);
  });

  it('are printed alike', async () => {
    const api = await openWithBoth();
    const { body: core } = await api.ask('GET', `${CORE}/old`, { accept: TABLE });
    const { body: group } = await api.ask('GET', `${GROUP}/old`, { accept: TABLE });
    const [coreRow] = objectsAt(core, 'rows');
    const [groupRow] = objectsAt(group, 'rows');
    expect(groupRow?.['cells']).toEqual(coreRow?.['cells']);
    expect(coreRow?.['cells']).toContain('kubelet, n1');
  });
});

describe('an event', () => {
  it('with an event time must name its reporter, action and reason', async () => {
    const api = await ApiRequests.open();
    const body = { metadata: { name: 'e' }, eventTime: '2026-01-02T03:04:05.000000Z' };
    expect(problemsOf(await api.ask('POST', CORE, { body }))).toEqual([
      'reportingComponent: Required value',
      expect.stringContaining('reportingComponent: Invalid value: "": name part must be non-empty'),
      expect.stringContaining('reportingComponent: Invalid value: "": name part must consist of'),
      'reportingInstance: Required value',
      'action: Required value',
      'reason: Required value',
    ]);
  });

  it('of the new group may not set deprecated fields', async () => {
    const api = await ApiRequests.open();
    const body = { ...newEvent, deprecatedCount: 3, series: { count: 1 }, type: 'Odd' };
    expect(problemsOf(await api.ask('POST', GROUP, { body }))).toEqual([
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
      'type: Invalid value: "": has invalid value: Odd',
      'count: Invalid value: "": needs to be unset',
    ]);
  });

  it('of the new group is immutable, except for its series', async () => {
    const api = await openWithBoth();
    const series = { count: 2, lastObservedTime: '2026-01-02T03:04:06.000000Z' };
    expect(problemsOf(await api.merge(`${GROUP}/new`, { series }))).toEqual(['accepted']);
    expect(problemsOf(await api.merge(`${GROUP}/new`, { note: 'other' }))).toEqual([
      'message: Invalid value: "other": field is immutable',
    ]);
    expect(problemsOf(await api.merge(`${CORE}/new`, { message: 'other' }))).toEqual(['accepted']);
  });
});
