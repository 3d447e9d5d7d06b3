/**
 * The files of the one image that the tests run: busybox under all its names, some users, and the folders
 * that programs expect. Its one program is static, so it needs nothing of the machine.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { containersFolder } from '../../../../scripts/cluster/cache-folder.ts';

const FOLDERS = [
  'bin',
  'dev',
  'etc',
  'home/app',
  'proc',
  'root',
  'run',
  'sys',
  'tmp',
  'usr',
  'var',
];

const PASSWD = [
  'root:x:0:0:root:/root:/bin/sh',
  'app:x:1000:1000:app:/home/app:/bin/sh',
  'nobody:x:65534:65534:nobody:/tmp:/bin/false',
];
const GROUP = ['root:x:0:', 'app:x:1000:', 'extra:x:3000:app', 'nobody:x:65534:'];

/** Waits without end, and reaps orphans of its pod: the job of a sandbox's first process. */
const PAUSE = ['#!/bin/sh', "trap 'exit 0' TERM INT", 'while :; do sleep 86400 & wait $!; done'];

export interface RootFileSystems {
  /** As tar files. */
  readonly busybox: string;
  readonly pause: string;
}

/** Writes them below a folder. */
export function makeRootFileSystems(folder: string): RootFileSystems {
  const files = path.join(folder, 'files');
  for (const name of FOLDERS) mkdirSync(path.join(files, name), { recursive: true });
  chmodSync(path.join(files, 'tmp'), 0o1777);
  writeFileSync(path.join(files, 'etc/passwd'), lines(PASSWD));
  writeFileSync(path.join(files, 'etc/group'), lines(GROUP));
  const busybox = path.join(files, 'bin/busybox');
  copyFileSync(path.join(containersFolder(process.env), 'busybox'), busybox);
  chmodSync(busybox, 0o755);
  const names = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  for (const name of names) {
    if (name !== 'busybox') symlinkSync('busybox', path.join(files, 'bin', name));
  }
  const plain = pack(files, path.join(folder, 'busybox.tar'));
  writeFileSync(path.join(files, 'pause'), lines(PAUSE), { mode: 0o755 });
  return { busybox: plain, pause: pack(files, path.join(folder, 'pause.tar')) };
}

/** The same files give the same bytes, and so the same digest, every time. */
export function pack(files: string, output: string): string {
  const owner = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  execFileSync('tar', [...owner, '-C', files, '-cf', output, '.']);
  return output;
}

function lines(words: readonly string[]): string {
  return `${words.join('\n')}\n`;
}
