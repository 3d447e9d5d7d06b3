/**
 * Pods on a machine without namespaces and control groups. That is how podkeep runs them on macOS, and on
 * Linux where user namespaces are switched off.
 */
import { describe, test } from 'vitest';
import { podCluster } from '../support/pod-cluster.ts';
import { containerOf, shellPod } from '../support/pod-view.ts';

const cluster = podCluster('plain', {
  config: () => [
    {
      apiVersion: 'podkeep.dev/v1alpha1',
      kind: 'PodkeepConfiguration',
      process: { isolation: 'none', network: 'host', cgroups: 'none' },
    },
  ],
});
const HOARDER = `exec node -e 'const held = Buffer.alloc(1e8, 1); setInterval(() => held.length, 1000)'`;

describe.concurrent('without namespaces', () => {
  test('a pod finds its volumes under a folder that a variable names, and an event says so', async ({
    expect,
  }) => {
    const data = { word: 'found' };
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'words' }, data };
    const container = {
      volumeMounts: [{ name: 'words', mountPath: '/etc/words' }],
      // Only their owner may enter the folders on the way.
      ...(cluster.isRoot && { securityContext: { runAsUser: 0 } }),
    };
    const spec = { volumes: [{ name: 'words', configMap: { name: 'words' } }] };
    await cluster.apply(config, shellPod({ name: 'finder', container, spec }));
    await cluster.ready('finder');
    const script = 'cat "$PODKEEP_ROOT/etc/words/word"';
    expect(await cluster.kubectl(['exec', 'finder', '--', 'sh', '-c', script])).toBe('found');
    await cluster.event('finder', 'MountsUnavailable', '$PODKEEP_ROOT');
  });

  test('pods have addresses of the loopback', async ({ expect }) => {
    await cluster.apply(shellPod({ name: 'here' }));
    expect((await cluster.ready('here')).status.podIP).toMatch(/^127\./);
  });

  test('another user is possible for root only, and refused with a message otherwise', async ({
    expect,
  }) => {
    const securityContext = { runAsUser: 1234, runAsGroup: 1234 };
    await cluster.apply(shellPod({ name: 'other', container: { securityContext } }));
    if (cluster.isRoot) {
      await cluster.ready('other');
      expect(await cluster.kubectl('exec other -- id -u')).toBe('1234\n');
      return;
    }
    const { message } = await cluster.event('other', 'Failed', 'cannot run as user 1234');
    expect(message).toMatch(/podkeep runs as user \d+ and cannot make user namespaces here$/);
  });

  test('a container that uses too much memory is killed without control groups, too', async ({
    expect,
  }) => {
    const container = { resources: { limits: { memory: '30Mi' } } };
    const spec = { restartPolicy: 'Never' };
    await cluster.apply(shellPod({ name: 'greedy', script: HOARDER, container, spec }));
    const end = containerOf(await cluster.over('greedy'))?.state.terminated;
    expect(end).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  test('processes that a container has started end with it', async ({ expect }) => {
    const script = 'sleep 600 & sleep 601 & wait';
    await cluster.apply(shellPod({ name: 'parent', script }));
    await cluster.ready('parent');
    expect(await cluster.kubectl('delete pod parent')).toContain('deleted');
    await cluster.gone('parent');
  });
});
