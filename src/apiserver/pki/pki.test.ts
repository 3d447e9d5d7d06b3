import { createPrivateKey, X509Certificate } from 'node:crypto';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';

import { seededRandom } from '../../platform/seeded-random.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { createPki, issueNodeCertificate, serverNames } from './pki.ts';

const options = { clock: systemClock, random: seededRandom(3) };

describe('a new cluster', () => {
  test('has an authority that signs for the server and for the admin', async () => {
    const pki = await createPki(options);
    const ca = new X509Certificate(pki.caCert);
    expect(ca.ca).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    for (const [cert, key] of [
      [pki.serverCert, pki.serverKey],
      [pki.adminCert, pki.adminKey],
    ] as const) {
      const leaf = new X509Certificate(cert);
      expect(leaf.verify(ca.publicKey)).toBe(true);
      expect(leaf.checkIssued(ca)).toBe(true);
      expect(leaf.ca).toBe(false);
      expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
    }
    expect(new X509Certificate(pki.adminCert).subject).toBe(
      'O=system:masters\nCN=kubernetes-admin',
    );
    expect(createPrivateKey(pki.serviceAccountKey).asymmetricKeyDetails?.namedCurve).toBe(
      'prime256v1',
    );
  });

  test('has a server certificate for every name and address of the server', async () => {
    const names = ['my-machine'];
    const addresses = ['192.168.7.9', 'fd00::7'];
    const pki = await createPki({ ...options, names, addresses });
    const server = new X509Certificate(pki.serverCert);
    const expected = serverNames({ names, addresses });
    expect(expected.names).toContain('kubernetes.default.svc.cluster.local');
    for (const name of expected.names) expect(server.checkHost(name), name).toBe(name);
    for (const address of expected.addresses) expect(server.checkIP(address)).toBe(address);
    expect(server.checkHost('elsewhere')).toBeUndefined();
    expect(server.checkIP('10.96.0.2')).toBeUndefined();
  });

  test('gives every certificate its own serial number and lifetime', async () => {
    const pki = await createPki(options);
    const all = [pki.caCert, pki.serverCert, pki.adminCert].map((pem) => new X509Certificate(pem));
    expect(new Set(all.map(({ serialNumber }) => serialNumber)).size).toBe(3);
    const day = 24 * 60 * 60 * 1000;
    const daysOf = ({ validTo }: X509Certificate): number =>
      Math.round((Date.parse(validTo) - options.clock.now()) / day);
    expect(all.map(daysOf)).toEqual([3650, 365, 365]);
  });

  test('lets a node serve and act under its own name', async () => {
    const { caCert: cert, caKey: key } = await createPki(options);
    const addresses = ['10.1.2.3'];
    const node = await issueNodeCertificate({ cert, key }, 'n1', { ...options, addresses });
    const leaf = new X509Certificate(node.cert);
    expect(leaf.subject).toBe('O=system:nodes\nCN=system:node:n1');
    expect(leaf.checkHost('n1')).toBe('n1');
    expect(leaf.checkIP('10.1.2.3')).toBe('10.1.2.3');
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
  });
});

test('server and client accept each other over TLS, and none of another cluster', async () => {
  const [pki, other] = await Promise.all([createPki(options), createPki(options)]);
  const server = createServer({
    cert: pki.serverCert,
    key: pki.serverKey,
    ca: pki.caCert,
    requestCert: true,
    rejectUnauthorized: false,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const greet = async (cert: string, key: string, ca: string): Promise<boolean> => {
    const accepted = once(server, 'secureConnection') as Promise<[TLSSocket]>;
    const client = connect({ port, host: '127.0.0.1', servername: 'localhost', cert, key, ca });
    await once(client, 'secureConnect');
    const [socket] = await accepted;
    const isKnown = socket.authorized;
    client.destroy();
    socket.destroy();
    return isKnown;
  };
  expect(await greet(pki.adminCert, pki.adminKey, pki.caCert)).toBe(true);
  expect(await greet(other.adminCert, other.adminKey, pki.caCert)).toBe(false);
  // A server certificate is no client certificate.
  expect(await greet(pki.serverCert, pki.serverKey, pki.caCert)).toBe(false);
  const stranger = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: other.caCert });
  const [error] = (await once(stranger, 'error')) as [Error];
  expect(error.message).toMatch(/self.signed|signature|verify/i);
  server.close();
});
