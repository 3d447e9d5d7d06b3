/** Mistyped settings of a node end podkeep before anything is created or served. */
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CliHarness } from '../support/cli-harness.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const KIND = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

const MISTAKES: readonly (readonly [string, readonly string[], string])[] = [
  ['a configuration that is not there', ['--config', 'NOWHERE'], 'CONFIG_UNREADABLE'],
  ['a configuration of another kind', ['--config', 'FOO'], 'CONFIG_INVALID'],
  ['a field that is unknown', ['--config', 'FIELD'], 'CONFIG_INVALID'],
  ['a certificate file that is not there', ['--config', 'CERT'], 'CERTIFICATE_FILE_UNREADABLE'],
  ['manifests that are not there', ['--manifests', 'NOWHERE'], 'MANIFESTS_UNUSABLE'],
  ['a socket that is not there', ['--runtime', 'unix://NOWHERE'], 'RUNTIME_SILENT'],
  ['a socket that is a file', ['--runtime', 'unix://FOO'], 'RUNTIME_SILENT'],
  ['an endpoint that is no socket', ['--runtime', 'tcp://127.0.0.1:1'], 'RUNTIME_ENDPOINT_INVALID'],
];

function place(words: readonly string[], folder: string): readonly string[] {
  writeFileSync(path.join(folder, 'FOO'), 'kind: Foo\n');
  writeFileSync(path.join(folder, 'FIELD'), `${KIND}maxPodz: 3\n`);
  const cert = `tlsCertFile: ${folder}/no.crt\ntlsPrivateKeyFile: ${folder}/no.key\n`;
  writeFileSync(path.join(folder, 'CERT'), `${KIND}${cert}`);
  return words.map((word) => word.replace(/[A-Z]{3,}$/, (name) => path.join(folder, name)));
}

test.each(MISTAKES)('up: %s', async (_name, words, code) => {
  const folder = makeTempFolder();
  const harness = new CliHarness();
  const data = path.join(folder, 'data');
  const options = ['--data-dir', data, '--port', '0', ...place(words, folder)];
  expect(await harness.run('up', ...options)).toBe(1);
  expect(harness.err).toMatch(new RegExp(`^error ${code}: .*\n  hint   .*\n$`));
  expect(harness.out).toBe('');
  expect(existsSync(data)).toBe(false);
});

test.each(MISTAKES)('kubelet: %s', async (_name, words, code) => {
  const folder = makeTempFolder();
  const harness = new CliHarness();
  const data = path.join(folder, 'data');
  const options = ['--data-dir', data, '--kubeconfig', path.join(folder, 'no-kubeconfig')];
  expect(await harness.run('kubelet', ...options, ...place(words, folder))).toBe(1);
  expect(harness.err).toContain(`error ${code}: `);
  expect(existsSync(data)).toBe(false);
});

test('kubelet: a missing kubeconfig', async () => {
  const folder = makeTempFolder();
  const harness = new CliHarness();
  const file = path.join(folder, 'no-kubeconfig');
  expect(await harness.run('kubelet', '--data-dir', folder, '--kubeconfig', file)).toBe(1);
  expect(harness.err).toContain(`error KUBECONFIG_UNREADABLE: `);
});

test('kubelet ends at a signal though its API server never answers', async () => {
  const folder = makeTempFolder();
  const silent = createServer((socket) => void socket.on('error', () => {}));
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const file = path.join(folder, 'kubeconfig');
  writeFileSync(
    file,
    `apiVersion: v1
kind: Config
current-context: x
contexts: [{ name: x, context: { cluster: x, user: x } }]
clusters: [{ name: x, cluster: { server: 'http://127.0.0.1:${port}' } }]
users: [{ name: x, user: {} }]
`,
  );
  const harness = new CliHarness();
  const options = ['--kubeconfig', file, '--runtime', 'simulated'];
  const config = path.join(folder, 'config.yaml');
  writeFileSync(config, `${KIND}port: 0\nhealthzPort: 0\naddress: 127.0.0.1\n`);
  const ended = harness.run('kubelet', '--data-dir', folder, '--config', config, ...options);
  await expect.poll(() => harness.listeners).toBe(1);
  harness.signal('SIGTERM');
  expect(await ended).toBe(0);
});
