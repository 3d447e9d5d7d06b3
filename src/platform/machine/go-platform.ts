/** Go's names for systems and processors, which Kubernetes uses in labels and images. */

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

/** Node says ppc64 for both byte orders; a Linux that Node runs on is little-endian. */
export function goProcessorName(arch: string): string {
  return PROCESSORS.get(arch) ?? arch;
}
