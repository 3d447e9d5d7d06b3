/** Five hundred pods on one node of `podkeep up`: Node prints no warning. */
import { Agent } from 'node:https';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isJsonObject, type Json } from '../../src/lib/json.ts';
import { KubeconfigClient, PodkeepUp } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const PODS = 500;
const PATH = '/api/v1/namespaces/default/pods';

const CONFIG = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
maxPods: ${PODS + 10}
`;

/** Every fiftieth has more containers than Node's default listener limit. */
function podOf(index: number): Json {
  const count = index % 50 === 0 ? 12 : 1;
  const containers = Array.from({ length: count }, (_, at) => ({ name: `c${at}`, image: 'any' }));
  return { metadata: { name: `pod-${index}` }, spec: { containers } };
}

test('500 pods start, run and are stopped without a warning of Node', async () => {
  const folder = makeTempFolder();
  const config = path.join(folder, 'config.yaml');
  writeFileSync(config, CONFIG);
  const up = new PodkeepUp(
    [
      ...['--data-dir', path.join(folder, 'data'), '--port', '0', '--output', 'json'],
      ...['--runtime', 'simulated', '--config', config],
    ],
    { ...process.env, NODE_OPTIONS: '--trace-warnings' },
  );
  await up.event('node');
  const client = new KubeconfigClient(path.join(folder, 'data', 'kubeconfig'));
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const options = { agent, headers: { 'content-type': 'application/json' } };
  try {
    const created = await Promise.all(
      Array.from({ length: PODS }, (_, index) => client.send('POST', PATH, podOf(index), options)),
    );
    expect(new Set(created.map(({ code }) => code))).toEqual(new Set([201]));
    const running = async (): Promise<number> => {
      const { body } = await client.send('GET', PATH, undefined, options);
      const items: readonly Json[] = Array.isArray(body['items']) ? body['items'] : [];
      return items.filter(isRunning).length;
    };
    await expect.poll(running, { interval: 500 }).toBe(PODS);
  } finally {
    agent.destroy();
  }
  up.child.kill('SIGTERM');
  await up.ended;
  expect(up.err).not.toMatch(/Warning/);
});

function isRunning(pod: Json): boolean {
  const status = isJsonObject(pod) ? pod['status'] : null;
  return isJsonObject(status) && status['phase'] === 'Running';
}
