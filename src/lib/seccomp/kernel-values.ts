/**
 * Constants of the kernel's interface for seccomp filters (linux/seccomp.h, linux/audit.h).
 *
 * A filter is a program in classic BPF. It reads the `seccomp_data` of a call, in words of 32 bits, and
 * returns the action for the kernel:
 *
 *     byte 0    number of the system call
 *     byte 4    architecture of the call
 *     byte 8    instruction pointer (64 bits)
 *     byte 16   six arguments of 64 bits; the low word first on the processors here
 */
import { unreachable } from '../assert.ts';
import type { SeccompAction, SeccompProcessor } from './seccomp-profile.ts';

export const NUMBER_OFFSET = 0;
export const ARCHITECTURE_OFFSET = 4;
const ARGUMENTS_OFFSET = 16;

export const ENOSYS = 38;

/** AUDIT_ARCH_*: 64 bits, little-endian, and the ELF machine. */
export const ARCHITECTURES: Readonly<Record<SeccompProcessor, number>> = {
  x64: 0xc000_003e,
  arm64: 0xc000_00b7,
  riscv64: 0xc000_00f3,
};

/** The first number of the x32 ABI on x64. Its calls have the architecture of ordinary calls. */
export const X32_NUMBERS = 0x4000_0000;

export function lowWordOffset(argument: number): number {
  return ARGUMENTS_OFFSET + 8 * argument;
}

export function highWordOffset(argument: number): number {
  return ARGUMENTS_OFFSET + 8 * argument + 4;
}

/** The return value of a filter for an action: SECCOMP_RET_*. */
export function returnValue({ type, data }: SeccompAction): number {
  switch (type) {
    case 'kill-process':
      return 0x8000_0000;
    case 'kill-thread':
      return 0;
    case 'trap':
      return 0x0003_0000;
    case 'errno':
      return 0x0005_0000 + data;
    case 'notify':
      return 0x7fc0_0000;
    case 'trace':
      return 0x7ff0_0000 + data;
    case 'log':
      return 0x7ffc_0000;
    case 'allow':
      return 0x7fff_0000;
    default:
      return unreachable(type);
  }
}
