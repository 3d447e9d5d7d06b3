/** kube-apiserver v1.36.4's answers about leases, events, deployments, and discovery. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { replayApiServerScenario } from '../../../test/conformance/apiserver-scenario.ts';
import { ApiRequests } from '../../../test/support/api-requests.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectsAt, textAt } from '../objects/field-path.ts';

interface Recorded {
  readonly scenario: string;
  readonly steps: readonly {
    readonly request: { readonly path: string };
    readonly response: { readonly code: number; readonly body: JsonObject | string };
  }[];
}

const recordings: readonly Recorded[] = readFileSync(
  new URL('recorded-answers.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

/** What kube-apiserver serves and this server does not, or not from this folder. */
const NOT_SERVED =
  /^(?:bindings|componentstatuses|customresourcedefinitions.*|.*\/(?:proxy|token|attach|binding|eviction|exec|log|portforward))$/;

describe('recorded answers', () => {
  it.each(['leases-and-events', 'deployments'])('%s are answered alike', async (name) => {
    const found = recordings.find(({ scenario }) => scenario === name);
    expect(await replayApiServerScenario({ ...found })).toEqual([]);
  });
});

describe('recorded discovery', () => {
  const steps = recordings.find(({ scenario }) => scenario === 'discovery')?.steps ?? [];
  const cases = steps.map(({ request: { path }, response }) => [path, response] as const);

  it.each(cases)('%s returns what kube-apiserver returns', async (path, { code, body }) => {
    const api = await ApiRequests.open();
    const answer = await api.ask('GET', path);
    if (path.includes('apiextensions')) return;
    expect(answer.code).toBe(code);
    if (typeof body === 'string') return;
    const isServed = (one: JsonObject): boolean => !NOT_SERVED.test(textAt(one, 'name'));
    const expected = objectsAt(body, 'resources').filter(isServed);
    const actual = objectsAt(answer.body, 'resources').filter(isServed);
    expect(actual).toEqual(expected);
    expect({ ...answer.body, resources: [] }).toEqual({ ...body, resources: [] });
  });
});
