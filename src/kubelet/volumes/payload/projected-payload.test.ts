import { describe, expect, test } from 'vitest';
import { makeVolumeHarness, podWithVolumes } from '../../../../test/support/volume-parts.ts';
import { projectedPayload } from './projected-payload.ts';

const SIGNAL = new AbortController().signal;

describe('a volume of several sources', () => {
  test('shows the files of all of them, the last one over the others', async () => {
    const { deps, objects, clock } = makeVolumeHarness();
    objects.set('ConfigMap', 'a', { data: { x: 'from a', y: 'from a' } });
    objects.set('Secret', 'b', { data: { y: Buffer.from('from b').toString('base64') } });
    const sources = [
      { configMap: { name: 'a' } },
      { secret: { name: 'b' } },
      { configMap: { name: 'none', optional: true } },
      { downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.name' } }] } },
      { serviceAccountToken: { path: 'token', expirationSeconds: 600 } },
    ];
    const pod = podWithVolumes([], { serviceAccountName: 'clerk' });
    const { files, renewAtMs } = await projectedPayload(deps, pod, { sources }, SIGNAL);
    const texts = [...files].map(([path, { data }]) => [path, Buffer.from(data).toString()]);
    expect(Object.fromEntries(texts)).toEqual({
      x: 'from a',
      y: 'from b',
      n: 'web',
      token: 'token-1',
    });
    expect(renewAtMs).toBe(clock.now() + 480_000);
    expect(files.get('token')?.mode).toBe(0o644);
  });

  test.each([
    [{ securityContext: { fsGroup: 7 } }, 0o600, undefined],
    [{ securityContext: { runAsUser: 5 } }, 0o600, 5],
    [{}, 0o644, undefined],
  ])('makes tokens unreadable for others if an owner is known: %j', async (spec, mode, user) => {
    const { deps } = makeVolumeHarness();
    const sources = [{ serviceAccountToken: { path: 'token' } }];
    const { files } = await projectedPayload(deps, podWithVolumes([], spec), { sources }, SIGNAL);
    expect(files.get('token')).toMatchObject({ mode, user });
  });

  test('reports all errors together', async () => {
    const { deps, source } = makeVolumeHarness();
    source.failure = new Error('forbidden');
    const sources = [
      { configMap: { name: 'a' } },
      { secret: { name: 'b' } },
      { downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'status.podIP' } }] } },
      { serviceAccountToken: { path: 'token' } },
      { clusterTrustBundle: { name: 'x', path: 'y' } },
    ];
    const making = projectedPayload(deps, podWithVolumes([]), { sources }, SIGNAL);
    await expect(making).rejects.toThrow(
      '[configmap "a" not found, secret "b" not found, unsupported fieldPath: status.podIP, ' +
        'failed to fetch token: forbidden, ' +
        'podkeep does not mount volumes of the kind projected clusterTrustBundle]',
    );
  });
});
