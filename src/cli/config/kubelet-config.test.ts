import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { configzOf } from './configz.ts';
import { KUBELET_FIELDS } from './kubelet-fields.ts';
import { readKubeletConfig } from './kubelet-config.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const OURS = 'apiVersion: podkeep.dev/v1alpha1\nkind: PodkeepConfiguration\n';

function writeConfig(text: string): string {
  const file = path.join(makeTempFolder(), 'kubelet.yaml');
  writeFileSync(file, text);
  return file;
}

function read(fields: string, head = HEAD) {
  return readKubeletConfig(writeConfig(`${head}${fields}`));
}

async function problemOf(fields: string, head = HEAD): Promise<string> {
  const file = writeConfig(`${head}${fields}`);
  const error: unknown = await readKubeletConfig(file).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: expect.stringMatching(/^CONFIG_/) });
  return error instanceof Error ? error.message.replace(`${file}: `, '') : '';
}

test('without a file everything is at the kubelet’s defaults', async () => {
  const config = await readKubeletConfig(null);
  expect(config).toMatchObject({
    syncFrequencyMs: 60_000,
    port: 10_250,
    address: '0.0.0.0',
    authentication: { webhook: { enabled: true, cacheTTLMs: 120_000 } },
    authorization: { mode: 'Webhook' },
    nodeStatusReportFrequencyMs: 300_000,
    maxPods: 110,
    serializeImagePulls: true,
    maxParallelImagePulls: null,
    evictionHard: { 'memory.available': '100Mi' },
    containerLogMaxSize: '10Mi',
    crashLoopBackOff: { maxContainerRestartPeriodMs: 300_000 },
    podkeep: { images: {}, process: {}, statusWriteWindow: 32 },
  });
  expect(await read('')).toEqual({ ...config, podkeep: expect.anything() });
});

test('the command line overrides the file', async () => {
  const file = writeConfig(`${HEAD}port: 1234\nmaxPods: 5\n`);
  expect(await readKubeletConfig(file, { port: 0 })).toMatchObject({ port: 0, maxPods: 5 });
  expect(await readKubeletConfig(null, { address: '127.0.0.1' })).toMatchObject({
    address: '127.0.0.1',
  });
});

test('a file of JSON is read too', async () => {
  const file = writeConfig(
    JSON.stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      maxPods: 7,
      systemReserved: { cpu: '500m', memory: '1Gi' },
    }),
  );
  expect(await readKubeletConfig(file)).toMatchObject({
    maxPods: 7,
    systemReserved: { cpu: '500m', memory: '1Gi' },
  });
});

test('the file that kubeadm writes is read, its zeros standing for defaults', async () => {
  const config = await read(`authentication:
  anonymous:
    enabled: false
  webhook:
    cacheTTL: 0s
    enabled: true
  x509:
    clientCAFile: /etc/kubernetes/pki/ca.crt
authorization:
  mode: Webhook
  webhook:
    cacheAuthorizedTTL: 0s
    cacheUnauthorizedTTL: 0s
cgroupDriver: cgroupfs
clusterDNS:
- 10.96.0.10
clusterDomain: cluster.local
containerRuntimeEndpoint: ""
cpuManagerReconcilePeriod: 0s
crashLoopBackOff: {}
evictionPressureTransitionPeriod: 0s
fileCheckFrequency: 0s
healthzBindAddress: 127.0.0.1
healthzPort: 10248
httpCheckFrequency: 0s
imageMaximumGCAge: 0s
imageMinimumGCAge: 0s
logging:
  flushFrequency: 0
  options:
    json:
      infoBufferSize: "0"
    text:
      infoBufferSize: "0"
  verbosity: 0
memorySwap: {}
nodeStatusReportFrequency: 0s
nodeStatusUpdateFrequency: 0s
rotateCertificates: true
runtimeRequestTimeout: 0s
shutdownGracePeriod: 0s
shutdownGracePeriodCriticalPods: 0s
staticPodPath: /etc/kubernetes/manifests
streamingConnectionIdleTimeout: 0s
syncFrequency: 0s
volumeStatsAggPeriod: 0s
`);
  expect(config).toMatchObject({
    rotateCertificates: true,
    serverTLSBootstrap: false,
    clusterDNS: ['10.96.0.10'],
    clusterDomain: 'cluster.local',
    staticPodPath: '/etc/kubernetes/manifests',
    nodeStatusReportFrequencyMs: 300_000,
    authentication: {
      x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' },
      webhook: { cacheTTLMs: 120_000 },
    },
  });
});

test('paths begin at the folder of the file', async () => {
  const folder = makeTempFolder();
  mkdirSync(path.join(folder, 'conf'));
  const file = path.join(folder, 'conf', 'kubelet.yaml');
  writeFileSync(file, `${HEAD}staticPodPath: ../manifests\nresolvConf: ""\n`);
  expect(await readKubeletConfig(file)).toMatchObject({
    staticPodPath: path.join(folder, 'manifests'),
    resolvConf: '',
  });
});

test('defaults follow from other fields, as in the kubelet', async () => {
  expect(await read('nodeStatusUpdateFrequency: 4s')).toMatchObject({
    nodeStatusUpdateFrequencyMs: 4000,
    nodeStatusReportFrequencyMs: 4000,
  });
  expect(await read('maxParallelImagePulls: 3')).toMatchObject({ serializeImagePulls: false });
  expect(await read('maxParallelImagePulls: 1')).toMatchObject({ serializeImagePulls: true });
});

test.each([
  ['maxPod: 5', 'maxPod is unknown here; did you mean maxPods?'],
  ['flavour: mint', 'flavour is unknown here'],
  ['clientCAFile: x', 'clientCAFile is unknown here; it is authentication.x509.clientCAFile'],
  ['authentication: {webhok: {}}', 'authentication.webhok is unknown here; did you mean webhook?'],
  ['maxPods: many', 'maxPods must be a whole number from 0 to 2147483647'],
  ['maxPods: -1', 'maxPods must be a whole number from 0 to 2147483647'],
  ['port: 70000', 'port must be a whole number from 1 to 65535'],
  ['port: "10250"', 'port must be a whole number from 1 to 65535'],
  ['address: localhost', 'address must be an IP address, such as 127.0.0.1'],
  ['clusterDNS: [10.0.0.1, dns]', 'clusterDNS[1] must be an IP address, such as 127.0.0.1'],
  ['clusterDNS: 10.0.0.1', 'clusterDNS must be a list'],
  ['syncFrequency: 60', 'syncFrequency must be a duration, such as 10s or 1h30m'],
  ['syncFrequency: -5s', 'syncFrequency must be at least 0s'],
  [
    'crashLoopBackOff: {maxContainerRestartPeriod: 6m}',
    'crashLoopBackOff.maxContainerRestartPeriod must be at most 5m0s',
  ],
  ['registerNode: "yes"', 'registerNode must be true or false'],
  ['authentication: true', 'authentication must be a mapping'],
  ['staticPodPath: 7', 'staticPodPath must be a string'],
  [
    'authorization: {mode: webhook}',
    'authorization.mode must be Webhook or AlwaysAllow; did you mean Webhook?',
  ],
  [
    'containerLogMaxSize: 10 Megs',
    'containerLogMaxSize must be a quantity that is not negative, such as 500m or 10Mi',
  ],
  ['containerLogMaxFiles: 1', 'containerLogMaxFiles must be a whole number from 2 to 2147483647'],
  ['systemReserved: {cpus: 1}', 'systemReserved.cpus is no resource to reserve; did you mean cpu?'],
  [
    'systemReserved: {cpu: -1}',
    'systemReserved.cpu must be a quantity that is not negative, such as 500m or 10Mi',
  ],
  ['evictionHard: {memory: 1Gi}', 'evictionHard.memory is no signal of eviction'],
  [
    'evictionHard: {nodefs.available: 101%}',
    'evictionHard["nodefs.available"] must be a quantity or a percentage from 0% to 100%',
  ],
  [
    'featureGates: {NodeSwop: true}',
    'featureGates.NodeSwop is not a feature gate of Kubernetes v1.36; did you mean NodeSwap?',
  ],
  [
    'featureGates: {AllAlpha: true}',
    'featureGates.AllAlpha cannot be true: podkeep supports only false',
  ],
  [
    'hairpinMode: none',
    'hairpinMode is not offered by podkeep; it can only be "promiscuous-bridge"',
  ],
  ['evictionSoft: {memory: 1Gi}', 'evictionSoft.memory is no signal of eviction'],
  [
    'evictionMinimumReclaim: {memory.available: -1Mi}',
    'evictionMinimumReclaim["memory.available"] must be a quantity that is not negative, such as 500m or 10Mi',
  ],
  [
    'memorySwap: {swapBehavior: LimitedSwap}',
    'memorySwap.swapBehavior is not offered by podkeep; leave it out',
  ],
  ['userNamespaces: {idsPerPod: 1}', 'userNamespaces is not offered by podkeep; leave it out'],
  [
    'registerWithTaints: [{key: a b, effect: NoSchedule}]',
    'registerWithTaints[0].key must be a name such as example.com/gpu',
  ],
  ['registerWithTaints: [{key: a}]', 'registerWithTaints[0].effect is missing'],
  [
    'registerWithTaints: [{key: a, effect: NoShedule}]',
    'registerWithTaints[0].effect must be NoSchedule or PreferNoSchedule or NoExecute; did you mean NoSchedule?',
  ],
  [
    '{serializeImagePulls: true, maxParallelImagePulls: 2}',
    'maxParallelImagePulls must be 1 while serializeImagePulls is true; set that to false',
  ],
  ['tlsCertFile: a.crt', 'tlsPrivateKeyFile is missing: a certificate and its key go together'],
  ['tlsMinVersion: VersionTLS14', 'tlsMinVersion must be VersionTLS12 or VersionTLS13'],
  [
    'tlsMinVersion: VersionTLS10',
    'tlsMinVersion is too old to be safe; podkeep offers VersionTLS12 and VersionTLS13',
  ],
  ['tlsCipherSuites: [RC4]', 'tlsCipherSuites[0] is not a cipher suite that podkeep supports'],
  ['kubeAPIQPS: 0', 'kubeAPIQPS must be -1 for no limit, or at least 1'],
  ['__proto__: {}', '__proto__ is unknown here'],
])('%s is refused by its path', async (fields, problem) => {
  const isFlow = fields.startsWith('{');
  const inner = isFlow ? fields.slice(1, -1).replaceAll(', ', '\n') : fields;
  expect(await problemOf(inner)).toBe(problem);
});

test('all mistakes of a file are reported together', async () => {
  expect(await problemOf('maxPod: 5\nport: x\n')).toBe(
    'maxPod is unknown here; did you mean maxPods?\n  port must be a whole number from 1 to 65535',
  );
});

test.each([
  ['', 'it is empty'],
  ['# nothing\n', 'it is empty'],
  ['- a\n', 'it must hold a mapping of fields to values'],
  [
    'kind: KubeletConfiguration\n',
    'apiVersion and kind must be kubelet.config.k8s.io/v1beta1 KubeletConfiguration or ' +
      'podkeep.dev/v1alpha1 PodkeepConfiguration, not KubeletConfiguration',
  ],
  [`${HEAD}---\n${HEAD}`, 'it has kubelet.config.k8s.io/v1beta1 KubeletConfiguration twice'],
])('a file that says %j is refused', async (text, problem) => {
  expect(await problemOf('', text)).toContain(problem);
});

test('a file that is no YAML, has a key twice, or does not exist cannot be read', async () => {
  expect(await problemOf('a: [', '')).toMatch(/cannot be read/);
  expect(await problemOf('port: 1\nport: 2\n')).toMatch(/cannot be read: Map keys must be unique/);
  await expect(readKubeletConfig('/nowhere/kubelet.yaml')).rejects.toMatchObject({
    code: 'CONFIG_UNREADABLE',
    message: expect.stringContaining('/nowhere/kubelet.yaml'),
  });
});

test('our own section maps images and says how pods run', async () => {
  const file = writeConfig(`${HEAD}maxPods: 3
---
${OURS}images:
  nginx: { command: [node, server.js], env: { PORT: "80" } }
  alpine: { folder: roots/alpine, command: [/bin/sh] }
  app: { ociLayout: /layouts/app }
process: { isolation: none, network: host, defaultUser: { uid: 1000, gid: 1000 } }
statusWriteWindow: 8
`);
  const { podkeep, maxPods } = await readKubeletConfig(file);
  expect(maxPods).toBe(3);
  expect(podkeep).toMatchObject({
    images: {
      nginx: { command: ['node', 'server.js'], env: { PORT: '80' } },
      alpine: { folder: path.join(path.dirname(file), 'roots/alpine'), command: ['/bin/sh'] },
      app: { ociLayout: '/layouts/app' },
    },
    process: { isolation: 'none', network: 'host', defaultUser: { uid: 1000, gid: 1000 } },
    statusWriteWindow: 8,
  });
  expect(podkeep.process).not.toHaveProperty('cgroups');
});

test('simulated containers behave as the file scripts them', async () => {
  const { podkeep } = await read(
    `simulated:
  registry: { slow: 3s }
  images: [here]
  scripts:
    containers:
      crashes: [{ life: 5s, exitCode: 3 }, { life: 1m }]
      stubborn: { stop: ignored, output: [{ after: 1s, text: hello }] }
      writer: { writes: [{ after: 2s, size: 10Mi }, { size: 1 }] }
    images:
      probed: { exec: { exitCode: 1, stdout: bad } }
`,
    OURS,
  );
  const { scripts, registry, images } = podkeep.simulated;
  const scriptOf = (name: string, image: string, attempt: number) =>
    scripts?.({ podName: 'p', namespace: 'n', config: { name, image, attempt } as never });
  expect(registry).toEqual(new Map([['slow', 3000]]));
  expect(images).toEqual(['here']);
  expect(scriptOf('crashes', 'x', 0)).toEqual({ lifeMs: 5000, exitCode: 3 });
  expect(scriptOf('crashes', 'x', 5)).toEqual({ lifeMs: 60_000 });
  expect(scriptOf('stubborn', 'x', 0)).toEqual({
    stop: 'ignored',
    output: [{ afterMs: 1000, text: 'hello', stream: 'stdout', isPartial: false }],
  });
  expect(scriptOf('writer', 'x', 0)).toEqual({
    writes: [
      { afterMs: 2000, bytes: 10 * 2 ** 20 },
      { afterMs: 0, bytes: 1 },
    ],
  });
  const probed = scriptOf('a', 'probed', 0);
  expect(probed?.exec?.({ command: [], runningMs: 0 })).toEqual({ exitCode: 1, stdout: 'bad' });
});

test.each([
  ['image: {}', 'image is unknown here; did you mean images?'],
  ['images: {nginx: {}}', 'images.nginx needs a command, a folder or an ociLayout'],
  [
    'images: {nginx: {ociLayout: x, args: [a]}}',
    'images.nginx has an ociLayout, so it cannot have other fields',
  ],
  ['images: {nginx: {comand: [a]}}', 'images.nginx.comand is unknown here; did you mean command?'],
  ['process: {isolation: full}', 'process.isolation must be auto or none'],
  ['statusWriteWindow: -1', 'statusWriteWindow must be a whole number from 1 to 2147483647'],
  [
    'simulated: {scripts: {containers: {a: [{lifetime: 1s}]}}}',
    'simulated.scripts.containers.a[0].lifetime is unknown here',
  ],
])('in our section %s is refused', async (fields, problem) => {
  expect(await problemOf(fields, OURS)).toContain(problem);
});

test('/configz names the fields that the kubelet names, with its defaults', async () => {
  const config = configzOf(await readKubeletConfig(null));
  const { kubeletconfig } = config;
  expect(kubeletconfig).toMatchObject({
    kind: 'KubeletConfiguration',
    syncFrequency: '1m0s',
    authentication: { x509: {}, webhook: { enabled: true, cacheTTL: '2m0s' } },
    imageMaximumGCAge: '0s',
    cpuCFSQuotaPeriod: '100ms',
    streamingConnectionIdleTimeout: '4h0m0s',
    memorySwap: {},
    logging: {
      format: 'text',
      flushFrequency: '5s',
      verbosity: 0,
      options: { text: { infoBufferSize: '0' }, json: { infoBufferSize: '0' } },
    },
    crashLoopBackOff: { maxContainerRestartPeriod: '5m0s' },
    memoryThrottlingFactor: 0.9,
  });
  expect(kubeletconfig).not.toHaveProperty('readOnlyPort');
  expect(kubeletconfig).not.toHaveProperty('rotateCertificates');
});

test('docs/configuration.md names every field, and what those that are not offered can be', () => {
  const file = path.join(import.meta.dirname, '../../../docs/configuration.md');
  const docs = readFileSync(file, 'utf8').replaceAll(/ +/g, ' ');
  const missing = Object.entries(KUBELET_FIELDS).flatMap(([name, kind]) => {
    if (!('isOffered' in kind)) return docs.includes(`\`${name}`) ? [] : [name];
    const only = kind.write(null);
    const value = only === undefined ? 'not set' : `\`${JSON.stringify(only)}\``;
    const row = `| \`${name}\` | ${value} |`;
    return docs.includes(row) ? [] : [row];
  });
  expect(missing).toEqual([]);
});

test('defaults apply to fields that are unset or zero', async () => {
  const defaults = { port: 0, maxPods: 7 };
  const some = writeConfig(`${HEAD}maxPods: 9\n`);
  expect(await readKubeletConfig(some, {}, defaults)).toMatchObject({ port: 0, maxPods: 9 });
  const zero = writeConfig(`${HEAD}port: 10251\nmaxPods: 0\n`);
  expect(await readKubeletConfig(zero, {}, defaults)).toMatchObject({ port: 10_251, maxPods: 7 });
  expect(await readKubeletConfig(null, { port: 1 }, defaults)).toMatchObject({
    port: 1,
    maxPods: 7,
  });
});
