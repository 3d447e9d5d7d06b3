import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { loadKubeconfig } from './kubeconfig.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const encode = (text: string): string => Buffer.from(text).toString('base64');

/** A kubeconfig of one context, with these fields of cluster, user and context. */
function write(cluster: object, user: object = {}, context: object = {}): string {
  const folder = makeTempFolder();
  writeFileSync(path.join(folder, 'ca.pem'), PEM);
  const file = path.join(folder, 'config');
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', ...context } }],
    clusters: [{ name: 'c', cluster: { server: 'https://api:6443/', ...cluster } }],
    users: [{ name: 'u', user }],
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

function load(cluster: object, user?: object, context?: object): Promise<ClusterAccess> {
  return loadKubeconfig(write(cluster, user, context));
}

describe('a kubeconfig is read', () => {
  test('in YAML, with everything as data', async () => {
    const file = path.join(makeTempFolder(), 'config');
    writeFileSync(
      file,
      `
current-context: b
contexts:
- {name: a, context: {cluster: other}}
- name: b
  context: {cluster: c, user: u, namespace: work}
clusters:
- name: c
  cluster:
    server: https://10.0.0.1:6443
    certificate-authority-data: ${encode(PEM)}
    tls-server-name: kubernetes
    proxy-url: http://proxy:3128
users:
- name: u
  user: {client-certificate-data: ${encode('cert')}, client-key-data: ${encode('key')}}
`,
    );
    expect(await loadKubeconfig(file)).toEqual({
      server: 'https://10.0.0.1:6443',
      ca: PEM,
      serverName: 'kubernetes',
      proxyUrl: 'http://proxy:3128',
      insecureSkipTlsVerify: false,
      namespace: 'work',
      user: { certificate: { pem: 'cert' }, key: { pem: 'key' }, headers: {} },
    });
  });

  test('paths are relative to its folder', async () => {
    const user = {
      'client-certificate': 'pki/me.crt',
      'client-key': '/etc/me.key',
      tokenFile: 't',
    };
    const file = write({ 'certificate-authority': 'ca.pem' }, user);
    const folder = path.dirname(file);
    expect(await loadKubeconfig(file)).toMatchObject({
      ca: PEM,
      namespace: 'default',
      user: {
        certificate: { file: path.join(folder, 'pki/me.crt') },
        key: { file: '/etc/me.key' },
        tokenFile: path.join(folder, 't'),
      },
    });
  });

  test('data counts more than a path beside it', async () => {
    const cluster = {
      'certificate-authority': 'nowhere',
      'certificate-authority-data': encode(PEM),
    };
    expect(await load(cluster)).toMatchObject({ ca: PEM });
  });

  test('impersonation becomes headers', async () => {
    const extra = { 'as-user-extra': { 'Scopes/x': ['a', 'b'] } };
    const user = { as: 'jane', 'as-uid': '7', 'as-groups': ['dev', 'ops'], ...extra };
    expect((await load({}, user)).user.headers).toEqual({
      'impersonate-user': ['jane'],
      'impersonate-uid': ['7'],
      'impersonate-group': ['dev', 'ops'],
      'impersonate-extra-scopes%2fx': ['a', 'b'],
    });
  });

  test('a plugin is found by its path, and gets the cluster if it wants it', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './bin/login',
      args: ['--quiet'],
      env: [{ name: 'REGION', value: 'eu' }],
      provideClusterInfo: true,
      installHint: 'get it from your admin',
    };
    const extension = { audience: 'a' };
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension }];
    const file = write(
      { 'tls-server-name': 'k', 'certificate-authority': 'ca.pem', extensions },
      { exec },
    );
    expect((await loadKubeconfig(file)).user.exec).toEqual({
      apiVersion: exec.apiVersion,
      command: path.join(path.dirname(file), 'bin/login'),
      args: ['--quiet'],
      env: { REGION: 'eu' },
      installHint: 'get it from your admin',
      cluster: {
        server: 'https://api:6443/',
        'tls-server-name': 'k',
        'insecure-skip-tls-verify': false,
        'certificate-authority-data': encode(PEM),
        config: extension,
      },
    });
  });

  test.each(['http://p:3128', 'https://u:s@p', 'socks5://p:1080', 'socks5h://p'])(
    'a proxy: %s',
    async (proxyUrl) => {
      expect(await load({ 'proxy-url': proxyUrl })).toMatchObject({ proxyUrl });
    },
  );

  test('a context of another name can be chosen', async () => {
    const file = write({});
    await expect(loadKubeconfig(file, 'there')).rejects.toThrow(
      '"there", which is not in contexts',
    );
    await expect(loadKubeconfig(file, 'here')).resolves.toBeDefined();
  });
});

describe('mistakes name the file and the field', () => {
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'x' };
  test.each<[string, object, object, object, string]>([
    ['no server', { server: '' }, {}, {}, 'clusters[0].cluster.server is missing'],
    [
      'a server of no URL',
      { server: 'https://' },
      {},
      {},
      'clusters[0].cluster.server is not a URL',
    ],
    ['a server of another kind', { server: 'ftp://x' }, {}, {}, 'server must begin with https://'],
    [
      'base64 that is none',
      { 'certificate-authority-data': '%%' },
      {},
      {},
      'clusters[0].cluster.certificate-authority-data is not valid base64',
    ],
    [
      'an authority that is no PEM',
      { 'certificate-authority-data': encode('hello') },
      {},
      {},
      'certificate-authority holds no PEM certificate',
    ],
    [
      'an authority that is not to be asked',
      { 'insecure-skip-tls-verify': true, 'certificate-authority': 'ca.pem' },
      {},
      {},
      'insecure-skip-tls-verify cannot be set together with a certificate authority',
    ],
    ['a flag of text', { 'insecure-skip-tls-verify': 'yes' }, {}, {}, 'must be true or false'],
    ['a token of no text', {}, { token: 7 }, {}, 'users[0].user.token must be a string'],
    [
      'half a certificate',
      {},
      { 'client-key': 'k' },
      {},
      'users[0].user.client-certificate is missing',
    ],
    [
      'the other half',
      {},
      { 'client-certificate': 'c' },
      {},
      'users[0].user.client-key is missing',
    ],
    [
      'an old provider',
      {},
      { 'auth-provider': { name: 'gcp' } },
      {},
      'auth-provider is not supported',
    ],
    ['groups of nobody', {}, { 'as-groups': ['a'] }, {}, 'users[0].user.as is missing'],
    [
      'a plugin of nothing',
      {},
      { exec: { ...exec, command: '' } },
      {},
      'user.exec.command is missing',
    ],
    [
      'an old plugin',
      {},
      { exec: { ...exec, apiVersion: 'v1alpha1' } },
      {},
      'user.exec.apiVersion must',
    ],
    [
      'a plugin that wants to talk',
      {},
      { exec: { ...exec, interactiveMode: 'Always' } },
      {},
      'user.exec.interactiveMode is Always',
    ],
    [
      'a plugin of another mode',
      {},
      { exec: { ...exec, interactiveMode: 'Sometimes' } },
      {},
      'user.exec.interactiveMode must be Never, IfAvailable or Always',
    ],
    [
      'a proxy of another kind',
      { 'proxy-url': 'ftp://x' },
      {},
      {},
      'proxy-url must begin with http:// or https:// or socks5:// or socks5h://',
    ],
    [
      'an unknown user',
      {},
      {},
      { user: 'x' },
      'contexts[0].context.user names "x", which is not in users',
    ],
    ['a context of no cluster', {}, {}, { cluster: '' }, 'contexts[0].context.cluster is missing'],
  ])('%s', async (_name, cluster, user, context, sentence) => {
    const file = write(cluster, user, context);
    const error: unknown = await loadKubeconfig(file).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'KUBECONFIG_INVALID' });
    expect(String(error)).toContain(`kubeconfig ${file}: `);
    expect(String(error)).toContain(sentence);
  });

  test.each([
    ['is empty', ''],
    ['is not YAML', 'a: [b'],
    ['current-context is missing', 'clusters: []'],
    ['contexts must be a list', 'current-context: a\ncontexts: 3'],
  ])('a file that %s', async (sentence, text) => {
    const file = path.join(makeTempFolder(), 'config');
    writeFileSync(file, text);
    await expect(loadKubeconfig(file)).rejects.toThrow(sentence);
  });

  test('files that are not there', async () => {
    const missing = path.join(makeTempFolder(), 'config');
    await expect(loadKubeconfig(missing)).rejects.toMatchObject({ code: 'KUBECONFIG_UNREADABLE' });
    await expect(load({ 'certificate-authority': 'nowhere.pem' })).rejects.toMatchObject({
      code: 'KUBECONFIG_UNREADABLE',
    });
  });
});

describe('several files', () => {
  const write = (folder: string, name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };

  test('the first that has a value counts, and paths are relative to their file', async () => {
    const [one, two] = [makeTempFolder(), makeTempFolder()];
    writeFileSync(path.join(two, 'ca.pem'), PEM);
    const files = [
      write(one, 'a', 'clusters: [{ name: c, cluster: { server: "https://first:1" } }]\n'),
      write(
        two,
        'b',
        `current-context: here
contexts: [{ name: here, context: { cluster: d, user: u, namespace: n } }]
clusters:
- { name: c, cluster: { server: "https://second:2" } }
- { name: d, cluster: { server: "https://third:3", certificate-authority: ca.pem } }
users: [{ name: u, user: { token: t } }]
`,
      ),
    ];
    expect(await loadKubeconfig(files)).toMatchObject({
      server: 'https://third:3',
      ca: PEM,
      namespace: 'n',
      user: { token: 't' },
    });
    const current = write(
      one,
      'c',
      'current-context: other\ncontexts: [{ name: other, context: { cluster: c } }]\n',
    );
    expect(await loadKubeconfig([...files, current], 'other')).toMatchObject({
      server: 'https://first:1',
    });
    expect(await loadKubeconfig([current, ...files])).toMatchObject({ server: 'https://first:1' });
  });
});

test('a kubeconfig that others may write is refused', async () => {
  const file = write({});
  chmodSync(file, 0o646);
  await expect(loadKubeconfig(file)).rejects.toMatchObject({
    code: 'UNTRUSTED_FILE',
    message: `${file} is not safe to use: every user may write to it (mode 646)`,
  });
});
