/** Containers that exit: the status of their pods, and when they are restarted. */
import { describe, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { podCluster } from '../support/pod-cluster.ts';
import { containerOf, shell, shellPod, type PodView } from '../support/pod-view.ts';

const cluster = podCluster('crash');
const STORE = { volumes: [{ name: 'store', emptyDir: {} }] };
const volumeMounts = [{ name: 'store', mountPath: '/store' }];

function isBackingOff(pod: PodView): boolean {
  return containerOf(pod)?.state.waiting?.reason === 'CrashLoopBackOff';
}

describe.concurrent('containers that exit', () => {
  test('a container that fails is restarted immediately, then after a back-off, and its status says so', async ({
    expect,
  }) => {
    await cluster.apply(shellPod({ name: 'crash', script: 'echo "run $$"; exit 3' }));
    const pod = await cluster.podWhen('crash', 'to back off', isBackingOff);
    const main = containerOf(pod);
    const full = `crash_default(${pod.metadata.uid})`;
    expect(main?.restartCount).toBe(1);
    expect(main?.state.waiting?.message).toBe(
      `back-off 10s restarting failed container=main pod=${full}`,
    );
    expect(main?.lastState.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    expect(pod.status.phase).toBe('Running');
    const event = await cluster.event('crash', 'BackOff');
    expect(event.message).toBe(`Back-off restarting failed container main in pod ${full}`);
    expect(event.type).toBe('Warning');
    expect(await cluster.kubectl('get pod crash --no-headers')).toMatch(
      / 0\/1 +CrashLoopBackOff +1 /,
    );
  });

  test('the next restart comes ten seconds later, and twenty seconds are next', async ({
    expect,
  }) => {
    await cluster.apply(shellPod({ name: 'again', script: 'exit 1' }));
    const pod = await cluster.podWhen(
      'again',
      'to back off again',
      (each) => isBackingOff(each) && containerOf(each)?.restartCount === 2,
    );
    expect(containerOf(pod)?.state.waiting?.message).toMatch(/^back-off 20s restarting/);
    expect((await cluster.event('again', 'BackOff')).count).toBeGreaterThanOrEqual(1);
  });

  test('the log of the previous run can be read', async ({ expect }) => {
    const script =
      'test -f /store/ran && { echo second; sleep 600; }; touch /store/ran; echo first; exit 1';
    await cluster.apply(
      shellPod({ name: 'twice', script, container: { volumeMounts }, spec: STORE }),
    );
    await cluster.logWith('twice', 'second');
    expect(await cluster.kubectl('logs twice --previous')).toBe('first\n');
  });

  test('with OnFailure a container is restarted until it succeeds', async ({ expect }) => {
    const script = 'test -f /store/ran && exit 0; touch /store/ran; exit 4';
    const spec = { restartPolicy: 'OnFailure', ...STORE };
    await cluster.apply(
      shellPod({ name: 'on-failure', script, container: { volumeMounts }, spec }),
    );
    const pod = await cluster.over('on-failure');
    expect(pod.status.phase).toBe('Succeeded');
    expect(containerOf(pod)).toMatchObject({
      restartCount: 1,
      state: { terminated: { exitCode: 0, reason: 'Completed' } },
      lastState: { terminated: { exitCode: 4, reason: 'Error' } },
    });
  });

  test('with Never the pod fails with the code of its container', async ({ expect }) => {
    const spec = { restartPolicy: 'Never' };
    await cluster.apply(shellPod({ name: 'never', script: 'exit 9', spec }));
    const pod = await cluster.over('never');
    expect(pod.status.phase).toBe('Failed');
    expect(containerOf(pod)).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: 9 } },
    });
  });

  test('a container that a signal ends has the exit code of the signal', async ({ expect }) => {
    // PID 1 of a namespace does not receive its own signals.
    const spec = { restartPolicy: 'Never', shareProcessNamespace: true };
    const script =
      'exec node -e "process.kill(process.pid, \'SIGSEGV\'); setInterval(() => {}, 1000)"';
    await cluster.apply(shellPod({ name: 'signal', script, spec }));
    const pod = await cluster.over('signal');
    expect(containerOf(pod)?.state.terminated).toMatchObject({ exitCode: 139, reason: 'Error' });
  });

  test('a pod whose containers end differently has failed', async ({ expect }) => {
    const containers = [shell('good', 'exit 0'), shell('bad', 'exit 1')];
    await cluster.apply(shellPod({ name: 'mixed', spec: { restartPolicy: 'Never', containers } }));
    expect((await cluster.over('mixed')).status.phase).toBe('Failed');
  });

  test('a missing command is reported as the reason', async ({ expect }) => {
    const container = { command: ['no-such-program'] };
    const spec = { restartPolicy: 'Never' };
    await cluster.apply(shellPod({ name: 'no-command', container, spec }));
    const pod = await cluster.over('no-command');
    const end = containerOf(pod)?.state.terminated;
    expect([127, 128]).toContain(end?.exitCode);
    expect(`${end?.reason} ${end?.message}`).toContain('no-such-program');
  });

  test('restart rules of a container decide which exit codes restart it', async ({ expect }) => {
    const rules = (action: string, code: number): JsonObject => ({
      restartPolicy: 'Never',
      restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [code] } }],
    });
    const script = 'test -f /store/ran && exit 8; touch /store/ran; exit 42';
    const container = { volumeMounts, ...rules('Restart', 42) };
    const spec = { restartPolicy: 'Never', ...STORE };
    await cluster.apply(shellPod({ name: 'by-rule', script, container, spec }));
    const pod = await cluster.over('by-rule');
    expect(containerOf(pod)).toMatchObject({
      restartCount: 1,
      state: { terminated: { exitCode: 8 } },
      lastState: { terminated: { exitCode: 42 } },
    });
  });

  test('a rule can restart all containers of the pod', async ({ expect }) => {
    const script = 'test -f /store/ran && exec sleep 600; touch /store/ran; exit 42';
    const rule = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } };
    const evaluate = {
      ...shell('judge', script),
      volumeMounts,
      restartPolicy: 'Never',
      restartPolicyRules: [rule],
    };
    const spec = { restartPolicy: 'Never', containers: [shell('main'), evaluate], ...STORE };
    await cluster.apply(shellPod({ name: 'all-again', spec }));
    const pod = await cluster.podWhen('all-again', 'to run again', (each) =>
      ['main', 'judge'].every(
        (name) =>
          containerOf(each, name)?.restartCount === 1 && containerOf(each, name)?.state.running,
      ),
    );
    expect(pod.status.phase).toBe('Running');
  });
});
