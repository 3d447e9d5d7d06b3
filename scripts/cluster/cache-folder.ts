/**
 * The cache of Kubernetes' own programs, once they are built: outside the checkout, one folder for each
 * version, so that every checkout of this machine shares them and `git clean` spares them.
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

/** Built from Kubernetes' source for `npm run k8s:conformance`: the tests, and programs of their images. */
export const CONFORMANCE_PROGRAMS = ['e2e.test', 'agnhost', 'nonewprivs'] as const;

export type ConformanceProgram = (typeof CONFORMANCE_PROGRAMS)[number];

/** Taken from Debian, which builds it well and in one second. */
export const FETCHED_PROGRAM = 'etcd';

export type Program = (typeof BUILT_PROGRAMS)[number] | typeof FETCHED_PROGRAM;

export const PROGRAMS: readonly Program[] = [...BUILT_PROGRAMS, FETCHED_PROGRAM];

type Env = Readonly<Record<string, string | undefined>>;

/** The folder of everything that can be built again. */
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

/** Files of Kubernetes' source that the images of its tests have in them. */
export function conformanceFiles(env: Env): string {
  return path.join(clusterFolder(env), 'image-files');
}

/** Which containerd: the one without events, as long-lived nodes have it, and the one with them. */
export const CONTAINERD_VERSIONS = ['1.6', '2.1'] as const;

export type ContainerdVersion = (typeof CONTAINERD_VERSIONS)[number];

/** The folder of everything that runs containers. The number changes with its content. */
export function containersFolder(env: Env): string {
  return path.join(cacheFolder(env), 'cluster', 'containers-1');
}

export function containerdFolder(version: ContainerdVersion, env: Env): string {
  return path.join(containersFolder(env), `containerd-${version}`);
}

/** Of Debian, whatever the version of Kubernetes. */
export function prometheusPath(env: Env): string {
  return path.join(cacheFolder(env), 'cluster', 'prometheus');
}
