/** Init containers, sidecars and ephemeral containers: the order of their starts and stops. */
import { describe, test } from 'vitest';
import { podCluster } from '../support/pod-cluster.ts';
import { conditionOf, containerOf, LIVE, shell, shellPod } from '../support/pod-view.ts';

const cluster = podCluster('init');
const volumes = [{ name: 'shared', emptyDir: {} }];
const volumeMounts = [{ name: 'shared', mountPath: '/shared' }];
/** A container that shares a folder with the others, and logs its events there. */
const noting = (name: string, script: string) => ({ ...shell(name, script), volumeMounts });
/** Logs its start and its end; its termination message is the log until then. */
const LONG = (name: string): string =>
  `trap 'echo "${name} ends" >>/shared/notes; cat /shared/notes >/dev/termination-log; exit 0' TERM; ` +
  `echo "${name} starts" >>/shared/notes; while :; do sleep 0.1; done`;

describe.concurrent('containers that are not the main ones', () => {
  test('init containers run one after the other, before the others', async ({ expect }) => {
    const note = (name: string) => noting(name, `sleep 0.3; echo ${name} >>/shared/notes`);
    const spec = {
      restartPolicy: 'Never',
      volumes,
      initContainers: [note('first'), note('second')],
      containers: [noting('main', 'cat /shared/notes')],
    };
    await cluster.apply(shellPod({ name: 'in-order', spec }));
    const pod = await cluster.over('in-order');
    expect(pod.status.phase).toBe('Succeeded');
    expect(await cluster.kubectl('logs in-order -c main')).toBe('first\nsecond\n');
    expect(conditionOf(pod, 'Initialized')).toMatchObject({
      status: 'True',
      reason: 'PodCompleted',
    });
    expect(pod.status.initContainerStatuses?.map(({ ready }) => ready)).toEqual([true, true]);
  });

  test('an init container that fails fails the pod with restartPolicy Never', async ({
    expect,
  }) => {
    const initContainers = [shell('bad', 'exit 3'), shell('after')];
    await cluster.apply(
      shellPod({ name: 'init-never', spec: { restartPolicy: 'Never', initContainers } }),
    );
    const pod = await cluster.over('init-never');
    expect(pod.status.phase).toBe('Failed');
    expect(containerOf(pod, 'bad')?.state.terminated?.exitCode).toBe(3);
    expect(containerOf(pod, 'after')?.state.waiting?.reason).toBe('PodInitializing');
    expect(containerOf(pod)?.state.waiting?.reason).toBe('PodInitializing');
    expect(await cluster.kubectl('get pod init-never --no-headers')).toMatch(/ Init:Error +0 /);
  });

  test('an init container that fails is retried with OnFailure', async ({ expect }) => {
    const script = 'test -f /shared/ran && exit 0; touch /shared/ran; exit 3';
    const spec = {
      restartPolicy: 'OnFailure',
      volumes,
      initContainers: [noting('shy', script)],
      containers: [shell('main', 'exit 0')],
    };
    await cluster.apply(shellPod({ name: 'init-again', spec }));
    const pod = await cluster.over('init-again');
    expect(pod.status.phase).toBe('Succeeded');
    expect(containerOf(pod, 'shy')).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { exitCode: 3 } },
    });
  });

  test('an init container that fails again and again is reported as CrashLoopBackOff', async ({
    expect,
  }) => {
    await cluster.apply(
      shellPod({ name: 'init-crash', spec: { initContainers: [shell('bad', 'exit 1')] } }),
    );
    const pod = await cluster.podWhen(
      'init-crash',
      'to back off',
      (each) => containerOf(each, 'bad')?.state.waiting?.reason === 'CrashLoopBackOff',
    );
    expect(pod.status.phase).toBe('Pending');
    expect(conditionOf(pod, 'Initialized')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [bad]',
    });
  });

  test('a sidecar starts before the main container, and is stopped after it', async ({
    expect,
  }) => {
    const sidecar = { ...noting('sidecar', LONG('sidecar')), restartPolicy: 'Always' };
    const startupProbe = {
      exec: { command: ['grep', '-q', 'sidecar starts', '/shared/notes'] },
      periodSeconds: 1,
    };
    const spec = {
      terminationGracePeriodSeconds: 30,
      volumes,
      initContainers: [{ ...sidecar, startupProbe }],
      containers: [noting('main', LONG('main'))],
    };
    const metadata = { finalizers: ['example.com/kept'] };
    await cluster.apply(shellPod({ name: 'sidecar', spec, metadata }));
    await cluster.ready('sidecar');
    await cluster.kubectl('delete pod sidecar --wait=false');
    const pod = await cluster.podWhen('sidecar', 'to have ended', (each) =>
      ['main', 'sidecar'].every((name) => containerOf(each, name)?.state.terminated),
    );
    expect(containerOf(pod, 'sidecar')?.state.terminated?.message).toBe(
      'sidecar starts\nmain starts\nmain ends\nsidecar ends\n',
    );
    const free = '{"metadata":{"finalizers":null}}';
    await cluster.kubectl(['patch', 'pod', 'sidecar', '--type=merge', '-p', free]);
    await cluster.gone('sidecar');
  });

  test('a pod is finished when its main container is, and its sidecar is stopped', async ({
    expect,
  }) => {
    const sidecar = { ...shell('sidecar', LIVE), restartPolicy: 'Always' };
    const spec = {
      restartPolicy: 'Never',
      initContainers: [sidecar],
      containers: [shell('main', 'exit 0')],
    };
    await cluster.apply(shellPod({ name: 'job', spec }));
    const pod = await cluster.over('job');
    expect(pod.status.phase).toBe('Succeeded');
    expect(containerOf(pod, 'sidecar')?.state.terminated).toBeDefined();
  });

  test('a sidecar that exits is restarted', async ({ expect }) => {
    const script = `test -f /shared/ran && { ${LIVE}; }; touch /shared/ran; exit 1`;
    const sidecar = { ...noting('sidecar', script), restartPolicy: 'Always' };
    const spec = { restartPolicy: 'Never', volumes, initContainers: [sidecar] };
    await cluster.apply(shellPod({ name: 'sidecar-again', spec }));
    const pod = await cluster.podWhen(
      'sidecar-again',
      'to have its sidecar back',
      (each) => containerOf(each, 'sidecar')?.restartCount === 1,
    );
    expect(pod.status.phase).not.toBe('Failed');
  });

  test('kubectl debug adds a container that sees the processes of its target', async ({
    expect,
  }) => {
    await cluster.apply(shellPod({ name: 'patient', script: `: the-patient; ${LIVE}` }));
    await cluster.ready('patient');
    const script = 'cat /proc/[0-9]*/cmdline | tr "\\0" " "; echo looked';
    const target = ['--image=sh', '--target=main', '--container=doctor'];
    const words = ['debug', 'patient', ...target, '--', 'sh', '-c', script];
    await cluster.kubectl(words);
    const pod = await cluster.podWhen(
      'patient',
      'to be examined',
      (each) => containerOf(each, 'doctor')?.state.terminated !== undefined,
    );
    expect(containerOf(pod, 'doctor')?.state.terminated?.exitCode).toBe(0);
    expect(pod.status.phase).toBe('Running');
    expect(await cluster.kubectl('logs patient -c doctor')).toMatch(/: the-patient;[^]*looked/);
  });
});
