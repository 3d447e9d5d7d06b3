import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { readKubeletConfig } from './kubelet-config.ts';

function read(fields: string) {
  const file = path.join(makeTempFolder(), 'kubelet.yaml');
  const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
  writeFileSync(file, head + fields);
  return readKubeletConfig(file);
}

describe('graceful node shutdown', () => {
  test('the periods of a shutdown are read', async () => {
    const config = await read('shutdownGracePeriod: 30s\nshutdownGracePeriodCriticalPods: 10s\n');
    expect(config.shutdownGracePeriodMs).toBe(30_000);
    expect(config.shutdownGracePeriodCriticalPodsMs).toBe(10_000);
    const byPriority = await read(
      'shutdownGracePeriodByPodPriority:\n- {priority: -5, shutdownGracePeriodSeconds: 60}\n',
    );
    expect(byPriority.shutdownGracePeriodByPodPriority).toEqual([
      { priority: -5, shutdownGracePeriodSeconds: 60 },
    ]);
  });

  test.each([
    [
      'shutdownGracePeriod: 20s\nshutdownGracePeriodCriticalPods: 30s\n',
      'shutdownGracePeriodCriticalPods 30s must be <= shutdownGracePeriod 20s',
    ],
    [
      'shutdownGracePeriod: 500ms\n',
      'shutdownGracePeriod 500ms must be either zero or otherwise >= 1 sec',
    ],
    [
      'shutdownGracePeriod: 20s\nshutdownGracePeriodCriticalPods: 1ms\n',
      'shutdownGracePeriodCriticalPods 1ms must be either zero or otherwise >= 1 sec',
    ],
    [
      'shutdownGracePeriod: 20s\nshutdownGracePeriodByPodPriority:\n- {priority: 1}\n',
      'Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time',
    ],
  ])('%j is refused in the words of the kubelet', async (fields, problem) => {
    await expect(read(fields)).rejects.toThrow(problem);
  });
});
