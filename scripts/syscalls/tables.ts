/**
 * Builds the table of Linux system call numbers for the processors that podkeep supports.
 *
 * The numbers come from golang.org/x/sys, whose files are generated from the kernel's headers, one per
 * processor. `go mod download` fetches the module and verifies it against Go's checksum database.
 *
 * arm64 and riscv64 both use the kernel's generic numbers. Common numbers are written once:
 *
 *     generic   numbers that arm64 and riscv64 share
 *     arm64     additional numbers of arm64
 *     riscv64   additional numbers of riscv64
 *     x64       a table of its own
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { defineError } from '../../src/lib/errors.ts';

export const SOURCE = 'golang.org/x/sys@v0.49.0';

const GO = 'go';
/** A constant that marks the first processor-specific number. It is not a system call. */
const MARKER = 'arch_specific_syscall';

type Table = ReadonlyMap<string, number>;

const sourceMissing = defineError<{ reason: string }>({
  code: 'SYSCALL_SOURCE_MISSING',
  retry: 'backoff',
  message: ({ reason }) => `the numbers of system calls cannot be read: ${reason}`,
  hint: () => 'Install Go, and check that its module proxy can be reached (go env GOPROXY).',
});

/** The content of the generated file. */
export function readTables(): string {
  const folder = path.join(downloadSource(), 'unix');
  const read = (goArch: string): Table =>
    parseNumbers(readFileSync(path.join(folder, `zsysnum_linux_${goArch}.go`), 'utf8'));
  const [x64, arm64, riscv64] = [read('amd64'), read('arm64'), read('riscv64')];
  const generic = new Map([...arm64].filter(([name, number]) => riscv64.get(name) === number));
  const tables = {
    generic,
    arm64: without(arm64, generic),
    riscv64: without(riscv64, generic),
    x64,
  };
  const parts = Object.entries(tables).map(
    ([key, table]) => `${JSON.stringify(key)}:${show(table)}`,
  );
  return `{\n"source":${JSON.stringify(SOURCE)},\n${parts.join(',\n')}\n}\n`;
}

/** Reads lines such as `SYS_GETPID = 39` of a Go file. */
export function parseNumbers(text: string): Table {
  const lines = text.matchAll(/^\tSYS_(\w+)\s*=\s*(\d+)$/gm);
  const table = new Map(
    [...lines].map(([, name = '', number]) => [name.toLowerCase(), Number(number)] as const),
  );
  table.delete(MARKER);
  if (table.size === 0) throw sourceMissing({ reason: 'the source names no system call' });
  return table;
}

function without(table: Table, common: Table): Table {
  return new Map([...table].filter(([name]) => !common.has(name)));
}

/** One line per system call, ordered by number, so that diffs are readable. */
function show(table: Table): string {
  const sorted = [...table].sort(([, a], [, b]) => a - b);
  const lines = sorted.map(([name, number]) => `${JSON.stringify(name)}:${number}`);
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n}`;
}

/** Returns the folder of the module. */
function downloadSource(): string {
  const { status, stdout, stderr, error } = spawnSync(GO, ['mod', 'download', '-json', SOURCE], {
    // Run outside of any module, so that no go.mod nearby changes the version.
    cwd: tmpdir(),
    encoding: 'utf8',
    env: { ...process.env, GO111MODULE: 'on', GOWORK: 'off', GOFLAGS: '' },
  });
  if (error || status !== 0) {
    throw sourceMissing({ reason: error?.message ?? (stderr.trim() || stdout.trim()) }, error);
  }
  const { Dir }: { readonly Dir: string } = JSON.parse(stdout);
  return Dir;
}
