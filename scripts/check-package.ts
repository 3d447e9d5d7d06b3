/**
 * Checks what people will install: packs the package, has it judged by publint and attw, installs
 * the tarball in an empty folder, and uses it there as a program, a library and a set of types.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

const CONSUMER = `
import { mergeStatus, parseQuantity, formatQuantity, PodkeepError, type Pod } from 'podkeep';

const pod: Pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main' }] } };
const status = mergeStatus({
  pod,
  old: {},
  status: { phase: 'Running' },
  couldHaveRunningContainers: true,
  now: '2026-01-02T03:04:05Z',
});
if (status.phase !== 'Running') throw new Error('merge');
if (formatQuantity(parseQuantity('1024Mi')) !== '1Gi') throw new Error('quantity');
try {
  parseQuantity('many');
} catch (error) {
  if (!(error instanceof PodkeepError) || error.code !== 'QUANTITY_INVALID') throw error;
  console.log('library ok');
}
`;

const DOORS = `
const { runNode } = await import('podkeep/node');
const { openEmbeddedServer } = await import('podkeep/apiserver');
if (![runNode, openEmbeddedServer].every((one) => typeof one === 'function')) throw new Error('doors');
`;

const CONSUMER_TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    strict: true,
    types: [],
    outDir: 'out',
    exactOptionalPropertyTypes: true,
  },
  files: ['consumer.ts'],
};

const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-package-'));
try {
  check();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function check(): void {
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], ROOT);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (!tarball) throw new Error('npm pack made no tarball');
  const packed = path.join(folder, tarball);

  run('npx', ['publint', 'run', packed, '--strict'], ROOT);
  run('npx', ['attw', packed, '--profile', 'esm-only'], ROOT);

  writeFileSync(path.join(folder, 'package.json'), '{ "name": "empty", "type": "module" }');
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', packed], folder);
  run('npx', ['--no', '--', 'podkeep', '--version'], folder);
  run('npx', ['--no', '--', 'podkeep', '--help'], folder);
  writeFileSync(path.join(folder, 'consumer.ts'), CONSUMER);
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(CONSUMER_TSCONFIG));
  run(path.join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', folder], folder);
  run(process.execPath, ['out/consumer.js'], folder);
  // Their types need those of Node, which whoever writes for Node has; here it is enough that they load.
  run(process.execPath, ['--input-type=module', '--eval', DOORS], folder);
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: 'inherit' });
}
