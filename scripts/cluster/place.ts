/**
 * Where Kubernetes' own programs are kept once they are built: outside the checkout, one folder for
 * each version, so that every checkout of this machine shares them and `git clean` spares them.
 */
import { homedir } from 'node:os';
import path from 'node:path';

export const KUBERNETES_VERSION = 'v1.36.4';

/** Built from Kubernetes' source, in the order in which they are most often needed. */
export const BUILT_PROGRAMS = [
  'kubectl',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
] as const;

/** Taken from Debian, which builds it well and in one second. */
export const FETCHED_PROGRAM = 'etcd';

export type Program = (typeof BUILT_PROGRAMS)[number] | typeof FETCHED_PROGRAM;

export const PROGRAMS: readonly Program[] = [...BUILT_PROGRAMS, FETCHED_PROGRAM];

type Env = Readonly<Record<string, string | undefined>>;

/** The folder that everything which can be made again is kept in. */
export function cacheFolder(env: Env): string {
  if (env['PODKEEP_CACHE']) return path.resolve(env['PODKEEP_CACHE']);
  // Whatever is relative must be ignored, says the specification of XDG's folders.
  const xdg = env['XDG_CACHE_HOME'];
  const base = xdg && path.isAbsolute(xdg) ? xdg : path.join(homedir(), '.cache');
  return path.join(base, 'podkeep');
}

export function clusterFolder(env: Env): string {
  return path.join(cacheFolder(env), 'cluster', KUBERNETES_VERSION);
}

export function programPath(program: Program, env: Env): string {
  return path.join(clusterFolder(env), program);
}

/** Which containerd: the one without events, as long-lived nodes have it, and the one with them. */
export const CONTAINERD_VERSIONS = ['1.6', '2.1'] as const;

export type ContainerdVersion = (typeof CONTAINERD_VERSIONS)[number];

/** Where everything is that runs containers. The number changes with what is in it. */
export function containersFolder(env: Env): string {
  return path.join(cacheFolder(env), 'cluster', 'containers-1');
}

export function containerdFolder(version: ContainerdVersion, env: Env): string {
  return path.join(containersFolder(env), `containerd-${version}`);
}
