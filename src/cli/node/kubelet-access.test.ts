import { expect, test } from 'vitest';
import type { KubeApi } from '../../ports/kube-api.ts';
import { readKubeletConfig, type KubeletConfig } from '../config/kubelet-config.ts';
import { kubeletAccess } from './kubelet-access.ts';

const ATTRIBUTES = { verb: 'get', nodeName: 'node', subresource: 'metrics' };
const SOMEBODY = { name: 'somebody', groups: [] };

/** An API that knows every token, and allows nothing. */
function stage(change: (config: KubeletConfig) => Partial<KubeletConfig>) {
  const asked: string[] = [];
  const api: KubeApi = {
    send: ({ path }) => {
      asked.push(path.slice(path.lastIndexOf('/') + 1));
      const user = { username: 'token-holder' };
      return Promise.resolve({ status: { authenticated: true, user, allowed: false } });
    },
    watch: () => {
      throw new Error('nobody watches here');
    },
  };
  const access = readKubeletConfig(null).then((config) =>
    kubeletAccess(api, { ...config, ...change(config) }),
  );
  return { access, asked };
}

test('a token is looked up in the cluster', async () => {
  const { access, asked } = stage(() => ({}));
  expect(await (await access).identify({}, 'secret')).toMatchObject({ name: 'token-holder' });
  expect(asked).toEqual(['tokenreviews']);
});

test('without authentication.webhook tokens say nothing', async () => {
  const { access, asked } = stage(({ authentication }) => ({
    authentication: { ...authentication, webhook: { ...authentication.webhook, enabled: false } },
  }));
  expect(await (await access).identify({}, 'secret')).toBeNull();
  expect(asked).toEqual([]);
});

test('the cluster says who may', async () => {
  const { access, asked } = stage(() => ({}));
  expect(await (await access).authorize(SOMEBODY, ATTRIBUTES)).toMatchObject({ allowed: false });
  expect(asked).toEqual(['subjectaccessreviews']);
});

test('with authorization.mode AlwaysAllow everybody who is known may', async () => {
  const { access, asked } = stage(({ authorization }) => ({
    authorization: { ...authorization, mode: 'AlwaysAllow' },
  }));
  expect(await (await access).authorize(SOMEBODY, ATTRIBUTES)).toMatchObject({ allowed: true });
  expect(asked).toEqual([]);
});
