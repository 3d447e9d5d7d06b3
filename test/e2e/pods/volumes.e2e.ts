/** What containers find in their volumes and variables, and how a missing object is reported. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { podCluster } from '../support/pod-cluster.ts';
import { containerOf, LIVE, shell, shellPod } from '../support/pod-view.ts';

const cluster = podCluster('volumes');

function configMap(name: string, data: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

describe.concurrent('volumes and variables', () => {
  test('a config map that changes reaches the files of a container, and nothing else', async ({
    expect,
  }) => {
    const volumes = [{ name: 'config', configMap: { name: 'live' } }];
    const container = {
      env: [{ name: 'WORD', valueFrom: { configMapKeyRef: { name: 'live', key: 'word' } } }],
      volumeMounts: [
        { name: 'config', mountPath: '/config' },
        { name: 'config', mountPath: '/single/word', subPath: 'word' },
      ],
    };
    await cluster.apply(
      configMap('live', { word: 'old' }),
      shellPod({ name: 'reader', container, spec: { volumes } }),
    );
    await cluster.ready('reader');
    const read = (): Promise<string> =>
      cluster.kubectl([
        ...['exec', 'reader', '--', 'sh', '-c'],
        'echo $(cat /config/word) $(cat /single/word) $WORD',
      ]);
    expect(await read()).toBe('old old old\n');
    await cluster.kubectl(['patch', 'configmap', 'live', '-p', '{"data":{"word":"new"}}']);
    const script = 'until grep -q new /config/word; do sleep 0.1; done';
    await cluster.kubectl(['exec', 'reader', '--', 'timeout', '60', 'sh', '-c', script]);
    expect(await read()).toBe('new old old\n');
  });

  test('a secret is in memory, with the modes of its spec', async ({ expect }) => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'keys' },
      stringData: { key: 'hush', 'other.key': 'x' },
    };
    const items = [{ key: 'key', path: 'deep/key', mode: 0o444 }];
    const volumes = [{ name: 'keys', secret: { secretName: 'keys', items, defaultMode: 0o400 } }];
    const container = {
      envFrom: [{ prefix: 'KEYS_', secretRef: { name: 'keys' } }],
      volumeMounts: [{ name: 'keys', mountPath: '/keys', readOnly: true }],
    };
    await cluster.apply(secret, shellPod({ name: 'keeper', container, spec: { volumes } }));
    await cluster.ready('keeper');
    const script = 'cat /keys/deep/key; echo; stat -Lc %a /keys/deep/key; echo $KEYS_key; ls /keys';
    expect(await cluster.kubectl(['exec', 'keeper', '--', 'sh', '-c', script])).toBe(
      'hush\n444\nhush\ndeep\n',
    );
    const kind = await cluster.kubectl('exec keeper -- stat -f -c %T /keys');
    if (cluster.isRoot) expect(kind).toBe('tmpfs\n');
    else
      console.log(
        `secrets of an ordinary user lie on disk (${kind.trim()}), readable by that user only`,
      );
    const { code } = await cluster.attempt('exec keeper -- touch /keys/new');
    expect(code).toBe(1);
  });

  test('the token of a pod lets it read itself from the API, and no more', async ({ expect }) => {
    // Mounted, because the checkout may be where pods see nothing of the machine.
    const modules = path.join(import.meta.dirname, '../../../node_modules');
    const volumes = [{ name: 'modules', hostPath: { path: modules, type: 'Directory' } }];
    const client = '/modules/node_modules/@kubernetes/client-node/dist/index.js';
    const program = `
      import(process.argv[1]).then(async ({ KubeConfig, CoreV1Api }) => {
        const config = new KubeConfig();
        config.loadFromCluster();
        const api = config.makeApiClient(CoreV1Api);
        const { items } = await api.listNamespacedPod({ namespace: 'default' });
        console.log(items.some(({ metadata }) => metadata.name === process.env.POD_NAME) ? 'found' : 'lost');
        await api.listNamespacedSecret({ namespace: 'default' }).catch(({ code }) => console.log(code));
      }).catch((error) => { console.error(error); process.exit(1); });`;
    const rbac = 'rbac.authorization.k8s.io';
    const metadata = { name: 'reads-pods' };
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }];
    const subjects = [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }];
    const roleRef = { apiGroup: rbac, kind: 'Role', name: 'reads-pods' };
    await cluster.apply(
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'reader' } },
      { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules },
      { apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata, subjects, roleRef },
      shellPod({
        name: 'client',
        container: {
          command: ['node', '-e', program, client],
          env: [
            { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            ...cluster.wayToApi.env,
          ],
          volumeMounts: [{ name: 'modules', mountPath: '/modules/node_modules', readOnly: true }],
        },
        spec: {
          serviceAccountName: 'reader',
          restartPolicy: 'Never',
          volumes,
          ...cluster.wayToApi.spec,
        },
      }),
    );
    await cluster.over('client');
    expect(await cluster.kubectl('logs client')).toBe('found\n403\n');
  });

  test('a pod gets its own fields, in files and in variables', async ({ expect }) => {
    const field = (fieldPath: string): JsonObject => ({ fieldRef: { fieldPath } });
    const resource = (name: string, divisor: string): JsonObject => ({
      resourceFieldRef: { containerName: 'main', resource: name, divisor },
    });
    const items = [
      { path: 'labels', ...field('metadata.labels') },
      { path: 'limit', ...resource('limits.memory', '1Mi') },
    ];
    const container = {
      resources: { limits: { memory: '64Mi', cpu: '250m' } },
      env: [
        { name: 'NAME', valueFrom: field('metadata.name') },
        { name: 'NODE', valueFrom: field('spec.nodeName') },
        { name: 'CPU', valueFrom: resource('limits.cpu', '1m') },
        { name: 'BOTH', value: '$(NAME)@$(NODE) $$(NAME) $(NOTHING)' },
      ],
      volumeMounts: [{ name: 'self', mountPath: '/self' }],
    };
    const spec = { volumes: [{ name: 'self', downwardAPI: { items } }] };
    const metadata = { labels: { colour: 'blue' } };
    await cluster.apply(shellPod({ name: 'self-aware', container, spec, metadata }));
    await cluster.ready('self-aware');
    const script = 'cat /self/labels; echo; cat /self/limit; echo; echo "$CPU $BOTH"';
    expect(await cluster.kubectl(['exec', 'self-aware', '--', 'sh', '-c', script])).toBe(
      'colour="blue"\n64\n250 self-aware@node-1 $(NAME) $(NOTHING)\n',
    );
    await cluster.kubectl('label pod self-aware colour=red --overwrite');
    const changed = 'until grep -q red /self/labels; do sleep 0.1; done';
    await cluster.kubectl(['exec', 'self-aware', '--', 'timeout', '60', 'sh', '-c', changed]);
  });

  test('containers share an emptyDir, on disk or in memory', async ({ expect }) => {
    const volumeMounts = [
      { name: 'disk', mountPath: '/disk' },
      { name: 'memory', mountPath: '/memory' },
    ];
    const writer = {
      ...shell('writer', `echo a >/disk/a; echo b >/memory/b; ${LIVE}`),
      volumeMounts,
    };
    const volumes = [
      { name: 'disk', emptyDir: {} },
      { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '8Mi' } },
    ];
    const containers = [writer, { ...shell('main'), volumeMounts }];
    await cluster.apply(shellPod({ name: 'shares', spec: { containers, volumes } }));
    await cluster.ready('shares');
    const script = 'until cat /disk/a /memory/b 2>/dev/null; do sleep 0.1; done';
    expect(await cluster.kubectl(['exec', 'shares', '-c', 'main', '--', 'sh', '-c', script])).toBe(
      'a\nb\n',
    );
    const kind = await cluster.kubectl('exec shares -c main -- stat -f -c %T /memory');
    if (cluster.isRoot) expect(kind).toBe('tmpfs\n');
    else console.log(`an emptyDir in memory of an ordinary user lies on ${kind.trim()}`);
  });

  test('parts of a volume are mounted by name, which may come from a variable', async ({
    expect,
  }) => {
    const container = {
      env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      volumeMounts: [
        { name: 'data', mountPath: '/whole' },
        { name: 'data', mountPath: '/mine', subPathExpr: 'of/$(POD_NAME)' },
      ],
    };
    const spec = { volumes: [{ name: 'data', emptyDir: {} }] };
    await cluster.apply(shellPod({ name: 'partial', container, spec }));
    await cluster.ready('partial');
    await cluster.kubectl('exec partial -- touch /mine/file');
    expect(await cluster.kubectl('exec partial -- ls /whole/of/partial')).toBe('file\n');
  });

  test('a hostPath is checked for its type', async ({ expect }) => {
    const host = path.join(cluster.folder, 'host');
    mkdirSync(host);
    writeFileSync(path.join(host, 'file'), 'from the host\n');
    chmodSync(host, 0o777);
    const pod = (name: string, where: string, type: string): JsonObject =>
      shellPod({
        name,
        container: { volumeMounts: [{ name: 'host', mountPath: '/host' }] },
        spec: { volumes: [{ name: 'host', hostPath: { path: path.join(host, where), type } }] },
      });
    await cluster.apply(
      pod('host-folder', '', 'Directory'),
      pod('host-file', 'file', 'File'),
      pod('host-made', 'made/here', 'DirectoryOrCreate'),
      pod('host-wrong', 'file', 'Directory'),
      pod('host-missing', 'nothing', 'File'),
    );
    await cluster.ready('host-folder');
    expect(await cluster.kubectl('exec host-folder -- cat /host/file')).toBe('from the host\n');
    await cluster.ready('host-file');
    expect(await cluster.kubectl('exec host-file -- cat /host')).toBe('from the host\n');
    await cluster.ready('host-made');
    await cluster.event('host-wrong', 'FailedMount', 'hostPath type check failed');
    await cluster.event('host-missing', 'FailedMount', 'hostPath type check failed');
  });

  test('a pod waits for a config map that its volume needs', async ({ expect }) => {
    const spec = { volumes: [{ name: 'config', configMap: { name: 'late-file' } }] };
    const container = { volumeMounts: [{ name: 'config', mountPath: '/config' }] };
    await cluster.apply(shellPod({ name: 'waits-file', container, spec }));
    await cluster.event('waits-file', 'FailedMount', 'configmap "late-file" not found');
    await cluster.apply(configMap('late-file', { word: 'here' }));
    await cluster.ready('waits-file');
    expect(await cluster.kubectl('exec waits-file -- cat /config/word')).toBe('here');
  });

  test('a pod waits for a config map that its variables need', async ({ expect }) => {
    const container = { envFrom: [{ configMapRef: { name: 'late-env' } }] };
    await cluster.apply(shellPod({ name: 'waits-env', container }));
    const pod = await cluster.podWhen(
      'waits-env',
      'to say what it misses',
      (each) => containerOf(each)?.state.waiting?.reason === 'CreateContainerConfigError',
    );
    expect(containerOf(pod)?.state.waiting?.message).toBe('configmap "late-env" not found');
    await cluster.event('waits-env', 'Failed', 'Error: configmap "late-env" not found');
    await cluster.apply(configMap('late-env', { WORD: 'here' }));
    await cluster.ready('waits-env');
    expect(await cluster.kubectl(['exec', 'waits-env', '--', 'sh', '-c', 'echo $WORD'])).toBe(
      'here\n',
    );
  });

  test('an optional object may be missing', async ({ expect }) => {
    const config = { name: 'nobody', optional: true };
    const container = {
      env: [{ name: 'WORD', valueFrom: { configMapKeyRef: { ...config, key: 'word' } } }],
      volumeMounts: [{ name: 'config', mountPath: '/config' }],
    };
    const spec = { volumes: [{ name: 'config', configMap: config }] };
    await cluster.apply(shellPod({ name: 'undemanding', container, spec }));
    await cluster.ready('undemanding');
    const script = 'echo "[$WORD]"; ls /config';
    expect(await cluster.kubectl(['exec', 'undemanding', '--', 'sh', '-c', script])).toBe('[]\n');
  });
});
