/**
 * Builds Kubernetes' programs from the module in this folder.
 *
 * The version is set as in Kubernetes' own build, so that `kubectl version` prints it. module/go.sum has the
 * checksums of all inputs, and -mod=readonly enforces them.
 */
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { defineError } from '../../src/lib/errors.ts';
import { runCommand } from './command.ts';
import { programMissing } from './errors.ts';
import { KUBERNETES_VERSION, type ConformanceProgram } from './cache-folder.ts';

const MODULE = path.join(import.meta.dirname, 'module');
/** The path of Go's own installer, which is often not on the PATH of a service. */
const USUAL_PLACE = '/usr/local/go/bin/go';
/** The first Go that downloads a newer toolchain if go.mod requires one. */
const OLDEST_MINOR = 21;

const goTooOld = defineError<{ readonly found: string }>({
  code: 'GO_TOO_OLD',
  retry: 'never',
  message: ({ found }) => `Kubernetes ${KUBERNETES_VERSION} cannot be built with ${found}`,
  hint: () => `Install Go 1.${OLDEST_MINOR} or newer from https://go.dev/dl.`,
});

export interface GoBuild {
  /** The folder of the module that is built. */
  readonly module: string;
  readonly target: string;
  readonly output: string;
  readonly linkerFlags?: readonly string[];
  /** Builds the tests of the package, not the package. */
  readonly tests?: boolean;
  /** How many compilers run at once. Absent: as many as there are cores. */
  readonly parallel?: number | undefined;
}

/** The path of the Go command. */
export function findGo(): string {
  for (const go of ['go', USUAL_PLACE]) {
    const found = versionOf(go);
    if (found === undefined) continue;
    const minor = Number(/^go1\.(\d+)/.exec(found)?.[1] ?? 0);
    if (minor < OLDEST_MINOR) throw goTooOld({ found });
    return go;
  }
  throw programMissing({ program: 'go', use: "to build Kubernetes' own programs" });
}

/** Builds Kubernetes' tests, or a program of their images. */
export async function buildConformanceProgram(
  go: string,
  program: ConformanceProgram,
  output: string,
): Promise<void> {
  const tests = program === 'e2e.test';
  const target = `k8s.io/kubernetes/test/${tests ? 'e2e' : `images/${program}`}`;
  await buildWithGo(go, { module: MODULE, target, output, tests, linkerFlags: versionFlags() });
}

/** The folder of Kubernetes' source in Go's module cache; a build has downloaded it. */
export function kubernetesSource(go: string): string {
  const words = ['list', '-m', '-f', '{{.Dir}}', 'k8s.io/kubernetes'];
  const env = { ...process.env, GOFLAGS: '-mod=readonly', GOWORK: 'off' };
  return execFileSync(go, words, { cwd: MODULE, env, encoding: 'utf8' }).trim();
}

export async function buildKubernetesProgram(
  go: string,
  program: string,
  output: string,
  parallel: number | undefined,
): Promise<void> {
  const target = `k8s.io/kubernetes/cmd/${program}`;
  await buildWithGo(go, { module: MODULE, target, output, linkerFlags: versionFlags(), parallel });
}

/** Builds under a temporary name: a file with its final name is complete. */
export async function buildWithGo(go: string, build: GoBuild): Promise<void> {
  const { module, target, output, linkerFlags = [], parallel, tests = false } = build;
  const unfinished = `${output}.${process.pid}.tmp`;
  const flags = ['-mod=readonly', '-trimpath', '-buildvcs=false'];
  const linker = ['-s', '-w', ...linkerFlags].join(' ');
  const cores = parallel === undefined ? [] : ['-p', `${parallel}`];
  const verb = tests ? ['test', '-c'] : ['build'];
  const command = [...verb, ...flags, ...cores, '-ldflags', linker, '-o', unfinished, target];
  try {
    await runCommand(['nice', '-n', '10', go, ...command], {
      cwd: module,
      // Statically linked, so that the programs run everywhere.
      env: { CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' },
      use: `to build ${target}`,
    });
    renameSync(unfinished, output);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function versionFlags(): readonly string[] {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(KUBERNETES_VERSION) ?? [];
  const facts = Object.entries({
    gitVersion: KUBERNETES_VERSION,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
  });
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((name) =>
    facts.map(([fact, value]) => `-X ${name}.${fact}=${value}`),
  );
}

function versionOf(go: string): string | undefined {
  try {
    return execFileSync(go, ['env', 'GOVERSION'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}
