/** `podkeep up` as its users have it: a process, a folder, a port, signals. */
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { metadataOf, textOf } from '../../src/apiserver/objects/metadata.ts';
import { KubeconfigClient, PodkeepUp, startUp } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

/** A process takes a second or two to start from its sources on a busy machine. */
const TIMEOUT = 90_000;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const NO_CERTIFICATE = { cert: '', key: '' };

function configMap(name: string): unknown {
  return { metadata: { name } };
}

async function startServing(folder: string, ...args: readonly string[]) {
  const up = startUp(folder, ...args);
  const { url, kubeconfig } = await up.event('serving');
  return { up, url, client: new KubeconfigClient(textOf(kubeconfig)) };
}

describe('serving', () => {
  test(
    'the kubeconfig gives its owner access, and other clients only see health',
    async () => {
      const folder = makeTempFolder();
      const { client, url } = await startServing(folder);
      expect(url).toBe(client.server.origin);
      expect(statSync(path.join(folder, 'kubeconfig')).mode & 0o777).toBe(0o600);

      const { code, body } = await client.send('GET', '/api/v1/namespaces');
      const names = (body['items'] as []).map((one) => metadataOf(one)['name']);
      expect([code, names]).toEqual([
        200,
        ['default', 'kube-node-lease', 'kube-public', 'kube-system'],
      ]);
      const stranger = await client.send('GET', '/api/v1/namespaces', undefined, NO_CERTIFICATE);
      expect(stranger).toMatchObject({ code: 401, body: { reason: 'Unauthorized' } });
      const health = await client.send('GET', '/readyz', undefined, NO_CERTIFICATE);
      expect([health.code, health.text]).toEqual([200, 'ok']);
      const version = await client.send('GET', '/version', undefined, NO_CERTIFICATE);
      expect(version.body).toMatchObject({ major: '1', minor: '36' });
    },
    TIMEOUT,
  );

  test(
    'roles decide who may do what, unless the mode is AlwaysAllow',
    async () => {
      for (const [mode, expected] of [
        ['RBAC', 403],
        ['AlwaysAllow', 200],
      ] as const) {
        const { client, up } = await startServing(makeTempFolder(), '--authorization-mode', mode);
        const { body } = await client.send(
          'POST',
          '/api/v1/namespaces/default/serviceaccounts/default/token',
          { spec: {} },
        );
        const { token } = body['status'] as { token: string };
        const headers = { authorization: `Bearer ${token}` };
        const { code } = await client.send('GET', '/api/v1/nodes', undefined, {
          ...NO_CERTIFICATE,
          headers,
        });
        expect([mode, code]).toEqual([mode, expected]);
        up.child.kill('SIGTERM');
        await up.ended;
      }
    },
    TIMEOUT,
  );

  test(
    'people get a hint how to use it',
    async () => {
      const folder = makeTempFolder();
      const up = new PodkeepUp(['--data-dir', folder, '--port', '0', '--no-node']);
      // Two pipes: their order is not defined.
      await up.until(() =>
        up.out.includes('\n') && up.err.includes('serving') ? true : undefined,
      );
      expect(up.out).toBe(`export KUBECONFIG=${folder}/kubeconfig\n`);
      expect(up.err).toMatch(/^podkeep \d[\s\S]*data {5}.*[\s\S]*serving {2}https:/);
    },
    TIMEOUT,
  );
});

describe('stopping', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s ends watches, then the process, which was asked to end and has no failure',
    async (signal) => {
      const { client, up } = await startServing(makeTempFolder());
      const watch = await client.open('GET', `${CONFIG_MAPS}?watch=1`);
      watch.resume();
      const ended = once(watch, 'end');
      up.child.kill(signal);
      await ended;
      expect(await up.ended).toEqual({ code: 0, signal: null });
      expect(up.events().map(({ event }) => event)).toEqual([
        'starting',
        'opened',
        'serving',
        'stopping',
        'stopped',
      ]);
    },
    TIMEOUT,
  );

  test(
    'closed output pipes do not stop it',
    async () => {
      const { client, up } = await startServing(makeTempFolder());
      up.child.stdout.destroy();
      up.child.stderr.destroy();
      expect((await client.send('GET', '/readyz')).code).toBe(200);
      up.child.kill('SIGTERM');
      expect(await once(up.child, 'exit')).toEqual([0, null]);
    },
    TIMEOUT,
  );

  test(
    'a second signal does not wait for anything',
    async () => {
      const { client, up } = await startServing(makeTempFolder());
      // A request that is never completed keeps the listener open for a while.
      await client.begin('POST', CONFIG_MAPS);
      up.child.kill('SIGTERM');
      await up.event('stopping');
      up.child.kill('SIGTERM');
      expect(await up.ended).toEqual({ code: 143, signal: null });
      expect(up.events().map(({ event }) => event)).not.toContain('stopped');
    },
    TIMEOUT,
  );
});

describe('starting again', () => {
  test(
    'the same folder has the same objects and keys, and accepts its clients',
    async () => {
      const folder = makeTempFolder();
      const first = await startServing(folder);
      const created = await first.client.send('POST', CONFIG_MAPS, configMap('kept'));
      const authority = readFileSync(path.join(folder, 'pki/ca.crt'), 'utf8');
      first.up.child.kill('SIGTERM');
      await first.up.ended;

      const second = await startServing(folder, '--port', first.client.server.port);
      expect(second.client.server.href).toBe(first.client.server.href);
      expect(readFileSync(path.join(folder, 'pki/ca.crt'), 'utf8')).toBe(authority);
      // The client of the first start, with its credentials from then.
      const found = await first.client.send('GET', `${CONFIG_MAPS}/kept`);
      expect(found.body).toEqual(created.body);
      const changed = await first.client.send('GET', '/api/v1/namespaces/default/endpoints');
      expect(changed.text).toContain(`"port":${first.client.server.port}`);
    },
    TIMEOUT,
  );

  test(
    'on another port, the service kubernetes points there',
    async () => {
      const folder = makeTempFolder();
      const first = await startServing(folder);
      first.up.child.kill('SIGTERM');
      await first.up.ended;
      const { client } = await startServing(folder);
      const path = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';
      const { body } = await client.send('GET', path);
      expect(body['ports']).toEqual([
        { name: 'https', port: Number(client.server.port), protocol: 'TCP' },
      ]);
    },
    TIMEOUT,
  );

  test(
    'a process that was killed has lost no acknowledged write',
    async () => {
      const folder = makeTempFolder();
      const first = await startServing(folder);
      const acknowledged: string[] = [];
      const write = async (client: number): Promise<void> => {
        for (let n = 0; ; n++) {
          const { code } = await first.client.send(
            'POST',
            CONFIG_MAPS,
            configMap(`${client}-${n}`),
          );
          if (code === 201) acknowledged.push(`${client}-${n}`);
        }
      };
      const writing = Array.from({ length: 4 }, (_, client) => write(client).catch(() => {}));
      while (acknowledged.length < 40) await first.client.send('GET', '/readyz');
      first.up.child.kill('SIGKILL');
      await Promise.all([...writing, first.up.ended]);

      const { client } = await startServing(folder);
      const { body } = await client.send('GET', CONFIG_MAPS);
      const names = (body['items'] as []).map((one) => metadataOf(one)['name']);
      expect(names).toEqual(expect.arrayContaining(acknowledged));
    },
    TIMEOUT,
  );
});

describe('already in use', () => {
  test(
    'a folder: its owner is named, and goes on serving',
    async () => {
      const folder = makeTempFolder();
      const { up: owner, client } = await startServing(folder);
      const second = startUp(folder);
      expect(await second.ended).toEqual({ code: 1, signal: null });
      expect(await second.event('failed')).toMatchObject({
        code: 'STORE_LOCKED',
        message: expect.stringContaining(`in use by process ${owner.child.pid}`),
        hint: expect.stringContaining('Stop the other podkeep'),
      });
      expect((await client.send('GET', '/readyz')).code).toBe(200);
    },
    TIMEOUT,
  );

  test(
    'a port: it is named, and the folder is free again',
    async () => {
      const blocker = createServer().listen(0, '127.0.0.1');
      onTestFinished(() => void blocker.close());
      await once(blocker, 'listening');
      const { port } = blocker.address() as AddressInfo;
      const folder = makeTempFolder();
      const up = new PodkeepUp(['--data-dir', folder, '--port', String(port), '--no-node']);
      expect(await up.ended).toEqual({ code: 1, signal: null });
      expect(up.out).toBe('');
      expect(up.err).toContain(
        `error PORT_TAKEN: another process listens on 127.0.0.1:${port} already\n  hint   `,
      );
      await startServing(folder);
    },
    TIMEOUT,
  );
});

describe('around a command', () => {
  const script = (code: string): readonly string[] => ['--', process.execPath, '-e', code];

  test(
    'the command finds the server by KUBECONFIG, has stdout to itself, and decides the exit code',
    async () => {
      const folder = makeTempFolder();
      const up = startUp(folder, ...script('console.log(process.env.KUBECONFIG); process.exit(7)'));
      expect(await up.ended).toEqual({ code: 7, signal: null });
      expect(up.out).toBe(`${folder}/kubeconfig\n`);
      expect(up.events().map(({ event }) => event)).toEqual([
        'starting',
        'opened',
        'serving',
        'running',
        'exited',
        'stopped',
      ]);
    },
    TIMEOUT,
  );

  test(
    'a command that dies of a signal gives the exit code of a shell',
    async () => {
      const up = startUp(makeTempFolder(), ...script("process.kill(process.pid, 'SIGKILL')"));
      expect(await up.ended).toEqual({ code: 137, signal: null });
    },
    TIMEOUT,
  );

  test(
    'a signal is passed on to the command, whose exit code is ours',
    async () => {
      const code =
        "process.on('SIGTERM', () => process.exit(5)); setInterval(() => {}, 1e3); console.log('up')";
      const up = startUp(makeTempFolder(), ...script(code));
      await up.until(() => (up.out.includes('up') ? true : undefined));
      up.child.kill('SIGTERM');
      expect(await up.ended).toEqual({ code: 5, signal: null });
    },
    TIMEOUT,
  );

  test(
    'a missing command is named',
    async () => {
      const up = startUp(makeTempFolder(), '--', 'no-such-command');
      expect(await up.ended).toEqual({ code: 1, signal: null });
      expect(await up.event('failed')).toMatchObject({
        code: 'COMMAND_NOT_STARTED',
        message: expect.stringContaining('no-such-command'),
      });
    },
    TIMEOUT,
  );
});
