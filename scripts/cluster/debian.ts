/**
 * Unpacks Debian packages without installing them, so that no service, no user and no file of this machine
 * changes.
 *
 *     packages of the release that this machine runs       apt's own lists
 *     packages of a release that is named: 'name/sid'      separate lists, in a temporary folder
 *
 * The mirror of the other releases is read from apt's configuration, so that a machine with its own mirror
 * keeps using it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from './command.ts';
import { mirrorMissing, programMissing } from './errors.ts';

export interface Packages {
  readonly names: readonly string[];
  /** Releases other than the machine's own; package names then include the release: `containerd/sid`. */
  readonly releases?: readonly string[];
  /** The purpose, for the error if the packages are not available. */
  readonly use: string;
}

const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** Matches the mirror of the main archive; the addresses of security and other archives are longer. */
const MIRROR = /\/debian\/?$/;

/** Calls `take` with a folder that holds the content of all packages, as it would be installed under /. */
export async function withPackages(
  beside: string,
  { names, releases = [], use }: Packages,
  take: (content: string) => void | Promise<void>,
): Promise<void> {
  // Beside its final path, so that the caller can rename it on the same file system.
  const folder = mkdtempSync(path.join(path.dirname(beside), `.${path.basename(beside)}-`));
  try {
    const options = releases.length === 0 ? [] : ownLists(folder, releases);
    await download({ folder, options, names, use });
    const files = readdirSync(folder).filter((name) => name.endsWith('.deb'));
    if (files.length < names.length) throw programMissing({ program: names.join(', '), use });
    for (const file of files) {
      await runCommand(['dpkg-deb', '-x', file, 'content'], { cwd: folder, use });
    }
    await take(path.join(folder, 'content'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Download {
  readonly folder: string;
  readonly options: readonly string[];
  readonly names: readonly string[];
  readonly use: string;
}

async function download({ folder, options, names, use }: Download): Promise<void> {
  const [update, fetch] = [
    ['apt-get', ...options, 'update', '-q'] as const,
    ['apt-get', ...options, 'download', '-q', ...names] as const,
  ];
  const how = { cwd: folder, use };
  if (options.length > 0) await runCommand(update, how);
  await runCommand(fetch, how).catch(async (error: unknown) => {
    if (options.length > 0) throw error;
    // A fresh machine has no list of packages yet.
    await runCommand(update, how);
    await runCommand(fetch, how);
  });
}

/** Options that make apt use only sources and lists of this folder. */
function ownLists(folder: string, releases: readonly string[]): readonly string[] {
  for (const name of ['lists/partial', 'cache/archives/partial']) {
    mkdirSync(path.join(folder, name), { recursive: true });
  }
  const source = path.join(folder, 'releases.sources');
  const lines = [
    'Types: deb',
    `URIs: ${mirror()}`,
    `Suites: ${releases.join(' ')}`,
    'Components: main',
    ...(existsSync(KEYS) ? [`Signed-By: ${KEYS}`] : []),
  ];
  writeFileSync(source, `${lines.join('\n')}\n`);
  const settings = {
    'Dir::Etc::SourceList': source,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': path.join(folder, 'lists'),
    'Dir::Cache': path.join(folder, 'cache'),
    // Descriptions and icons are not needed, and larger than the list.
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
    // Only root can read the folder.
    'APT::Sandbox::User': 'root',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

function mirror(): string {
  const words = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
  let output = '';
  try {
    output = execFileSync('apt-get', words, { encoding: 'utf8' });
  } catch (error) {
    throw programMissing({ program: 'apt-get', use: 'to fetch packages of Debian' }, error);
  }
  const found = output.split('\n').find((address) => MIRROR.test(address));
  if (found === undefined) throw mirrorMissing(undefined);
  return found;
}
