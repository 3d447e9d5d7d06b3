/**
 * Mounts and unmounts on this machine: through the syscall helper, or with mount(8) and umount(8) if there is
 * none.
 *
 * A test mount finds out whether mounting is permitted: root in a container often has no permission to mount.
 * Secrets are kept out of swap if the kernel supports that.
 */
import { mkdir, mkdtemp, readFile, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { CommandShell } from '../../../lib/command-shell.ts';
import { defineError } from '../../../lib/errors.ts';
import { MOUNT, type SystemCall } from '../../../lib/syscall-helper/calls.ts';
import { SyscallHelper } from '../../../lib/syscall-helper/syscall-helper.ts';
import { mountsIn, type Mounter, type MountPoint } from './mounter.ts';
import { namesIn } from '../teardown/pod-teardown.ts';
import { fileErrorText } from '../volume-errors.ts';

export interface SystemMounterOptions {
  /** The folder of the test mount, which is removed again. No other process may use this folder. */
  readonly probeFolder: string;
  /** Instead of mount(8) and umount(8), in tests. */
  readonly run?: (command: 'mount' | 'umount', args: readonly string[]) => Promise<void>;
  /** Instead of the machine's, in tests. */
  readonly findHelper?: () => Promise<Pick<SyscallHelper, 'perform'> | undefined>;
  readonly isRoot?: boolean;
}

export const mountFailed = defineError<{ folder: string; reason: string }>({
  code: 'MOUNT_FAILED',
  retry: 'backoff',
  message: ({ folder, reason }) => `mount failed at ${folder}: ${reason}`,
  hint: () => 'Try the same by hand: mount -t tmpfs tmpfs FOLDER. The kernel log may say more.',
});

const PROBE_BYTES = 65_536n;
const PROBE_NAME = '.mount-probe-';

export class SystemMounter implements Mounter {
  readonly #options: SystemMounterOptions;
  readonly #shell = new CommandShell();
  #permitted: Promise<boolean> | null = null;
  /** False: the kernel has no tmpfs without swap, which came with Linux 6.4. */
  #keepsOffSwap = true;

  constructor(options: SystemMounterOptions) {
    this.#options = options;
  }

  /**
   * Removes test mounts of podkeep processes that were killed. A mount that cannot be removed is harmless,
   * and the next sweep tries again.
   */
  async sweep(): Promise<void> {
    const { probeFolder } = this.#options;
    const names = namesIn(probeFolder);
    for (const name of names.filter((each) => each.startsWith(PROBE_NAME))) {
      const folder = path.join(probeFolder, name);
      for (const mount of await mountsIn(this, folder)) {
        await this.unmount(mount.folder).catch(() => undefined);
      }
      await rmdir(folder).catch(() => undefined);
    }
  }

  isPermitted(): Promise<boolean> {
    this.#permitted ??= this.#probe();
    return this.#permitted;
  }

  async mountMemory(folder: string, sizeBytes?: bigint): Promise<void> {
    const size = sizeBytes === undefined ? [] : [`size=${sizeBytes}`];
    if (this.#keepsOffSwap) {
      try {
        await this.#mountMemory(folder, [...size, 'noswap']);
        return;
      } catch {
        // The kernel is too old for this option, or podkeep may not mount: the second try shows which.
      }
    }
    await this.#mountMemory(folder, size);
    this.#keepsOffSwap = false;
  }

  async bind(source: string, target: string): Promise<void> {
    const calls: readonly SystemCall[] = [['mount', source, target, 'none', MOUNT.bind, '']];
    const args = ['--no-canonicalize', '--bind', '--', source, target];
    await this.#run(target, calls, 'mount', args);
  }

  async unmount(folder: string): Promise<void> {
    await this.#run(folder, [['unmount', folder, 0]], 'umount', ['--', folder]);
  }

  async list(): Promise<readonly MountPoint[]> {
    return parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''));
  }

  #mountMemory(folder: string, options: readonly string[]): Promise<void> {
    const names = ['nosuid', 'nodev', ...options].join(',');
    const flags = MOUNT.noSuid | MOUNT.noDevices;
    const calls: readonly SystemCall[] = [
      ['mount', 'tmpfs', folder, 'tmpfs', flags, options.join(',')],
    ];
    return this.#run(folder, calls, 'mount', ['-t', 'tmpfs', '-o', names, '--', 'tmpfs', folder]);
  }

  async #run(
    folder: string,
    calls: readonly SystemCall[],
    command: 'mount' | 'umount',
    args: readonly string[],
  ): Promise<void> {
    const { run, findHelper = run ? () => undefined : findSystemHelper } = this.#options;
    try {
      const helper = await findHelper();
      if (helper) await helper.perform(calls);
      else await (run ? run(command, args) : this.#shell.run([command, ...args]));
    } catch (error) {
      throw mountFailed({ folder, reason: reasonOf(error) }, error);
    }
  }

  async #probe(): Promise<boolean> {
    const { probeFolder, isRoot = process.geteuid?.() === 0 } = this.#options;
    if (!isRoot) return false;
    await mkdir(probeFolder, { recursive: true });
    const folder = await mkdtemp(path.join(probeFolder, PROBE_NAME));
    try {
      await this.mountMemory(folder, PROBE_BYTES);
      await this.unmount(folder);
      return true;
    } catch {
      return false;
    } finally {
      await rmdir(folder).catch(() => undefined);
    }
  }
}

async function findSystemHelper(): Promise<SyscallHelper | undefined> {
  return (await SyscallHelper.find()).helper;
}

export function parseMountInfo(text: string): readonly MountPoint[] {
  return text.split('\n').flatMap((line) => {
    const words = line.split(' ');
    const folder = words[4];
    // The number of optional fields before the dash varies.
    const fileSystem = words[words.indexOf('-', 5) + 1];
    return folder && fileSystem ? [{ folder: unescape(folder), fileSystem }] : [];
  });
}

/** Decodes the kernel's escapes: blanks and some other characters are three octal digits. */
function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 8)),
  );
}

/** The output of the program, or the message of the error if there is none. */
function reasonOf(error: unknown): string {
  const given: unknown = error instanceof Error && 'stderr' in error ? error.stderr : undefined;
  return typeof given === 'string' && given.trim() !== '' ? given.trim() : fileErrorText(error);
}
