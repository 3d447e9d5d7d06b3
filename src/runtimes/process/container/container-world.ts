/** The dependencies that all containers of one process runtime share. */
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import type { RuntimeEvent } from '../../../ports/runtime/pod-runtime.ts';
import type { Container } from './container.ts';
import type { Machine } from '../machine/machine.ts';
import type { Memory } from '../record-file.ts';

export interface ContainerWorld {
  readonly machine: Machine;
  /** The folder on which each container, in its own mount namespace, mounts its root. */
  readonly rootPlace: string;
  /** For data that must not be written to a disk, such as values of Secrets. */
  readonly memory: Memory;
  readonly clock: Clock;
  readonly log: Log;
  readonly punch: (file: string, bytes: number) => void;
  /** Whether the kernel or podkeep killed the container because of its memory limit. */
  readonly wasOutOfMemory: (container: Container) => boolean;
  readonly emit: (event: RuntimeEvent) => void;
}
