/**
 * Builds what `npm run k8s:conformance` runs beside the programs of `npm run cluster:build`, each only if
 * it is missing: Kubernetes' end-to-end tests, and what their images have in them.
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

/** The tests take a quarter of an hour on two idle cores; `cluster:build` may be under way too. */
const PATIENCE_MS = 180 * 60_000;

/** Files of the images of Kubernetes' tests, and where they are copied to. */
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

/** The folder gets its name when everything is in it. */
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
