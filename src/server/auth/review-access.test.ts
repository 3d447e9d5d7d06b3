import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { KubeRequest } from '../../ports/api/kube-api.ts';
import { ReviewAccess, type ReviewAccessOptions } from './review-access.ts';

const GET_METRICS = { verb: 'get', nodeName: 'node1', subresource: 'metrics' };
const JANE = { name: 'jane', uid: '7', groups: ['devs'], extra: { team: ['a', 'b'] } };

function harness(answer: JsonObject | Error, options: Partial<ReviewAccessOptions> = {}) {
  const clock = new VirtualClock();
  const sent: KubeRequest[] = [];
  const world = { answer };
  const access = new ReviewAccess({
    clock,
    api: {
      send: (request) => {
        sent.push(request);
        const { answer: now } = world;
        return now instanceof Error ? Promise.reject(now) : Promise.resolve({ status: now });
      },
    },
    certificateUser: (der) => (der[0] === 1 ? { name: 'cert', groups: ['ops'] } : null),
    ...options,
  });
  return { access, sent, clock, world };
}

describe('the user of a request', () => {
  test('is the one that this process vouches for', async () => {
    const { access, sent } = harness({});
    expect(await access.identify({ user: JANE }, 'token')).toBe(JANE);
    expect(sent).toEqual([]);
  });

  test('is the one that a certificate names, and is authenticated by that', async () => {
    const { access, sent } = harness({ authenticated: false });
    const certificate = new Uint8Array([1]);
    expect(await access.identify({ certificate }, null)).toEqual({
      name: 'cert',
      groups: ['ops', 'system:authenticated'],
    });
    expect(sent).toEqual([]);
  });

  test('is the one that the API names for a token, asked once in two minutes', async () => {
    const user = { username: 'jane', uid: '7', groups: ['devs'], extra: { team: ['a', 'b'] } };
    const { access, sent, clock } = harness({ authenticated: true, user });
    const jane = { ...JANE, groups: ['devs', 'system:authenticated'] };
    const both = [access.identify({}, 'secret'), access.identify({}, 'secret')];
    expect(await Promise.all(both)).toEqual([jane, jane]);
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token: 'secret' },
        },
      },
    ]);
    await clock.pass(119_999);
    await access.identify({}, 'secret');
    expect(sent).toHaveLength(1);
    await clock.pass(1);
    await access.identify({}, 'secret');
    expect(sent).toHaveLength(2);
    await access.identify({}, 'another');
    expect(sent).toHaveLength(3);
  });

  test('is none with a wrong token, even where anonymous requests are allowed', async () => {
    const { access } = harness({ authenticated: false }, { allowsAnonymous: true });
    expect(await access.identify({}, 'wrong')).toBeNull();
    expect(await access.identify({ certificateFault: 'expired' }, null)).toBeNull();
    expect(await access.identify({ certificate: new Uint8Array([2]) }, null)).toBeNull();
    expect(await access.identify({}, null)).toEqual({
      name: 'system:anonymous',
      groups: ['system:unauthenticated'],
    });
  });

  test('is none without credentials, unless anonymous requests are allowed', async () => {
    const { access, sent } = harness({});
    expect(await access.identify({}, null)).toBeNull();
    expect(sent).toEqual([]);
  });

  test('is unknown while the API does not answer, and asked for again after that', async () => {
    const { access, world } = harness(new Error('away'));
    await expect(access.identify({}, 'secret')).rejects.toThrow('away');
    world.answer = { authenticated: true, user: { username: 'jane' } };
    expect(await access.identify({}, 'secret')).toMatchObject({ name: 'jane' });
  });
});

describe('whether a request is allowed', () => {
  test('is asked with all attributes of the user', async () => {
    const { access, sent } = harness({ allowed: true, reason: 'RBAC' });
    expect(await access.authorize(JANE, GET_METRICS)).toEqual({ allowed: true, reason: 'RBAC' });
    expect(sent[0]?.path).toBe('/apis/authorization.k8s.io/v1/subjectaccessreviews');
    expect(sent[0]?.body).toMatchObject({
      kind: 'SubjectAccessReview',
      spec: {
        user: 'jane',
        uid: '7',
        groups: ['devs'],
        extra: { team: ['a', 'b'] },
        resourceAttributes: {
          verb: 'get',
          version: 'v1',
          resource: 'nodes',
          subresource: 'metrics',
          name: 'node1',
        },
      },
    });
  });

  test.each([
    [true, 300_000],
    [false, 30_000],
  ])('%j is remembered for %i ms', async (allowed, ms) => {
    const { access, sent, clock } = harness({ allowed });
    const ask = async () => (await access.authorize(JANE, GET_METRICS)).allowed;
    expect(await ask()).toBe(allowed);
    await clock.pass(ms - 1);
    expect(await ask()).toBe(allowed);
    expect(sent).toHaveLength(1);
    await clock.pass(1);
    await ask();
    expect(sent).toHaveLength(2);
    await access.authorize({ ...JANE, groups: [] }, GET_METRICS);
    await access.authorize(JANE, { ...GET_METRICS, verb: 'create' });
    expect(sent).toHaveLength(4);
  });

  test('is no if the API says denied, and an error if it says nothing', async () => {
    const { access } = harness({ allowed: true, denied: true });
    expect((await access.authorize(JANE, GET_METRICS)).allowed).toBe(false);
    const silent = harness(new Error('away'));
    await expect(silent.access.authorize(JANE, GET_METRICS)).rejects.toThrow('away');
  });
});
