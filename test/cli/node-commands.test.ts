/** `podkeep status` and `podkeep top` against a podkeep that runs as a process with simulated pods. */
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CliHarness } from '../support/cli-harness.ts';
import { KubeconfigClient, PodkeepUp } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const TIMEOUT = 90_000;
const WAIT = { timeout: 60_000, interval: 50 };
const PODS = '/api/v1/namespaces/default/pods';

async function startNode() {
  const folder = makeTempFolder();
  const up = new PodkeepUp([
    '--data-dir',
    folder,
    '--port',
    '0',
    '--output',
    'json',
    '--runtime',
    'simulated',
  ]);
  onTestFinished(async () => {
    await new CliHarness(process.env).run('down', '--data-dir', folder);
  });
  await up.event('serving');
  const kubeconfig = path.join(folder, 'kubeconfig');
  const podkeep = async (...words: readonly string[]) => {
    const harness = new CliHarness({ KUBECONFIG: kubeconfig });
    const code = await harness.run(...words);
    return { code, out: harness.out, err: harness.err };
  };
  return { client: new KubeconfigClient(kubeconfig), podkeep };
}

test(
  'status and top show the node, its pods, and what they use',
  async () => {
    const { client, podkeep } = await startNode();
    const containers = [{ name: 'main', image: 'none' }];
    const readinessGates = [{ conditionType: 'example.com/never' }];
    for (const [name, more] of [
      ['web', {}],
      ['stuck', { readinessGates }],
    ] as const) {
      const pod = { metadata: { name, labels: { app: name } }, spec: { containers, ...more } };
      await vi.waitFor(async () => {
        expect(await client.send('POST', PODS, pod)).toMatchObject({ code: 201 });
      }, WAIT);
    }
    await vi.waitFor(async () => {
      const { out } = await podkeep('status');
      expect(out).toMatch(/^Node \S+: Ready\n/);
      expect(out).toMatch(/^ {2}Ready +True +KubeletReady/m);
      expect(out).toMatch(/^Pods: 2, 1 ready \(2 Running\)$/m);
      expect(out).toMatch(/^ {2}default +stuck +Running +ReadinessGatesNotReady/m);
    }, WAIT);
    const whole = await podkeep('status', '-o', 'json');
    expect(JSON.parse(whole.out)).toMatchObject({
      items: [{ kind: 'NodeReport', ready: true, notReadyPods: [{ name: 'stuck' }] }],
    });
    expect((await podkeep('status', '-n', 'kube-system')).out).not.toContain('stuck');
    expect(await podkeep('status', 'nope')).toMatchObject({
      code: 1,
      err: expect.stringContaining('"nope" not found'),
    });

    const nodes = await podkeep('top');
    expect(nodes.out).toMatch(/^NAME +CPU\(CORES\) +CPU\(%\) +MEMORY\(BYTES\) +MEMORY\(%\)\n/);
    expect(nodes.out).toMatch(/^\S+ +\d+m +\d+% +\d+Mi +\d+%$/m);
    const pods = await podkeep('top', 'pods', '-A', '--containers', '-l', 'app=web');
    expect(pods.out).toMatch(/^NAMESPACE +POD +NAME +CPU/);
    expect(pods.out).toMatch(/^default +web +main /m);
    expect(pods.out).not.toContain('stuck');
    expect(await podkeep('top', 'nodes', '-A')).toMatchObject({
      code: 1,
      err: expect.stringContaining('TOP_UNCLEAR'),
    });
    expect(await podkeep('top', 'pods', '-l', '===')).toMatchObject({ code: 1 });
  },
  TIMEOUT,
);
