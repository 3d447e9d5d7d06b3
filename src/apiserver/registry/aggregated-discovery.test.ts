import { describe, expect, it } from 'vitest';
import { ApiRequests } from '../../../test/support/api-requests.ts';
import { AGGREGATED_TYPE, wantsAggregated } from './aggregated-discovery.ts';
import { objectsAt, structAt, textAt } from '../objects/field-path.ts';

const KUBECTL = `${AGGREGATED_TYPE},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`;

describe('wantsAggregated', () => {
  it.each([
    [KUBECTL, true],
    [AGGREGATED_TYPE, true],
    ['application/json; as=APIGroupDiscoveryList; v=v2; g=apidiscovery.k8s.io', true],
    ['application/json', false],
    [`application/json,${AGGREGATED_TYPE}`, false],
    ['application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList', false],
    [null, false],
  ])('of %j is %s', (accept, wanted) => {
    expect(wantsAggregated(accept)).toBe(wanted);
  });
});

describe('aggregated discovery', () => {
  it('returns all groups at once, with its own content type', async () => {
    const api = await ApiRequests.open();
    const { code, body, contentType } = await api.ask('GET', '/apis', { accept: KUBECTL });
    expect([code, contentType]).toEqual([200, AGGREGATED_TYPE]);
    expect(body).toMatchObject({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
    });
    const names = objectsAt(body, 'items').map((group) => textAt(group, 'metadata.name'));
    expect(names).toContain('apps');
    expect(names).not.toContain('');
  });

  it('lists resources with their subresources, and a group only where it differs', async () => {
    const api = await ApiRequests.open();
    const { body } = await api.ask('GET', '/apis', { accept: KUBECTL });
    const apps = objectsAt(body, 'items').find((one) => textAt(one, 'metadata.name') === 'apps');
    const [version] = objectsAt(apps ?? {}, 'versions');
    expect(version).toMatchObject({ version: 'v1', freshness: 'Current' });
    const deployments = objectsAt(version ?? {}, 'resources').find(
      (one) => textAt(one, 'resource') === 'deployments',
    );
    expect(deployments).toEqual({
      resource: 'deployments',
      responseKind: { group: '', version: '', kind: 'Deployment' },
      scope: 'Namespaced',
      singularResource: 'deployment',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['deploy'],
      categories: ['all'],
      subresources: [
        {
          subresource: 'scale',
          responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
          verbs: ['get', 'patch', 'update'],
        },
        {
          subresource: 'status',
          responseKind: { group: '', version: '', kind: 'Deployment' },
          verbs: ['get', 'patch', 'update'],
        },
      ],
    });
  });

  it('has the core group under /api, without a name', async () => {
    const api = await ApiRequests.open();
    const { body } = await api.ask('GET', '/api', { accept: KUBECTL });
    const items = objectsAt(body, 'items');
    expect(items).toHaveLength(1);
    expect(structAt(items[0] ?? {}, 'metadata')).toEqual({});
  });

  it('returns the old lists to clients that do not support it', async () => {
    const api = await ApiRequests.open();
    const { body, contentType } = await api.ask('GET', '/apis', { accept: 'application/json' });
    expect([body['kind'], contentType]).toEqual(['APIGroupList', 'application/json']);
  });
});
