/**
 * Which capabilities a container that podkeep starts as root may ever have.
 *
 * The usual set of container runtimes, without the two that lead out of a root folder: making device
 * files, and changing the root again. Whoever needs those asks for them by name.
 */
import type { ContainerSecurity } from '../../ports/runtime/container-config.ts';

const USUAL: readonly string[] = [
  'audit_write',
  'chown',
  'dac_override',
  'fowner',
  'fsetid',
  'kill',
  'net_bind_service',
  'net_raw',
  'setfcap',
  'setgid',
  'setpcap',
  'setuid',
];

/** As setpriv(1) takes them. Undefined: all that podkeep has. */
export function boundingSet(security: ContainerSecurity): string | undefined {
  const added = security.addedCapabilities.map(plainName);
  const dropped = new Set(security.droppedCapabilities.map(plainName));
  if (security.isPrivileged || (added.includes('all') && dropped.size === 0)) return undefined;
  const base = dropped.has('all') ? [] : USUAL.filter((name) => !dropped.has(name));
  const wanted = [...new Set([...base, ...added.filter((name) => !dropped.has(name))])];
  return ['-all', ...wanted.map((name) => `+${name}`)].join(',');
}

/** `CAP_NET_ADMIN` and `NET_ADMIN` are both in use. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/^cap_/, '');
}
