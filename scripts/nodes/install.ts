/**
 * Installs one version of Node.js with npm, unless it is installed already. It is installed under a temporary
 * name and then renamed, so that an interrupted installation does not look complete, and two runs can work at
 * the same time.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { binFolder, nodeFolder, nodePackage } from './versions.ts';

/** Returns the folder of the version. */
export function installNode(
  version: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const folder = nodeFolder(version, env);
  if (existsSync(programOf(folder))) return folder;
  mkdirSync(path.dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}.`);
  try {
    // Without a manifest npm would look for a project in the folders above.
    writeFileSync(path.join(fresh, 'package.json'), '{ "private": true }\n');
    const spec = `${nodePackage(process)}@${version}`;
    const args = ['install', '--no-audit', '--no-fund', '--no-save', '--ignore-scripts', spec];
    execFileSync('npm', args, { cwd: fresh, stdio: 'inherit' });
    checkVersion(programOf(fresh), version);
    if (!existsSync(programOf(folder))) {
      rmSync(folder, { recursive: true, force: true });
      renameSync(fresh, folder);
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

function programOf(folder: string): string {
  return path.join(binFolder(folder, process), 'node');
}

function checkVersion(program: string, version: string): void {
  const found = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();
  if (found !== `v${version}`) throw new Error(`npm installed Node.js ${found} for ${version}`);
}
