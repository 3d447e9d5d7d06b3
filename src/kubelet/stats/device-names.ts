/** Looks up the names of block devices in /sys/dev/block. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const KNOWN_MAX = 1024;

/**
 * Empty: the kernel does not know the device. Each name is read once, because a scrape needs every device of
 * every container. `root`: where the kernel's files are, `/` except in tests.
 */
export function deviceNames(root = '/'): (major: number, minor: number) => string {
  const known = new Map<string, string>();
  return (major, minor) => {
    const numbers = `${major}:${minor}`;
    const name =
      known.get(numbers) ?? readName(path.join(root, 'sys/dev/block', numbers, 'uevent'));
    if (name !== '' && known.size < KNOWN_MAX) known.set(numbers, name);
    return name;
  };
}

function readName(file: string): string {
  try {
    const name = /^DEVNAME=(.+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
    return name === undefined ? '' : `/dev/${name}`;
  } catch {
    return '';
  }
}
