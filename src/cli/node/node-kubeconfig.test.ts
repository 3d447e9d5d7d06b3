import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadKubeconfig } from '../../client/kubeconfig/kubeconfig.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { writeNodeKubeconfig } from './node-kubeconfig.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const way = {
  server: 'https://10.0.0.1:6443/clusters/a',
  serverName: 'kubernetes',
  proxyUrl: 'socks5://10.0.0.2:1080',
  insecureSkipTlsVerify: false,
};
const user = { headers: {}, token: 'abcdef.0123456789abcdef' };

test('it has the server of the bootstrap kubeconfig, and nothing of its token', async () => {
  const folder = makeTempFolder();
  const file = path.join(folder, 'new', 'kubeconfig');
  await writeNodeKubeconfig(file, { ...way, ca: PEM, namespace: 'x', user }, '/pki/current.pem');
  expect(await loadKubeconfig(file)).toEqual({
    ...way,
    ca: PEM,
    namespace: 'default',
    user: {
      headers: {},
      certificate: { file: '/pki/current.pem' },
      key: { file: '/pki/current.pem' },
    },
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('an authority in a file stays there, so that it can be replaced', async () => {
  const folder = makeTempFolder();
  const [file, caFile] = [path.join(folder, 'kubeconfig'), path.join(folder, 'ca.crt')];
  writeFileSync(caFile, PEM);
  await writeNodeKubeconfig(file, { ...way, ca: PEM, caFile, namespace: '', user }, '/pki/p');
  expect(await loadKubeconfig(file)).toMatchObject({ ca: PEM, caFile });
});

test('a path that cannot be written is reported', async () => {
  const file = path.join(makeTempFolder(), 'file');
  writeFileSync(file, '');
  const written = writeNodeKubeconfig(path.join(file, 'x'), { ...way, namespace: '', user }, '/p');
  await expect(written).rejects.toMatchObject({ code: 'KUBECONFIG_NOT_WRITTEN' });
});
