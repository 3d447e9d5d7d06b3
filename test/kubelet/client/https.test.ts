import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeKubeconfig } from '../../../src/cli/kubeconfig.ts';
import { createInformer } from '../../../src/client/informer.ts';
import { createKubeApi } from '../../../src/client/kube-api.ts';
import { loadKubeconfig } from '../../../src/client/kubeconfig/kubeconfig.ts';
import { createHttpsTransport } from '../../../src/client/transport/https-transport.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import { systemClock } from '../../../src/platform/system-clock.ts';
import { ApiHarness, CONFIG_MAPS } from '../../apiserver/api-harness.ts';
import { ListenerHarness } from '../../support/listener-harness.ts';
import { silentLog } from '../../support/silent-ports.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

/** The embedded server behind a real socket, found by a kubeconfig. */
async function open() {
  const harness = await ApiHarness.open();
  const { listener, pki } = await ListenerHarness.open((request, clientIdentity) =>
    harness.server.answer(request, clientIdentity),
  );
  const file = path.join(makeTempFolder(), 'kubeconfig');
  const { caCert, adminCert: clientCert, adminKey: clientKey } = pki;
  writeKubeconfig(file, { url: listener.url, caCert, clientCert, clientKey });
  const transport = createHttpsTransport(await loadKubeconfig(file), {
    clock: systemClock,
    log: silentLog,
    environment: {},
  });
  onTestFinished(() => transport.close());
  return { api: createKubeApi(transport, { clock: systemClock, version: 'test' }) };
}

test('a kubeconfig names the server, and a watch over TLS follows it', async () => {
  const { api } = await open();
  const notified: string[] = [];
  const informer = createInformer(
    {
      path: CONFIG_MAPS,
      handlers: { added: () => notified.push('added'), deleted: () => notified.push('deleted') },
    },
    { api, clock: systemClock, random: seededRandom(1), log: silentLog },
  );
  onTestFinished(() => informer.stop());
  await expect.poll(() => informer.hasSynced).toBe(true);
  const refused = { metadata: { name: 'zażółć' } };
  await expect(
    api.send({ method: 'POST', path: CONFIG_MAPS, body: refused }),
  ).rejects.toMatchObject({ statusCode: 422, reason: 'Invalid' });
  await api.send({ method: 'POST', path: CONFIG_MAPS, body: { metadata: { name: 'a' } } });
  await api.send({ method: 'DELETE', path: `${CONFIG_MAPS}/a` });
  await expect.poll(() => notified).toEqual(['added', 'deleted']);
});

test('thirty requests at once share connections, and all are answered', async () => {
  const { api } = await open();
  const names = Array.from({ length: 30 }, (_, index) => `map-${index}`);
  await Promise.all(
    names.map((name) =>
      api.send({ method: 'POST', path: CONFIG_MAPS, body: { metadata: { name } } }),
    ),
  );
  const list = await api.send({ method: 'GET', path: CONFIG_MAPS });
  expect(list['items']).toHaveLength(30);
});
