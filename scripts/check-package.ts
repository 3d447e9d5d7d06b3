/**
 * Checks the npm package: packs it, checks it with publint and attw, installs the tarball in an empty folder,
 * and uses it there as a program and as a library (each entry point by `import`, by `require()` and by its
 * types), without OpenTelemetry, on every installed version of Node.js.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { binFolder, nodeFolder, NODE_VERSIONS } from './nodes/versions.ts';
import { ENTRY_POINTS } from './types/entry-points.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** Examples that need only podkeep itself; `node` needs an API server, and `tracing` another package. */
const EXAMPLES = ['api', 'core', 'parts', 'apiserver'];
const TRACING = '@opentelemetry/api';
/** The timeout of an example: one that does not end has left something open. */
const RUN_MS = 180_000;

const REQUIRE = `
const assert = require('node:assert');
for (const entry of ${JSON.stringify(ENTRY_POINTS)}.filter((name) => name !== 'tracing')) {
  const loaded = require(entry === 'index' ? 'podkeep' : 'podkeep/' + entry);
  assert.ok(Object.keys(loaded).length > 0, entry + ' exports nothing');
}
assert.strictEqual(require('podkeep').PodkeepError, require('podkeep/api').PodkeepError);
assert.throws(() => require('podkeep/tracing'), { code: /MODULE_NOT_FOUND/ });
console.log(process.version, 'require() ok');
`;

/** Checks that types of two entry points are compatible, and that a class that both export is the same. */
const CONSUMER = `
import { PodkeepError, PodWorkers, type PodRuntime, type PodWorkersOptions } from 'podkeep';
import { PodkeepError as ApiPodkeepError, type Pod, type PodStatus } from 'podkeep/api';
import { computePodStatus, type PodStatusView } from 'podkeep/core';
import { runNode, type PodRuntime as NodePodRuntime } from 'podkeep/node';
import { openEmbeddedServer, type EmbeddedServerOptions } from 'podkeep/apiserver';
import { tracePodSync } from 'podkeep/tracing';

export const sameError: typeof ApiPodkeepError = PodkeepError;
export const sameRuntime = (runtime: PodRuntime): NodePodRuntime => runtime;
export const status = (view: PodStatusView): PodStatus => computePodStatus(view);
export const makeWorkers = (options: PodWorkersOptions): PodWorkers => new PodWorkers(options);
export const open = (options: EmbeddedServerOptions) => openEmbeddedServer(options);
export { runNode, tracePodSync };
// @ts-expect-error -- types that accept anything would let this pass
export const wrong: Pod = { metadata: { name: 1 } };
`;

const CONSUMER_TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023', 'dom'],
    strict: true,
    allowJs: true,
    checkJs: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules', '@types')],
    exactOptionalPropertyTypes: true,
  },
  include: ['consumer.ts', 'library'],
};

const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-package-'));
try {
  check();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function check(): void {
  const packed = pack();
  run('npx', ['publint', 'run', packed, '--strict'], ROOT);
  run('npx', ['attw', packed, '--profile', 'esm-only'], ROOT);

  writeFileSync(path.join(folder, 'package.json'), '{ "name": "empty", "type": "module" }');
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', packed], folder);
  checkContents(path.join(folder, 'node_modules', 'podkeep'));
  must(!existsSync(path.join(folder, 'node_modules', TRACING)), `${TRACING} came along`);
  run('npx', ['--no', '--', 'podkeep', '--version'], folder);
  run('npx', ['--no', '--', 'podkeep', '--help'], folder);

  cpSync(path.join(ROOT, 'examples', 'library'), path.join(folder, 'library'), { recursive: true });
  writeFileSync(path.join(folder, 'require.cjs'), REQUIRE);
  for (const node of nodes()) {
    run(node, ['require.cjs'], folder);
    for (const name of EXAMPLES) run(node, [path.join('library', `${name}.mjs`)], folder);
  }
  const cluster = ['up', '--no-node', '--port', '0', '--data-dir', path.join(folder, 'cluster')];
  const example = [process.execPath, path.join('library', 'node.mjs')];
  run('npx', ['--no', '--', 'podkeep', ...cluster, '--', ...example], folder);

  const version = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const wanted = `${TRACING}@${version.peerDependencies[TRACING]}`;
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', wanted], folder);
  run(process.execPath, [path.join('library', 'tracing.mjs')], folder);
  writeFileSync(path.join(folder, 'consumer.ts'), CONSUMER);
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(CONSUMER_TSCONFIG));
  run(path.join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', folder], folder);
}

/** Packs as `npm publish` does, with the prepack and postpack scripts. Returns the path of the tarball. */
function pack(): string {
  const manifest = path.join(ROOT, 'package.json');
  const before = readFileSync(manifest, 'utf8');
  must(JSON.parse(before).scripts?.prepare === 'npm run build', 'npm ci would build nothing');
  run('npm', ['pack', '--silent', '--pack-destination', folder], ROOT);
  must(
    readFileSync(manifest, 'utf8') === before,
    'packing changed the package.json of the checkout',
  );
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (!tarball) throw new Error('npm pack made no tarball');
  return path.join(folder, tarball);
}

function checkContents(installed: string): void {
  const manifest = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
  must(manifest.scripts === undefined, 'the packed manifest has scripts');
  for (const [name, range] of Object.entries<string>(manifest.dependencies)) {
    must(range.startsWith('^'), `${name} is pinned to ${range}`);
  }
  const files = readdirSync(path.join(installed, 'dist'), { recursive: true }).map(String);
  const types = files.filter((name) => name.endsWith('.d.ts')).toSorted();
  const expected = ENTRY_POINTS.map((name) => `${name}.d.ts`).toSorted();
  must(types.join(' ') === expected.join(' '), `files of types: ${types.join(' ')}`);
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    must(files.includes(`${file}.map`), `${file} has no source map`);
  }
}

/** This Node.js, and the versions that `npm run test:nodes` has installed. */
function nodes(): readonly string[] {
  const found = NODE_VERSIONS.map((version) => {
    const node = path.join(binFolder(nodeFolder(version, process.env), process), 'node');
    if (existsSync(node)) return node;
    console.log(`skipped: Node.js ${version} is not installed; npm run test:nodes does it`);
    return null;
  });
  return [process.execPath, ...found.filter((node) => node !== null)];
}

function must(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: 'inherit', timeout: RUN_MS });
}
