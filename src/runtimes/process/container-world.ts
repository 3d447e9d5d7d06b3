/** What all containers of one runtime have in common. */
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { RuntimeEvent } from '../../ports/runtime/pod-runtime.ts';
import type { Container } from './container.ts';
import type { Machine } from './machine.ts';

export interface ContainerWorld {
  readonly machine: Machine;
  /** Where containers put their roots together, each in its own view. */
  readonly rootPlace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly punch: (file: string, bytes: number) => void;
  /** Whether the kernel, or we, ended it for its memory. */
  readonly wasOutOfMemory: (container: Container) => boolean;
  readonly emit: (event: RuntimeEvent) => void;
}
