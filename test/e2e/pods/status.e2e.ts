/** The status of pods, how rules end them, and as which user they run. */
import { spawnSync } from 'node:child_process';
import { describe, test } from 'vitest';
import { podCluster } from '../support/pod-cluster.ts';
import { conditionOf, containerOf, LIVE, shellPod } from '../support/pod-view.ts';

const cluster = podCluster('status');
const ONCE = { restartPolicy: 'Never' };
/** Allocates memory and keeps it, up to a limit. */
const HOARDER = `exec node -e 'const held = Buffer.alloc(1e8, 1); setInterval(() => held.length, 1000)'`;

/** Whether podkeep's user may create user namespaces, without which containers cannot run as another user. */
function hasNamespaces(): boolean {
  const words = ['unshare', '--user', '--map-root-user', 'true'];
  const [command = '', ...args] = [...cluster.account.prefix, ...words];
  return cluster.isRoot || spawnSync(command, args).status === 0;
}

describe.concurrent('the status of a pod', () => {
  test('a pod with a readiness gate is ready when a controller sets its condition', async ({
    expect,
  }) => {
    const spec = { readinessGates: [{ conditionType: 'example.com/gate' }] };
    await cluster.apply(shellPod({ name: 'gated', spec }));
    const waiting = await cluster.podWhen(
      'gated',
      'to have ready containers',
      (pod) => conditionOf(pod, 'ContainersReady')?.status === 'True',
    );
    expect(conditionOf(waiting, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'corresponding condition of pod readiness gate "example.com/gate" does not exist.',
    });
    const condition = { type: 'example.com/gate', status: 'True' };
    const patch = JSON.stringify({ status: { conditions: [condition] } });
    await cluster.kubectl(['patch', 'pod', 'gated', '--subresource=status', '-p', patch]);
    const pod = await cluster.ready('gated');
    expect(conditionOf(pod, 'example.com/gate')?.status).toBe('True');
  });

  test('a pod with a deadline fails when it passes', async ({ expect }) => {
    await cluster.apply(shellPod({ name: 'limited', spec: { activeDeadlineSeconds: 2 } }));
    const pod = await cluster.over('limited');
    expect(pod.status).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
    await cluster.event('limited', 'DeadlineExceeded');
  });

  test('the termination message of a container is read from its file', async ({ expect }) => {
    const script = 'echo said; echo written >/tmp/words; exit 1';
    const container = { terminationMessagePath: '/tmp/words' };
    await cluster.apply(shellPod({ name: 'words-file', script, container, spec: ONCE }));
    expect(containerOf(await cluster.over('words-file'))?.state.terminated?.message).toBe(
      'written\n',
    );
  });

  test('or else from the end of its log, if it failed and its policy asks for that', async ({
    expect,
  }) => {
    const container = { terminationMessagePolicy: 'FallbackToLogsOnError' };
    const script = 'seq 1 200; exit';
    await cluster.apply(
      shellPod({ name: 'words-log', script: `${script} 1`, container, spec: ONCE }),
      shellPod({ name: 'no-words', script: `${script} 0`, container, spec: ONCE }),
    );
    const message = containerOf(await cluster.over('words-log'))?.state.terminated?.message;
    expect(message).toMatch(/^121\n[^]*\n200\n$/);
    expect(containerOf(await cluster.over('no-words'))?.state.terminated?.message).toBeUndefined();
  });

  test('a container that exceeds its memory limit is killed for it', async ({ expect }) => {
    const container = { resources: { limits: { memory: '30Mi' } } };
    await cluster.apply(shellPod({ name: 'greedy', script: HOARDER, container, spec: ONCE }));
    const pod = await cluster.over('greedy');
    expect(containerOf(pod)?.state.terminated).toMatchObject({
      exitCode: 137,
      reason: 'OOMKilled',
    });
    expect(await cluster.kubectl('get pod greedy --no-headers')).toMatch(/ OOMKilled /);
  });

  test('a container runs as the user and group of its spec, or its status says why not', async ({
    expect,
  }) => {
    const securityContext = { runAsUser: 1234, runAsGroup: 2345, fsGroup: 3456 };
    const container = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    const spec = { securityContext, volumes: [{ name: 'data', emptyDir: {} }] };
    await cluster.apply(shellPod({ name: 'somebody', container, spec }));
    if (!hasNamespaces()) {
      console.log('no user namespaces here: pods run as the user of podkeep only');
      await cluster.event('somebody', 'Failed', 'cannot run as user 1234');
      return;
    }
    await cluster.ready('somebody');
    expect(await cluster.kubectl('exec somebody -- id -u')).toBe('1234\n');
    expect(await cluster.kubectl('exec somebody -- id -g')).toBe('2345\n');
    await cluster.kubectl('exec somebody -- touch /data/file');
    const groups = await cluster.kubectl('exec somebody -- id -G');
    const owner = await cluster.kubectl('exec somebody -- stat -c %g /data');
    if (cluster.isRoot)
      expect({ groups, owner }).toEqual({ groups: '2345 3456\n', owner: '3456\n' });
    else console.log('an ordinary user has one group: fsGroup and supplementalGroups are not set');
  });

  test('a container with runAsNonRoot that would be root is not started', async ({ expect }) => {
    const securityContext = { runAsNonRoot: true, runAsUser: 0 };
    await cluster.apply(shellPod({ name: 'no-root', container: { securityContext } }));
    const pod = await cluster.podWhen(
      'no-root',
      'to be refused',
      (each) => containerOf(each)?.state.waiting?.reason === 'CreateContainerConfigError',
    );
    const message = containerOf(pod)?.state.waiting?.message;
    expect(message).toMatch(/^container's runAsUser breaks non-root policy/);
  });

  test('a container cannot write outside of its volumes if its root is read-only', async ({
    expect,
  }) => {
    const securityContext = { readOnlyRootFilesystem: true };
    await cluster.apply(shellPod({ name: 'frozen', container: { securityContext } }));
    await cluster.ready('frozen');
    if (!hasNamespaces()) return console.log('no namespaces here: roots cannot be read-only');
    const { code, stderr } = await cluster.attempt('exec frozen -- touch /tmp/file');
    expect({ code, isAcknowledged: stderr.includes('Read-only file system') }).toEqual({
      code: 1,
      isAcknowledged: true,
    });
  });

  test('a container does not see what others write to the machine', async ({ expect }) => {
    if (!hasNamespaces()) return console.log('no namespaces here: pods see the machine as it is');
    await cluster.apply(
      shellPod({ name: 'one', script: `echo x >/tmp/mark; ${LIVE}` }),
      shellPod({ name: 'two' }),
    );
    await cluster.ready('one');
    const written = 'until test -f /tmp/mark; do sleep 0.1; done';
    await cluster.kubectl(['exec', 'one', '--', 'timeout', '60', 'sh', '-c', written]);
    await cluster.ready('two');
    expect((await cluster.attempt('exec two -- ls /tmp/mark')).code).not.toBe(0);
    const { stdout } = await cluster.attempt(['exec', 'two', '--', 'ls', cluster.data]);
    expect(stdout).toBe('');
    return undefined;
  });

  test('a pod knows its hostname and its host aliases', async ({ expect }) => {
    if (!hasNamespaces())
      return console.log('no namespaces here: pods have the name of the machine');
    const hostAliases = [{ ip: '127.0.0.9', hostnames: ['friend'] }];
    const spec = { hostname: 'alias', subdomain: 'group', hostAliases };
    await cluster.apply(shellPod({ name: 'named', spec }));
    await cluster.ready('named');
    expect(await cluster.kubectl('exec named -- hostname')).toBe('alias\n');
    const hosts = await cluster.kubectl('exec named -- cat /etc/hosts');
    expect(hosts).toMatch(/127\.0\.0\.9\tfriend/);
    return undefined;
  });

  test('events name the container, and have the order of a start', async ({ expect }) => {
    await cluster.apply(shellPod({ name: 'told' }));
    await cluster.ready('told');
    await cluster.event('told', 'Started');
    const events = await cluster.events('told');
    const reasons = events.map(({ reason }) => reason);
    expect(reasons).toEqual(expect.arrayContaining(['Scheduled', 'Pulled', 'Created', 'Started']));
    const started = events.find(({ reason }) => reason === 'Started');
    expect(started?.involvedObject.fieldPath).toBe('spec.containers{main}');
  });
});
