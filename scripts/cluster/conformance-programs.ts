/**
 * Builds the programs that only `npm run k8s:conformance` needs, each only if it is missing: Kubernetes'
 * end-to-end tests, and the programs of their images.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  clusterFolder,
  CONFORMANCE_PROGRAMS,
  conformanceFiles,
  conformancePath,
} from './cache-folder.ts';
import { buildConformanceProgram, findGo, kubernetesSource } from './go.ts';
import { withLock } from './lock.ts';

/**
 * How long to wait for another builder: the tests take a quarter of an hour on two idle cores, and
 * `cluster:build` may run at the same time.
 */
const PATIENCE_MS = 180 * 60_000;

/** Files of the images of Kubernetes' tests, and their target paths. */
const FILES: readonly (readonly [from: string, to: string])[] = [
  ['agnhost/porter/localhost.crt', 'agnhost/localhost.crt'],
  ['agnhost/porter/localhost.key', 'agnhost/localhost.key'],
  ['kitten/html/kitten.jpg', 'kitten/kitten.jpg'],
  ['kitten/html/data.json', 'kitten/data.json'],
  ['nautilus/html/nautilus.jpg', 'nautilus/nautilus.jpg'],
  ['nautilus/html/data.json', 'nautilus/data.json'],
];

export async function buildConformancePrograms(log: (line: string) => void): Promise<void> {
  if (isComplete()) return;
  const folder = clusterFolder(process.env);
  mkdirSync(folder, { recursive: true });
  const onWait = (pid: number): void => log(`waiting for process ${pid}, which builds`);
  await withLock(path.join(folder, '.lock'), { patienceMs: PATIENCE_MS, onWait }, () =>
    buildMissing(log),
  );
}

function isComplete(): boolean {
  const programs = CONFORMANCE_PROGRAMS.map((name) => conformancePath(name, process.env));
  return [...programs, conformanceFiles(process.env)].every((file) => existsSync(file));
}

async function buildMissing(log: (line: string) => void): Promise<void> {
  const go = findGo();
  for (const program of CONFORMANCE_PROGRAMS) {
    const output = conformancePath(program, process.env);
    if (existsSync(output)) continue;
    log(`building ${program} …`);
    await buildConformanceProgram(go, program, output);
  }
  if (!existsSync(conformanceFiles(process.env))) copyFiles(kubernetesSource(go));
}

/** Copies under a temporary name; the folder gets its final name when it is complete. */
function copyFiles(source: string): void {
  const output = conformanceFiles(process.env);
  const unfinished = mkdtempSync(`${output}-`);
  try {
    for (const [from, to] of FILES) {
      const target = path.join(unfinished, to);
      mkdirSync(path.dirname(target), { recursive: true });
      cpSync(path.join(source, 'test/images', from), target);
    }
    renameSync(unfinished, output);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
