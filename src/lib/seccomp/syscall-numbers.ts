/**
 * Looks up the numbers of system calls by name, for one processor. `npm run syscalls:update` generates the
 * table (scripts/syscalls/tables.ts); arm64 and riscv64 share most of their numbers.
 */
import type { SeccompProcessor } from './seccomp-profile.ts';
import table from './syscalls.generated.json' with { type: 'json' };

const NUMBERS: Readonly<Record<SeccompProcessor, ReadonlyMap<string, number>>> = {
  x64: new Map(Object.entries(table.x64)),
  arm64: new Map(Object.entries({ ...table.generic, ...table.arm64 })),
  riscv64: new Map(Object.entries({ ...table.generic, ...table.riscv64 })),
};

export function syscallNumbers(processor: SeccompProcessor): ReadonlyMap<string, number> {
  return NUMBERS[processor];
}
