/**
 * Logs, exec, attach and port-forward of running pods, through the real API server and podkeep's
 * listener.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CONTAINERD_VERSIONS } from '../../scripts/cluster/cache-folder.ts';
import { findFreePort } from '../e2e/support/free-port.ts';
import { waitFor } from '../e2e/support/patience.ts';
import { containerOf } from '../e2e/support/pod-view.ts';
import { NODE, harnessOf } from './support/cluster-harness.ts';
import { pod } from './support/workloads.ts';

const WAIT_MS = 60_000;
const PORT = 8080;
const SERVES = [
  'echo out; echo err >&2',
  'mkdir -p /tmp/web; echo served > /tmp/web/index.html',
  `exec busybox httpd -f -p ${PORT} -h /tmp/web`,
].join('; ');
const ECHOES =
  'echo begun; while read -r line; do echo "you said $line"; done; echo over; sleep 600';

describe.each(CONTAINERD_VERSIONS)('on containerd %s', (version) => {
  const harness = harnessOf('streaming', version);

  beforeAll(async () => {
    await harness.apply(
      pod({ name: 'serves', script: SERVES }),
      pod({ name: 'echoes', script: ECHOES, container: { stdin: true, stdinOnce: true } }),
      pod({ name: 'again', script: 'echo life of $HOSTNAME; sleep 1; exit 1' }),
    );
    for (const name of ['serves', 'echoes']) await harness.ready(name);
  });

  test('kubectl logs reads both streams, the end of them, and follows', async () => {
    const log = await harness.logWith('serves', 'err');
    expect(log.trim().split('\n').toSorted()).toEqual(['err', 'out']);
    expect((await harness.kubectl('logs serves --tail=1')).trim().split('\n')).toHaveLength(1);
    expect(await harness.kubectl('logs serves --timestamps')).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z (out|err)/,
    );
    await harness.attempt('logs -f echoes', {
      onOutput: (given, { end }) => {
        if (given.includes('begun')) end();
      },
    });
  });

  test('kubectl logs --previous reads the previous run', async () => {
    await harness.podWhen(
      'again',
      'to have lived twice',
      (again) =>
        (containerOf(again)?.restartCount ?? 0) > 0 &&
        containerOf(again)?.lastState.terminated !== undefined,
    );
    expect(await harness.kubectl('logs again --previous')).toMatch(/^life of again\n$/);
  });

  test('kubectl exec passes output and input on, and ends as the command did', async () => {
    expect(await harness.kubectl('exec serves -- hostname')).toBe('serves\n');
    const copied = await harness.kubectl('exec -i serves -- cat', { stdin: 'in and out' });
    expect(copied).toBe('in and out');
    const failed = await harness.attempt([
      'exec',
      'serves',
      '--',
      'sh',
      '-c',
      'echo no >&2; exit 9',
    ]);
    expect(failed).toMatchObject({ code: 9, stdout: '' });
    expect(failed.stderr).toContain('no\n');
    const absent = await harness.attempt('exec serves -- no-such-program');
    expect(absent.code).not.toBe(0);
    expect(absent.stderr).toContain('no-such-program');
  });

  test('kubectl exec gives a terminal', async () => {
    const words = 'kubectl exec -it serves -- tty';
    const { stdout } = await harness.run(['script', '-qec', words, '/dev/null'], {
      keepsStdin: true,
    });
    expect(stdout).toMatch(/\/dev\/pts\/\d+/);
  });

  test('kubectl attach connects to the first process of a container', async () => {
    const { stdout } = await harness.attempt('attach -i echoes', {
      stdin: 'hello\n',
      keepsStdin: true,
      onOutput: (given, { end }) => {
        if (given.includes('you said hello')) end();
      },
    });
    expect(stdout).toContain('you said hello');
  });

  test('kubectl cp copies folders in and out', async () => {
    const home = harness.env['HOME'] ?? '';
    mkdirSync(path.join(home, 'there'), { recursive: true });
    const content = Buffer.alloc(3_000_000, 'podkeep ').toString('utf8');
    writeFileSync(path.join(home, 'there/large.txt'), content);
    await harness.kubectl('cp there serves:/tmp/there');
    await harness.kubectl('cp serves:/tmp/there back');
    expect(readFileSync(path.join(home, 'back/large.txt'), 'utf8')).toBe(content);
  });

  test('kubectl port-forward leads to a port of the pod', async () => {
    const local = await findFreePort();
    let answer = '';
    const forward = harness.attempt(`port-forward pod/serves ${local}:${PORT}`, {
      onOutput: (given, { end }) => {
        if (!given.includes('Forwarding from') || answer !== '') return;
        answer = 'asked';
        void fetch(`http://127.0.0.1:${local}/`)
          .then(async (response) => (answer = await response.text()))
          .catch((error: unknown) => (answer = String(error)))
          .finally(end);
      },
    });
    await forward;
    expect(answer).toBe('served\n');
  });

  test('the API server reads usage and health through its proxy', async () => {
    const base = `/api/v1/nodes/${NODE}/proxy`;
    const patience = { what: 'usage of the pod', deadlineMs: WAIT_MS };
    const metrics = await waitFor(patience, async () => {
      const text = await harness.kubectl(`get --raw ${base}/metrics/resource`);
      return /pod_memory_working_set_bytes\{.*pod="serves"/.test(text) ? text : undefined;
    });
    expect(metrics).toMatch(/^node_cpu_usage_seconds_total \d/m);
    expect(metrics).toMatch(/^container_cpu_usage_seconds_total\{container="main".*pod="serves"/m);
    const summary = JSON.parse(await harness.kubectl(`get --raw ${base}/stats/summary`)) as {
      readonly node: { readonly nodeName: string };
      readonly pods: readonly { readonly podRef: { readonly name: string } }[];
    };
    expect(summary.node.nodeName).toBe(NODE);
    expect(summary.pods.map(({ podRef }) => podRef.name)).toContain('serves');
    expect(await harness.kubectl(`get --raw ${base}/healthz`)).toBe('ok');
    expect(await harness.kubectl(`get --raw ${base}/pods`)).toContain('"serves"');
  });

  test('an ephemeral container joins a pod that runs', async () => {
    const words = 'debug serves --image=docker.io/library/busybox:1.36 --container=look';
    await harness.kubectl(`${words} -- sleep 600`);
    const seen = await harness.podWhen(
      'serves',
      'to have a guest',
      (one) => containerOf(one, 'look')?.state.running !== undefined,
    );
    expect(containerOf(seen, 'main')?.restartCount).toBe(0);
  });
});
