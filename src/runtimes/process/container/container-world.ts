/** What all containers of one runtime share. */
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import type { RuntimeEvent } from '../../../ports/runtime/pod-runtime.ts';
import type { Container } from './container.ts';
import type { Machine } from '../machine/machine.ts';
import type { Memory } from '../record-file.ts';

export interface ContainerWorld {
  readonly machine: Machine;
  /** Where containers assemble their roots, each in its own mount namespace. */
  readonly rootPlace: string;
  /** For data that must not lie on a disk. */
  readonly memory: Memory;
  readonly clock: Clock;
  readonly log: Log;
  readonly punch: (file: string, bytes: number) => void;
  /** Whether the kernel, or podkeep, ended it for its memory. */
  readonly wasOutOfMemory: (container: Container) => boolean;
  readonly emit: (event: RuntimeEvent) => void;
}
