/**
 * Paths of the cache for built Kubernetes programs. The cache is outside the checkout, with one folder per
 * version, so that all checkouts on this machine share it and `git clean` does not remove it.
 */
import { homedir } from 'node:os';
import path from 'node:path';

export const KUBERNETES_VERSION = 'v1.36.4';

/** Programs built from Kubernetes' source, the most often needed first. */
export const BUILT_PROGRAMS = [
  'kubectl',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
] as const;

/**
 * Programs built from Kubernetes' source for `npm run k8s:conformance`: the tests, and programs of their
 * images.
 */
export const CONFORMANCE_PROGRAMS = ['e2e.test', 'agnhost', 'nonewprivs'] as const;

export type ConformanceProgram = (typeof CONFORMANCE_PROGRAMS)[number];

/** Downloaded from Debian instead of built. */
export const FETCHED_PROGRAM = 'etcd';

export type Program = (typeof BUILT_PROGRAMS)[number] | typeof FETCHED_PROGRAM;

export const PROGRAMS: readonly Program[] = [...BUILT_PROGRAMS, FETCHED_PROGRAM];

type Env = Readonly<Record<string, string | undefined>>;

/** The folder of all files that can be built again. */
export function cacheFolder(env: Env): string {
  if (env['PODKEEP_CACHE']) return path.resolve(env['PODKEEP_CACHE']);
  // The XDG specification says to ignore relative paths.
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

export function conformancePath(program: ConformanceProgram, env: Env): string {
  return path.join(clusterFolder(env), program);
}

/** Files of Kubernetes' source that are part of the images of its tests. */
export function conformanceFiles(env: Env): string {
  return path.join(clusterFolder(env), 'image-files');
}

/** The tested versions of containerd: 1.6 has no container events, 2.1 has them. */
export const CONTAINERD_VERSIONS = ['1.6', '2.1'] as const;

export type ContainerdVersion = (typeof CONTAINERD_VERSIONS)[number];

/** The folder of containerd and its tools. The number in its name changes with its content. */
export function containersFolder(env: Env): string {
  return path.join(cacheFolder(env), 'cluster', 'containers-1');
}

export function containerdFolder(version: ContainerdVersion, env: Env): string {
  return path.join(containersFolder(env), `containerd-${version}`);
}

/** Debian's Prometheus, independent of the version of Kubernetes. */
export function prometheusPath(env: Env): string {
  return path.join(cacheFolder(env), 'cluster', 'prometheus');
}
