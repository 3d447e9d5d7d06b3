/** `podkeep explain` against a podkeep that runs as a process, with processes as containers. */
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CliHarness } from '../support/cli-harness.ts';
import { KubeconfigClient, PodkeepUp } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

/** Processes take their time to start on a busy machine. */
const TIMEOUT = 90_000;
const WAIT = { timeout: 60_000, interval: 100 };

async function startNode() {
  const folder = makeTempFolder();
  const up = new PodkeepUp(['--data-dir', folder, '--port', '0', '--output', 'json']);
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
  return { client: new KubeconfigClient(kubeconfig), podkeep, kubeconfig };
}

test(
  'a real pod that lacks a ConfigMap, as text, as JSON and until it changes',
  async () => {
    const { client, podkeep, kubeconfig } = await startNode();
    const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } }];
    const containers = [{ name: 'c', image: 'none', command: ['sleep', '1000'], env }];
    const pod = { metadata: { name: 'web' }, spec: { containers } };
    await vi.waitFor(async () => {
      expect(await client.send('POST', '/api/v1/namespaces/default/pods', pod)).toMatchObject({
        code: 201,
      });
    }, WAIT);
    const sentence =
      'ConfigMap "settings" does not exist in namespace "default"; container "c" needs it.';
    await vi.waitFor(async () => {
      expect((await podkeep('explain', 'pod/web')).out).toContain(sentence);
    }, WAIT);
    const text = await podkeep('explain', 'po', 'web', '-n', 'default');
    expect(text).toMatchObject({ code: 0, err: '' });
    expect(text.out).toContain('What you can do: Create it');
    const json = await podkeep('explain', 'pod/web', '-o', 'json');
    expect(JSON.parse(json.out)).toMatchObject({
      kind: 'Explanation',
      subject: { kind: 'Pod', namespace: 'default', name: 'web' },
      state: 'NotStarted',
      causes: [{ situation: 'object-missing' }],
    });
    const watch = new CliHarness({ KUBECONFIG: kubeconfig });
    const ended = watch.run('explain', 'pod/web', '--watch');
    await vi.waitFor(() => expect(watch.out).toContain(sentence), WAIT);
    const settings = { metadata: { name: 'settings' }, data: { a: '1' } };
    await client.send('POST', '/api/v1/namespaces/default/configmaps', settings);
    await vi.waitFor(() => expect(watch.out).toContain('runs and is Ready'), WAIT);
    watch.signal('SIGINT');
    expect(await ended).toBe(130);
  },
  TIMEOUT,
);

test(
  'nodes, deployments, and what does not exist',
  async () => {
    const { client, podkeep } = await startNode();
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'none' }] },
    };
    const spec = { selector: { matchLabels: { app: 'web' } }, template };
    const path = '/apis/apps/v1/namespaces/default/deployments';
    await client.send('POST', path, { metadata: { name: 'web' }, spec });
    const deployment = await podkeep('explain', 'deployment/web');
    expect(deployment.out).toContain('No controller acts on the Deployment');
    const name = await vi.waitFor(async () => {
      const { out } = await podkeep('get', 'nodes', '-o', 'name');
      expect(out).toMatch(/^node\/\S+\n$/);
      return out.trim().slice('node/'.length);
    }, WAIT);
    const explained = await podkeep('explain', `node/${name}`);
    expect(explained).toMatchObject({ code: 0, err: '' });
    expect(explained.out).toContain(`Node "${name}" is `);
    const missing = await podkeep('explain', 'pod/nope');
    expect(missing.code).toBe(1);
    expect(missing.err).toContain('pods "nope" not found');
    expect(missing.err).toContain('hint');
    const unclear = await podkeep('explain', 'service/web');
    expect(unclear.code).toBe(1);
    expect(unclear.err).toContain('EXPLAIN_UNCLEAR');
  },
  TIMEOUT,
);
