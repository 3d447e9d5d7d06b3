/** The kubelet's listener while its TLS material is replaced: over real sockets of this machine. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'node:tls';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createPki, issueNodeCertificate, type Pki } from '../../src/apiserver/pki/pki.ts';
import { readKubeletConfig } from '../../src/cli/config/kubelet-config.ts';
import {
  openKubeletListener,
  type KubeletListener,
} from '../../src/cli/node/server/kubelet-listener.ts';
import type { KubeletConfig } from '../../src/cli/config/kubelet-config.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { systemClock as clock } from '../../src/platform/system-clock.ts';
import type { HttpHandler } from '../../src/ports/api/http-handler.ts';
import { silentLog } from '../support/silent-ports.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const HOST = '127.0.0.1';
const random = seededRandom(4);
const handler: HttpHandler = {
  answer: async () => ({ status: 200, headers: [], body: 'hello' }),
  connect: async (_request, { socket }) => void socket.destroy(),
};

async function open(overrides: Partial<KubeletConfig>): Promise<KubeletListener> {
  const config = await readKubeletConfig(null, { port: 0, ...overrides });
  const options = { nodeName: 'n1', host: HOST, addresses: [HOST], config, handler };
  const listener = await openKubeletListener({ ...options, log: silentLog });
  onTestFinished(() => listener.close());
  return listener;
}

/** The name on the serving certificate; rejects if there is none. */
async function shownBy(port: number): Promise<string> {
  const socket = connect({ host: HOST, port, rejectUnauthorized: false });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  const { subjectaltname = '' } = socket.getPeerCertificate();
  socket.destroy();
  return subjectaltname;
}

function pairFor(pki: Pki, name: string) {
  const ca = { cert: pki.caCert, key: pki.caKey };
  return issueNodeCertificate(ca, name, { clock, random });
}

test('with serverTLSBootstrap every handshake fails until there is a certificate', async () => {
  const pki = await createPki({ clock, random });
  const listener = await open({ serverTLSBootstrap: true });
  await expect(shownBy(listener.port)).rejects.toThrow(/handshake/);
  listener.show(await pairFor(pki, 'one'));
  expect(await shownBy(listener.port)).toBe('DNS:one');
  listener.show(await pairFor(pki, 'two'));
  expect(await shownBy(listener.port)).toBe('DNS:two');
});

test('only the configured TLS versions and suites are accepted', async () => {
  const listener = await open({ tlsMinVersion: 'VersionTLS13' });
  const socket = connect({
    host: HOST,
    port: listener.port,
    rejectUnauthorized: false,
    maxVersion: 'TLSv1.2',
  });
  await expect(once(socket, 'secureConnect')).rejects.toThrow(/version|alert/i);
  expect(await shownBy(listener.port)).toContain('n1');
});

test('a certificate with another key, and an invalid authority, are refused by name', async () => {
  const pki = await createPki({ clock, random });
  const folder = makeTempFolder();
  const [tlsCertFile, tlsPrivateKeyFile, bad] = ['a.crt', 'a.key', 'bad'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string];
  writeFileSync(tlsCertFile, pki.serverCert);
  writeFileSync(tlsPrivateKeyFile, pki.adminKey);
  writeFileSync(bad, 'hello');
  await expect(open({ tlsCertFile, tlsPrivateKeyFile })).rejects.toThrow(/a\.crt cannot be used/);
  const { authentication } = await readKubeletConfig(null);
  await expect(
    open({ authentication: { ...authentication, x509: { clientCAFile: bad } } }),
  ).rejects.toMatchObject({ code: 'CERTIFICATE_FILE_UNREADABLE' });
});
