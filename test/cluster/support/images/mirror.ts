/** Redirects the pulls of a containerd to a registry of the tests. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Containerd } from '../containerd.ts';
import type { Registry } from './registry.ts';

/** From the next pull on: containerd reads it each time. */
export function pullFrom(
  registry: Registry,
  { folder }: Containerd,
  instead: string = 'docker.io',
): void {
  const hosts = path.join(folder, 'registries', instead);
  mkdirSync(hosts, { recursive: true });
  const server = `http://${registry.host}`;
  const capabilities = 'capabilities = ["pull", "resolve"]';
  const text = `server = "${server}"\n\n[host."${server}"]\n${capabilities}\n`;
  writeFileSync(path.join(hosts, 'hosts.toml'), text);
}
