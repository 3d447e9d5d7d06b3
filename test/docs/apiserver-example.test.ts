/** The example of docs/apiserver.md, as written there: it runs, and Node ends after it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..');
const ENDS_MS = 60_000;

const EMBEDDED = `
import { openEmbeddedServer, openMemoryObjectStore } from 'podkeep/apiserver';
import { systemClock as clock, systemRandom as random } from 'podkeep';
import { generateKeyPairSync } from 'node:crypto';

const log = { debug() {}, info() {}, warn: console.warn, error: console.error };
const store = openMemoryObjectStore({ clock, log });
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signingKey = privateKey.export({ type: 'pkcs8', format: 'pem' });
const access = { signingKey, mode: 'RBAC' };
const version = { major: '1', minor: '36' };
const server = await openEmbeddedServer({ store, clock, random, log, version, access, caCert: '' });
server.run();
const headers = { 'content-type': 'application/json' };
const body = JSON.stringify({ metadata: { name: 'mine' } });
const user = { name: 'admin', groups: ['system:masters'] };
const request = new Request('http://api/api/v1/namespaces', { method: 'POST', headers, body });
const { status } = await server.fetch(request, { user });
await server.close();
await store.close();
console.log(status);
`;

/** Bundled from the sources as they are now, in the checkout, where the packages are found. */
async function play(name: string, text: string): Promise<ReturnType<typeof spawnSync>> {
  const folder = path.join(ROOT, '.cache', 'docs-example');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name}.ts`);
  const outfile = path.join(folder, `${name}.mjs`);
  const full = text
    .replaceAll("'podkeep/apiserver'", "'../../src/apiserver.ts'")
    .replaceAll("'podkeep'", "'../../src/index.ts'");
  writeFileSync(file, full);
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return spawnSync(process.execPath, [outfile], { encoding: 'utf8', timeout: ENDS_MS });
}

test('the example of docs/apiserver.md ends by itself', async () => {
  const page = readFileSync(path.join(ROOT, 'docs/apiserver.md'), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  expect(example).toContain('server.fetch');
  const { status, signal, stderr } = await play('example', example);
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
});

test('openEmbeddedServer keeps Node alive no longer than until it and its store are closed', async () => {
  const { status, signal, stdout, stderr } = await play('embedded', EMBEDDED);
  expect({ status, signal, stdout, stderr }).toEqual({
    status: 0,
    signal: null,
    stdout: '201\n',
    stderr: '',
  });
});
