/** A root file system that has a shell, a few tools and nothing else. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

const TOOLS = ['sh', 'cat', 'ls', 'id', 'sleep', 'touch'];

/** Made with busybox if that needs no libraries here, else with the machine's own tools and theirs. */
export function makeSmallRoot(folder: string): void {
  for (const name of ['bin', 'etc', 'tmp', 'proc', 'sys', 'dev']) {
    mkdirSync(path.join(folder, name), { recursive: true });
  }
  chmodSync(path.join(folder, 'tmp'), 0o1777);
  writeFileSync(path.join(folder, 'etc/which'), 'the small one\n');
  writeFileSync(path.join(folder, 'etc/passwd'), 'app:x:1500:1600::/:/bin/sh\n');
  const busybox = find('busybox');
  if (busybox !== undefined && librariesOf(busybox).length === 0) {
    copyFileSync(busybox, path.join(folder, 'bin/busybox'));
    for (const tool of TOOLS) symlinkSync('busybox', path.join(folder, 'bin', tool));
    return;
  }
  for (const tool of TOOLS) copyTool(folder, tool);
}

/** Copies a program of this machine and its libraries over what was there. */
export function copyTool(folder: string, tool: string): void {
  const file = find(tool);
  if (file === undefined) throw new Error(`this machine has no ${tool}`);
  copyFileSync(realpathSync(file), path.join(folder, 'bin', tool));
  for (const library of librariesOf(file)) {
    const target = path.join(folder, library);
    mkdirSync(path.dirname(target), { recursive: true });
    copyFileSync(realpathSync(library), target);
  }
}

function find(tool: string): string | undefined {
  const found = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', tool], { encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : undefined;
}

/** None for a program that was linked statically. */
function librariesOf(file: string): readonly string[] {
  const { stdout } = spawnSync('ldd', [file], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);
}
