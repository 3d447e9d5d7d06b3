/**
 * Reads facts about this machine (memory, disks, IDs, addresses) with Node.js alone: the os module, statfs,
 * and on Linux the files of /proc, /sys and /etc that cAdvisor reads.
 *
 *     what                     on Linux                               elsewhere, such as macOS
 *     machine and system IDs   /etc/machine-id, DMI, device tree      empty: no file has them
 *     boot ID                  /proc/sys/kernel/random/boot_id        empty: reboots go unnoticed
 *     image of the system      os-release                             name and release of the kernel
 *     memory that is left      /proc/meminfo                          null: no memory pressure
 *     processes                /proc/loadavg and two limits           null: no PID pressure
 *     swap, huge pages         /proc/meminfo, /sys/kernel/mm          none
 *     default route            /proc/net/route                        interfaces in the system's order
 *
 * os.freemem is not used on macOS: it does not count memory that can be reclaimed immediately, so almost
 * every machine would seem to be under memory pressure.
 */
import { readdir, readFile, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type {
  FileSystemSpace,
  HugePages,
  MachineFacts,
  MachineInfo,
  MachineUsage,
  Capacity,
} from '../../ports/machine-facts.ts';
import { goProcessorName, goSystemName } from './go-platform.ts';
import { machineAddresses } from './machine-addresses.ts';
import {
  availableMemoryOf,
  readDefaultInterface,
  readMemoryInfo,
  readPrettyName,
  readTaskCount,
} from './proc-text.ts';

const MACHINE_ID_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id'];
const SYSTEM_UUID_FILES = [
  '/sys/class/dmi/id/product_uuid',
  '/proc/device-tree/system-id',
  '/proc/device-tree/vm,uuid',
  '/etc/machine-id',
];
const BOOT_ID_FILES = ['/proc/sys/kernel/random/boot_id'];
const OS_RELEASE_FILES = ['/etc/os-release', '/usr/lib/os-release'];
/** Both files limit the number of tasks on the whole machine. */
const TASK_LIMIT_FILES = ['/proc/sys/kernel/pid_max', '/proc/sys/kernel/threads-max'];
const HUGE_PAGES_FOLDER = '/sys/kernel/mm/hugepages';

/** `root`: the folder with /proc, /sys and /etc; tests pass another one. */
export function systemMachine({ root = '/' }: { readonly root?: string } = {}): MachineFacts {
  return new SystemMachine(root);
}

class SystemMachine implements MachineFacts {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async info(): Promise<MachineInfo> {
    const memory = readMemoryInfo((await this.#read('/proc/meminfo')) ?? '');
    const routes = await this.#read('/proc/net/route');
    return {
      hostname: os.hostname().toLowerCase(),
      machineID: await this.#firstOf(MACHINE_ID_FILES),
      systemUUID: await this.#firstOf(SYSTEM_UUID_FILES),
      bootID: await this.#firstOf(BOOT_ID_FILES),
      kernelVersion: os.release(),
      osImage: await this.#osImage(),
      operatingSystem: goSystemName(process.platform),
      architecture: goProcessorName(process.arch),
      // Some sandboxes do not list processors, but report how many can be used.
      cpuCount: os.cpus().length || os.availableParallelism(),
      memoryBytes: memory.get('MemTotal') ?? os.totalmem(),
      swapBytes: memory.get('SwapTotal') ?? 0,
      hugePages: await this.#hugePages(),
      addresses: machineAddresses(os.networkInterfaces(), readDefaultInterface(routes ?? '')),
    };
  }

  async usage(): Promise<MachineUsage> {
    const amounts = readMemoryInfo((await this.#read('/proc/meminfo')) ?? '');
    const available = availableMemoryOf(amounts);
    const capacity = amounts.get('MemTotal') ?? 0;
    const memory = available === null ? null : { capacity, available };
    return { memory, pids: await this.#pids() };
  }

  async fileSystem(folder: string): Promise<FileSystemSpace> {
    const { bsize, blocks, bavail, files, ffree } = await statfs(folder);
    return {
      bytes: { capacity: blocks * bsize, available: bavail * bsize },
      inodes: { capacity: files, available: ffree },
    };
  }

  async #osImage(): Promise<string> {
    for (const file of OS_RELEASE_FILES) {
      const name = readPrettyName((await this.#read(file)) ?? '');
      if (name !== null) return name;
    }
    return `${os.type()} ${os.release()}`;
  }

  async #pids(): Promise<Capacity | null> {
    const tasks = readTaskCount((await this.#read('/proc/loadavg')) ?? '');
    const texts = await Promise.all(TASK_LIMIT_FILES.map((file) => this.#read(file)));
    const limits = texts.flatMap((text) => (text === null ? [] : [Number.parseInt(text, 10)]));
    const capacity = Math.min(...limits.filter(Number.isSafeInteger));
    if (tasks === null || capacity === Infinity) return null;
    return { capacity, available: capacity - tasks };
  }

  async #hugePages(): Promise<readonly HugePages[]> {
    const folder = path.join(this.#root, HUGE_PAGES_FOLDER);
    const names = await readdir(folder).catch(() => []);
    const found: HugePages[] = [];
    for (const name of names) {
      const size = /^hugepages-(\d+)kB$/.exec(name)?.[1];
      const count = Number((await this.#read(`${HUGE_PAGES_FOLDER}/${name}/nr_hugepages`)) ?? '');
      if (size === undefined || !Number.isSafeInteger(count)) continue;
      found.push({ pageBytes: Number(size) * 1024, count });
    }
    return found.toSorted((a, b) => a.pageBytes - b.pageBytes);
  }

  /** The text of the first file that is not empty. Empty: there is none. */
  async #firstOf(files: readonly string[]): Promise<string> {
    for (const file of files) {
      const text = await this.#read(file);
      if (text !== null && text !== '') return text;
    }
    return '';
  }

  /** Null: the file does not exist or cannot be read. Device-tree texts end with a zero. */
  async #read(file: string): Promise<string | null> {
    try {
      const text = await readFile(path.join(this.#root, file), 'utf8');
      return text.replaceAll('\0', '').trim();
    } catch {
      return null;
    }
  }
}
