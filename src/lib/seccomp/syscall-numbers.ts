/**
 * The numbers of system calls by name, for one processor. `npm run syscalls:update` makes the table
 * (scripts/syscalls/tables.ts says from what); arm64 and riscv64 share most of theirs.
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
