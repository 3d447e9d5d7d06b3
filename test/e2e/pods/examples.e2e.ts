/** The examples of the README do what they promise. web.yaml has its own file (web.e2e.ts). */
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '../support/patience.ts';
import { podCluster, PodCluster } from '../support/pod-cluster.ts';

const EXAMPLES = path.join(import.meta.dirname, '../../../examples');
const cluster = podCluster('examples', { hasManifests: true });

function apply(name: string): Promise<string> {
  return cluster.kubectl(['apply', '-f', path.join(EXAMPLES, name)]);
}

test('the job adds up the numbers that its init containers prepared', async () => {
  await apply('job.yaml');
  expect((await cluster.over('job')).status.phase).toBe('Succeeded');
  expect(await cluster.kubectl('logs job -c sum')).toBe('sum 5050\n');
});

test('the sidecar ships the output of the main container, and the pod ends with its main container', async () => {
  await apply('sidecar.yaml');
  expect((await cluster.over('sidecar')).status.phase).toBe('Succeeded');
  expect(await cluster.kubectl('logs sidecar -c shipper')).toMatch(/^line 1\nline 2\n/);
});

test('the crash loop is restarted immediately, and then backs off, with its termination message', async () => {
  await apply('crash-loop.yaml');
  const words = await cluster.event('crash-loop', 'BackOff');
  expect(words.message).toContain('Back-off restarting failed container main');
  await cluster.podWhen('crash-loop', 'tells its last words', ({ status }) =>
    JSON.stringify(status).includes('"lastState":{"terminated":{"exitCode":3'),
  );
  expect(await cluster.kubectl('get pod crash-loop -o yaml')).toContain('no database');
});

test('the reloaded configuration reaches the running program', async () => {
  await apply('config-reload.yaml');
  await cluster.logWith('config-reload', 'good morning');
  const patch = JSON.stringify({ data: { text: 'good evening' } });
  await cluster.kubectl(['patch', 'configmap', 'greeting', '-p', patch]);
  const log = await cluster.logWith('config-reload', 'good evening');
  expect(log).toBe('good morning\ngood evening\n');
});

test('the clock of a manifest ticks, and its mirror is in the API', async () => {
  copyFileSync(
    path.join(EXAMPLES, 'static/clock.yaml'),
    path.join(cluster.manifests, 'clock.yaml'),
  );
  const ticks = await waitFor({ what: 'the clock to tick', deadlineMs: 60_000 }, async () => {
    const { stdout } = await cluster.attempt('logs -n kube-system clock-node-1');
    return stdout.split('\n').length > 2 ? stdout : undefined;
  });
  expect(ticks).toMatch(/\d\d:\d\d:\d\d/);
});

test('a runtime of functions runs a pod to its end', async () => {
  const alone = new PodCluster('own-runtime');
  const script = [
    `node ${path.join(EXAMPLES, 'own-runtime.mjs')} & node=$!`,
    'kubectl wait --for=create node/functions --timeout=60s',
    'kubectl wait --for=condition=Ready node/functions --timeout=60s',
    'kubectl run hello --image=hello --restart=Never',
    "kubectl wait --for=jsonpath='{.status.phase}'=Succeeded pod/hello --timeout=60s",
    'code=$?; kill $node; wait $node; exit $code',
  ];
  try {
    const words = alone.podkeep('up', '--port', '0', '--no-node', '--', 'sh', '-c');
    const { code, stdout, stderr } = await alone.run([...words, script.join('\n')]);
    expect(`${stdout}${stderr}`).toContain('hello from a function');
    expect(stdout).toContain('pod/hello condition met');
    expect(code).toBe(0);
  } finally {
    await alone.remove();
  }
});
