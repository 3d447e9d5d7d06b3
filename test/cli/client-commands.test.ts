/** `podkeep get`, `logs`, `exec` and `down` against a podkeep that runs as a process. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CliHarness } from '../support/cli-harness.ts';
import { KubeconfigClient, PodkeepUp } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

/** Processes take their time to start on a busy machine. */
const TIMEOUT = 90_000;
const WAIT = { timeout: 60_000, interval: 50 };
const PODS = '/api/v1/namespaces/default/pods';

function pod(name: string, ...scripts: readonly string[]) {
  return {
    metadata: { name, labels: { app: name } },
    spec: {
      containers: scripts.map((script, at) => ({
        name: `c${at}`,
        image: 'none',
        command: ['sh', '-c', script],
      })),
    },
  };
}

/** A new cluster takes no pods until their default service account exists. */
async function runPod(client: KubeconfigClient, wanted: ReturnType<typeof pod>): Promise<void> {
  const create = async (): Promise<void> => {
    expect(await client.send('POST', PODS, wanted)).toMatchObject({ code: 201 });
  };
  const isReady = async (): Promise<void> => {
    const { body } = await client.send('GET', `${PODS}/${wanted.metadata.name}`);
    const condition = expect.objectContaining({ type: 'Ready', status: 'True' });
    expect(body['status']).toMatchObject({ conditions: expect.arrayContaining([condition]) });
  };
  await vi.waitFor(create, WAIT);
  await vi.waitFor(isReady, WAIT);
}

/** It ends with the test, and so do its pods. */
async function startNode(...args: readonly string[]) {
  const folder = makeTempFolder();
  const options = ['--data-dir', folder, '--port', '0', '--output', 'json'];
  const up = new PodkeepUp([...options, ...args]);
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
  const follow = (...words: readonly string[]) => {
    const harness = new CliHarness({ KUBECONFIG: kubeconfig });
    return { harness, ended: harness.run(...words) };
  };
  return { folder, up, client: new KubeconfigClient(kubeconfig), podkeep, follow };
}

const REFUSALS: readonly (readonly [readonly string[], string])[] = [
  [['get', 'pods', 'nope'], 'Error from server (NotFound): pods "nope" not found\n'],
  [['get', 'unicorns'], `the server doesn't have a resource type "unicorns"`],
  [['get', 'pods', 'a', '-A'], 'across all namespaces'],
  [['get', 'pods', 'a', '-l', 'b=c'], 'cannot be used with a name'],
  [['get', 'pod/a', 'pods'], 'name the kind either once'],
  [['get', 'pod/'], 'has one slash'],
  [['get', 'pods,svc', '-w'], 'can be watched'],
  [['get', 'pods', '-l', '==='], 'Error from server (BadRequest)'],
  [['logs', 'nope'], 'Error from server (NotFound): pods "nope" not found\n'],
  [['exec', 'nope', '--', 'ls'], 'Error from server (NotFound): pods "nope" not found\n'],
  [['get', 'pods', '--kubeconfig', '/nowhere/config'], 'KUBECONFIG_UNREADABLE'],
];

describe('get', () => {
  test(
    'tables are those of kubectl, kinds have all their names',
    async () => {
      const { client, podkeep } = await startNode();
      await runPod(client, pod('web', 'sleep 1000', 'sleep 1000'));
      const { code, out, err } = await podkeep('get', 'pods');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toMatch(
        /^NAME   READY   STATUS    RESTARTS   AGE\nweb    2\/2     Running   0          \d+s\n$/,
      );
      const many = await podkeep('get', 'po,svc', '-A');
      expect(many.out).toMatch(
        /^NAMESPACE   NAME      READY .*\ndefault     pod\/web .*\n\nNAMESPACE /,
      );
      expect((await podkeep('get', 'pod', 'web', '-o', 'wide')).out).toMatch(/NODE .*\nweb .*none/);
      for (const word of ['po', 'pod', 'Pod', 'pods.v1.', 'pod/web']) {
        expect((await podkeep('get', word, '-o', 'name')).out).toBe('pod/web\n');
      }
      const role = await podkeep(
        'get',
        'clusterroles.rbac.authorization.k8s.io',
        'view',
        '-o',
        'name',
      );
      expect(role.out).toBe('clusterrole.rbac.authorization.k8s.io/view\n');
      const all = await podkeep('get', 'all', '-o', 'name');
      expect(all.out).toBe('pod/web\nservice/kubernetes\n');
    },
    TIMEOUT,
  );

  test(
    'objects are printed whole, and a watch runs until it is stopped',
    async () => {
      const { client, podkeep, follow } = await startNode('--no-node');
      const { out } = await podkeep('get', 'ns', 'default', '-o', 'json');
      expect(JSON.parse(out)).toMatchObject({ kind: 'Namespace', metadata: { name: 'default' } });
      expect(out).not.toContain('managedFields');
      const list = await podkeep('get', 'ns', '-o', 'json');
      expect(JSON.parse(list.out)).toMatchObject({
        kind: 'List',
        items: expect.arrayContaining([
          expect.objectContaining({ apiVersion: 'v1', kind: 'Namespace' }),
        ]),
      });
      expect((await podkeep('get', 'ns', 'default', '-o', 'yaml')).out).toMatch(
        /^apiVersion: v1\nkind: Namespace\nmetadata:\n/,
      );
      const { harness, ended } = follow('get', 'cm', '-w', '-o', 'name', '-l', 'watched');
      const configMap = { metadata: { name: 'fresh', labels: { watched: 'yes' } } };
      await client.send('POST', '/api/v1/namespaces/default/configmaps', configMap);
      await vi.waitFor(() => expect(harness.out).toContain('configmap/fresh\n'), WAIT);
      harness.signal('SIGINT');
      expect(await ended).toBe(130);
      expect(harness.listeners).toBe(0);
    },
    TIMEOUT,
  );

  test(
    'an impossible request is refused in a sentence, and an empty result is reported',
    async () => {
      const { podkeep } = await startNode('--no-node');
      for (const [args, sentence] of REFUSALS) {
        const { code, out, err } = await podkeep(...args);
        expect({ args, code, out }).toEqual({ args, code: 1, out: '' });
        expect(err).toContain(sentence);
      }
      expect(await podkeep('get', 'pods', '-l', 'app=nothing')).toEqual({
        code: 0,
        out: '',
        err: 'No resources found in default namespace.\n',
      });
      const nothing = await podkeep('get', 'pods', '-n', 'kube-system');
      expect(nothing.err).toBe('No resources found in kube-system namespace.\n');
    },
    TIMEOUT,
  );

  test('without a cluster it prints how to get one', async () => {
    const harness = new CliHarness({ XDG_DATA_HOME: makeTempFolder() });
    expect(await harness.run('get', 'pods')).toBe(1);
    expect(harness.err).toMatch(/CLUSTER_UNKNOWN[\s\S]*podkeep up/);
  });
});

test(
  'logs come as they were written, and a command inside ends with its own code',
  async () => {
    const { client, podkeep, follow } = await startNode();
    const scripts = ['echo one; echo two; exec sleep 1000', 'exec sleep 1000'];
    await runPod(client, pod('talks', ...scripts));
    expect(await podkeep('logs', 'talks')).toEqual({
      code: 0,
      out: 'one\ntwo\n',
      err: 'Defaulted container "c0" out of: c0, c1\n',
    });
    const inC0 = ['talks', '-c', 'c0'];
    expect((await podkeep('logs', 'pod/talks', '-c', 'c0', '--tail', '1')).out).toBe('two\n');
    expect((await podkeep('logs', ...inC0, '--timestamps', '--since', '1h')).out).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z one\n/,
    );
    expect(await podkeep('logs', ...inC0, '-p')).toMatchObject({
      code: 1,
      err: expect.stringContaining('previous terminated container'),
    });
    expect(await podkeep('logs', 'talks', '-c', 'nope')).toEqual({
      code: 1,
      out: '',
      err: 'Error from server (BadRequest): container nope is not valid for pod talks\n',
    });
    const { harness, ended } = follow('logs', '-f', ...inC0);
    await vi.waitFor(() => expect(harness.out).toBe('one\ntwo\n'), WAIT);
    harness.signal('SIGINT');
    expect(await ended).toBe(130);
    const script = 'echo out; echo err >&2; exit 3';
    expect(await podkeep('exec', ...inC0, '--', 'sh', '-c', script)).toEqual({
      code: 3,
      out: 'out\n',
      err: 'err\ncommand terminated with exit code 3\n',
    });
    expect(await podkeep('exec', '-i', ...inC0, '--', 'cat')).toEqual({
      code: 0,
      out: '',
      err: '',
    });
  },
  TIMEOUT,
);

test(
  'stopping names the pods that it waits for, and a second signal those that it leaves, and what ends them',
  async () => {
    const { folder, up, client } = await startNode();
    // It ends at the second request only.
    const script = `trap 'trap "exit 0" TERM' TERM; while :; do sleep 0.1; done`;
    await runPod(client, pod('stubborn', script));
    up.child.kill('SIGTERM');
    expect(await up.event('waiting')).toEqual({ event: 'waiting', pods: ['default/stubborn'] });
    up.child.kill('SIGHUP');
    expect(await up.ended).toEqual({ code: 129, signal: null });
    expect(await up.event('left')).toEqual({
      event: 'left',
      signal: 'SIGHUP',
      pods: ['default/stubborn'],
      hint: `podkeep down --data-dir ${folder} stops them.`,
    });
    const harness = new CliHarness(process.env);
    expect(await harness.run('down', '--data-dir', folder)).toBe(0);
    expect(harness.out).toBe('stopped pod default/stubborn\n');
  },
  TIMEOUT,
);

describe('down', () => {
  test(
    'ends the podkeep of the folder and waits for it; afterwards nothing runs',
    async () => {
      const { folder, up } = await startNode('--no-node');
      const harness = new CliHarness();
      expect(await harness.run('down', '--data-dir', folder)).toBe(0);
      expect(harness.out).toBe(`podkeep on ${folder} has ended (process ${up.child.pid})\n`);
      expect(await up.ended).toEqual({ code: 0, signal: null });
      const again = new CliHarness();
      expect(await again.run('down', '--data-dir', folder)).toBe(0);
      expect(again.out).toBe(`nothing runs on ${folder}\n`);
    },
    TIMEOUT,
  );

  test('a folder that was never used is left alone', async () => {
    const folder = path.join(makeTempFolder(), 'never');
    const harness = new CliHarness();
    expect(await harness.run('down', '--data-dir', folder)).toBe(0);
    expect(harness.out).toBe(`nothing runs on ${folder}\n`);
    expect(readdirSync(path.dirname(folder))).toEqual([]);
  });

  test(
    'pods that were kept are stopped as well, even long after their podkeep has ended',
    async () => {
      const { folder, up, client } = await startNode('--keep-pods');
      await runPod(client, pod('kept', `trap 'exit 0' TERM; while :; do sleep 0.1; done`));
      up.child.kill('SIGTERM');
      await up.ended;
      const harness = new CliHarness(process.env);
      expect(await harness.run('down', '--data-dir', folder)).toBe(0);
      expect(harness.out).toBe('stopped pod default/kept\n');
      const again = new CliHarness(process.env);
      await again.run('down', '--data-dir', folder);
      expect(again.out).toBe(`nothing runs on ${folder}\n`);
    },
    TIMEOUT,
  );
});
