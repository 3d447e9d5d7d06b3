/**
 * Reads the facts and the usage of the machine that this node runs on. Every call reads them again, and
 * rejects if it cannot.
 */
import type { FileSystemSpace, MachineInfo, MachineUsage } from '../api/machine.ts';

export type {
  FileSystemSpace,
  HugePages,
  MachineInfo,
  MachineUsage,
  Capacity,
} from '../api/machine.ts';

export interface MachineFacts {
  info(): Promise<MachineInfo>;
  usage(): Promise<MachineUsage>;
  /** The file system of the path. */
  fileSystem(path: string): Promise<FileSystemSpace>;
}
