import { expect, test } from 'vitest';
import type { KubeApi } from '../../../ports/api/kube-api.ts';
import { readKubeletConfig, type KubeletConfig } from '../../config/kubelet-config.ts';
import { kubeletAccess } from './kubelet-access.ts';

const ATTRIBUTES = { verb: 'get', nodeName: 'node', subresource: 'metrics' };
const CLIENT = { name: 'alice', groups: [] };

/** An API that authenticates every token, and allows nothing. */
function harness(change: (config: KubeletConfig) => Partial<KubeletConfig>) {
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

test('the cluster authenticates a token (TokenReview)', async () => {
  const { access, asked } = harness(() => ({}));
  expect(await (await access).identify({}, 'secret')).toMatchObject({ name: 'token-holder' });
  expect(asked).toEqual(['tokenreviews']);
});

test('without authentication.webhook tokens are ignored', async () => {
  const { access, asked } = harness(({ authentication }) => ({
    authentication: { ...authentication, webhook: { ...authentication.webhook, enabled: false } },
  }));
  expect(await (await access).identify({}, 'secret')).toBeNull();
  expect(asked).toEqual([]);
});

test('the cluster authorizes a request (SubjectAccessReview)', async () => {
  const { access, asked } = harness(() => ({}));
  expect(await (await access).authorize(CLIENT, ATTRIBUTES)).toMatchObject({ allowed: false });
  expect(asked).toEqual(['subjectaccessreviews']);
});

test('with authorization.mode AlwaysAllow every authenticated client is allowed', async () => {
  const { access, asked } = harness(({ authorization }) => ({
    authorization: { ...authorization, mode: 'AlwaysAllow' },
  }));
  expect(await (await access).authorize(CLIENT, ATTRIBUTES)).toMatchObject({ allowed: true });
  expect(asked).toEqual([]);
});
