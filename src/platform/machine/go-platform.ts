/** Converts Node.js's names of systems and processors to Go's, which Kubernetes uses in labels and images. */

const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['win32', 'windows'],
  ['sunos', 'solaris'],
]);

const PROCESSORS: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['ia32', '386'],
  ['ppc64', 'ppc64le'],
  ['mipsel', 'mipsle'],
]);

export function goSystemName(platform: string): string {
  return SYSTEMS.get(platform) ?? platform;
}

/** Node.js reports ppc64 for both byte orders; it only runs on little-endian Linux. */
export function goProcessorName(arch: string): string {
  return PROCESSORS.get(arch) ?? arch;
}
