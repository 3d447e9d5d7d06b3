import { expect, test } from 'vitest';
import { parseNumbers } from './tables.ts';

const FILE = `package unix

const (
	SYS_READ                    = 0
	SYS__SYSCTL                 = 156
	SYS_ARCH_SPECIFIC_SYSCALL   = 244
	SYS_CLONE3                  = 435
)
`;

test('the numbers of a Go file are read, without the mark that is no call', () => {
  expect([...parseNumbers(FILE)]).toEqual([
    ['read', 0],
    ['_sysctl', 156],
    ['clone3', 435],
  ]);
});

test('a file without numbers is an error, and no empty table', () => {
  expect(() => parseNumbers('package unix\n')).toThrow('names no system call');
});
