/**
 * Downloads and reads the source of the schema: Kubernetes' Go modules. Only this file names their version.
 *
 * `go mod download` fetches the modules and verifies them against Go's checksum database; then the Go program
 * in this folder reads the packages and prints facts about them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { defineError } from '../../src/lib/errors.ts';
import type { Package } from './facts.ts';

/** The version of Kubernetes' modules: v0.36.4 is that of Kubernetes v1.36.4. */
export const SOURCE_VERSION = 'v0.36.4';

const GO = 'go';
const API = 'k8s.io/api';

/** The packages to read in addition to those of k8s.io/api, which are found by their register.go. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  [API]: [],
  'k8s.io/apimachinery': [
    'pkg/api/resource',
    'pkg/apis/meta/v1',
    'pkg/apis/meta/v1beta1',
    'pkg/runtime',
    'pkg/types',
    'pkg/util/intstr',
  ],
  'k8s.io/apiextensions-apiserver': ['pkg/apis/apiextensions/v1'],
  'k8s.io/kube-aggregator': ['pkg/apis/apiregistration/v1'],
  'k8s.io/metrics': ['pkg/apis/metrics/v1beta1'],
};

const goMissing = defineError<{ command: string }>({
  code: 'GO_MISSING',
  retry: 'never',
  message: ({ command }) =>
    `the schema table is made from Go source, and ${command} is not on PATH`,
  hint: () => 'Install Go 1.19 or newer from https://go.dev/dl and run this again.',
});

const goFailed = defineError<{ command: string; reason: string }>({
  code: 'GO_FAILED',
  retry: 'backoff',
  message: ({ command, reason }) => `${command} failed: ${reason}`,
  hint: () => 'Check that the Go module proxy can be reached (go env GOPROXY), then try again.',
});

export function readPackages(): readonly Package[] {
  const sources = Object.entries(downloadModules()).flatMap(([module, directory]) =>
    packagesOf(module, directory).map((name) => `${module}/${name}=${path.join(directory, name)}`),
  );
  const program = path.dirname(fileURLToPath(import.meta.url));
  const facts: readonly Package[] = JSON.parse(runGo(program, ['run', '.', ...sources]));
  return facts;
}

interface Download {
  readonly Path: string;
  readonly Dir: string;
}

/** Returns the folder of each module. */
function downloadModules(): Readonly<Record<string, string>> {
  const modules = Object.keys(PACKAGES).map((module) => `${module}@${SOURCE_VERSION}`);
  // Run outside any module, so that no go.mod nearby affects it.
  const printed = runGo(tmpdir(), ['mod', 'download', '-json', ...modules]);
  // The command prints one JSON object after the other; each ends with a brace on its own line.
  const answers: readonly Download[] = JSON.parse(
    `[${printed.trim().replaceAll(/^\}\n/gm, '},')}]`,
  );
  return Object.fromEntries(answers.map(({ Path, Dir }) => [Path, Dir]));
}

function packagesOf(module: string, directory: string): readonly string[] {
  if (module !== API) return PACKAGES[module] ?? [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((group) => group.isDirectory())
    .flatMap((group) =>
      readdirSync(path.join(directory, group.name)).map((version) => `${group.name}/${version}`),
    )
    .filter((name) => existsSync(path.join(directory, name, 'register.go')))
    .toSorted();
}

function runGo(cwd: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(GO, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    // A Go workspace or flags of the user must not affect the result.
    env: { ...process.env, GO111MODULE: 'on', GOWORK: 'off', GOFLAGS: '' },
  });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT')
    throw goMissing({ command: GO }, error);
  if (error !== undefined || status !== 0) {
    // With -json the command reports errors in its answers, one per module.
    const answered = /"Error": (".*")/.exec(stdout)?.[1];
    const reason = error?.message ?? (stderr.trim() || (answered ?? stdout.trim()));
    throw goFailed({ command: `${GO} ${args.slice(0, 2).join(' ')}`, reason }, error);
  }
  return stdout;
}
