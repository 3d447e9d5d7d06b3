/**
 * Builds the answer of `/version`: the Kubernetes version that the API follows, and podkeep's own version.
 */
import type { JsonObject } from '../lib/json.ts';

const KUBERNETES = { major: '1', minor: '36', patch: '4' };

export function describeVersion(podkeep: string): JsonObject {
  const { major, minor } = KUBERNETES;
  return {
    ...buildInfo(podkeep),
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
  };
}

/** The build info of the kubelet, for metrics. */
export function buildInfo(podkeep: string) {
  const { major, minor } = KUBERNETES;
  return {
    major,
    minor,
    gitVersion: kubernetesVersion(podkeep),
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `node${process.versions.node}`,
    compiler: 'v8',
    platform: `${process.platform}/${ARCHITECTURES[process.arch] ?? process.arch}`,
  };
}

/**
 * The Kubernetes version that podkeep follows, with podkeep's version as build metadata, which version
 * comparisons ignore.
 */
export function kubernetesVersion(podkeep: string): string {
  const { major, minor, patch } = KUBERNETES;
  return `v${major}.${minor}.${patch}+podkeep-${podkeep}`;
}

/** Go's names of architectures, which clients expect. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };
