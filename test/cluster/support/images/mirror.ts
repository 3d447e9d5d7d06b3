/** What a containerd pulls from docker.io comes from a registry of ours. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Containerd } from '../containerd.ts';
import type { Registry } from './registry.ts';

/** From the next pull on: containerd looks here each time. */
export function pullFrom(registry: Registry, { folder }: Containerd): void {
  const hosts = path.join(folder, 'registries/docker.io');
  mkdirSync(hosts, { recursive: true });
  const server = `http://${registry.host}`;
  const capabilities = 'capabilities = ["pull", "resolve"]';
  const text = `server = "${server}"\n\n[host."${server}"]\n${capabilities}\n`;
  writeFileSync(path.join(hosts, 'hosts.toml'), text);
}
