/** The machine of this node. Every call reads it again, and rejects if it cannot be read. */
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
