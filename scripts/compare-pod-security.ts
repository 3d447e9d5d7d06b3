/**
 * Compares podkeep's Pod Security checks with Kubernetes' own, on the test pods of Kubernetes
 * (k8s.io/pod-security-admission, from Go's module cache). Run by hand; needs Go.
 *
 *     npx tsx scripts/compare-pod-security.ts [FILE…]     pods in YAML; absent: those of the module
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Violation } from '../src/apiserver/admission/pod-security/check.ts';
import { parseLevel, parseVersion } from '../src/apiserver/admission/pod-security/level.ts';
import { violationsOf } from '../src/apiserver/admission/pod-security/standards.ts';
import { isJsonObject, type JsonObject } from '../src/lib/json.ts';

const MODULE = 'k8s.io/pod-security-admission@v0.36.4';
const LEVELS = ['privileged', 'baseline', 'restricted'];
/** The minor versions at which a check changes, the versions before those, and two later ones. */
const MINORS = [
  0, 7, 8, 18, 19, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 99,
];
const OUTPUT_BYTES_MAX = 1024 * 1024 * 1024;

interface Answer {
  readonly file: string;
  readonly level: string;
  readonly version: string;
  readonly violations: readonly Violation[];
}

const given = process.argv.slice(2);
const files = given.length > 0 ? given.map((file) => path.resolve(file)) : fixtures();
const answers = askKubernetes(files);
const different = answers.filter((answer) => !agrees(answer));
for (const { file, level, version, violations } of different.slice(0, 20)) {
  console.log(`${file} ${level}:${version}`);
  console.log(`  expected ${JSON.stringify(violations)}`);
  console.log(`  actual   ${JSON.stringify(evaluate(file, level, version))}`);
}
console.log(`${files.length} pods, ${answers.length} decisions, ${different.length} differ`);
process.exitCode = different.length === 0 && answers.length > 0 ? 0 : 1;

function agrees({ file, level, version, violations }: Answer): boolean {
  return JSON.stringify(evaluate(file, level, version)) === JSON.stringify(violations);
}

function evaluate(file: string, level: string, version: string): readonly Violation[] {
  const pod: unknown = parse(readFileSync(file, 'utf8'));
  const { metadata, spec } = isJsonObject(pod) ? pod : ({} as JsonObject);
  return violationsOf(
    { metadata: isJsonObject(metadata) ? metadata : {}, spec: isJsonObject(spec) ? spec : {} },
    { level: parseLevel(level) ?? 'restricted', version: parseVersion(version) ?? null },
  );
}

/** Each content once, because most files are the same for many versions. */
function fixtures(): readonly string[] {
  const { stdout } = spawnSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' });
  const folder = path.join(stdout.trim(), MODULE, 'test/testdata');
  const byContent = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.yaml')) continue;
    const file = path.join(entry.parentPath, entry.name);
    byContent.set(createHash('sha256').update(readFileSync(file)).digest('hex'), file);
  }
  return [...byContent.values()];
}

function askKubernetes(asked: readonly string[]): readonly Answer[] {
  const program = fileURLToPath(new URL('pod-security', import.meta.url));
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-pod-security-'));
  try {
    for (const name of ['main.go', 'go.mod']) {
      copyFileSync(path.join(program, name), path.join(folder, name));
    }
    const versions = ['latest', ...MINORS.map((minor) => `v1.${minor}`)];
    const { status, stdout, stderr } = spawnSync('go', ['run', '-mod=mod', '.'], {
      cwd: folder,
      input: JSON.stringify({ files: asked, levels: LEVELS, versions }),
      encoding: 'utf8',
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    if (status !== 0) throw new Error(`go run failed: ${stderr}`);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Answer);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
