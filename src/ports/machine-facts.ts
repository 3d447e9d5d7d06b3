/** The machine that this node is. Every call reads it anew, and rejects if it cannot be read. */
import type { FileSystemRoom, MachineInfo, MachineUsage } from '../api/machine.ts';

export type { FileSystemRoom, HugePages, MachineInfo, MachineUsage, Room } from '../api/machine.ts';

export interface MachineFacts {
  info(): Promise<MachineInfo>;
  usage(): Promise<MachineUsage>;
  /** Of the file system on which the path is. */
  fileSystem(path: string): Promise<FileSystemRoom>;
}
