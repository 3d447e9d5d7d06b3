/**
 * `npm run conformance:record -- FILE…`: sends the requests of scenario files to a real kube-apiserver and
 * writes its answers into the same files, in the format that `npm run conformance` replays.
 *
 * A scenario is a line `{"scenario": NAME, "steps": […]}`. To add one, write its requests and watches alone;
 * to record all again, after a new version of Kubernetes for example, name the files once more.
 *
 * It starts etcd and kube-apiserver of `npm run cluster:build`, without controllers. With
 * `--kubeconfig PATH` it uses a server that runs already.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { RealApiServer } from '../../e2e/support/real-api-server.ts';
import { recordScenario, type Scenario } from './recorder.ts';

/** podkeep's own range of cluster IPs. */
const FLAGS = ['--service-cluster-ip-range=10.96.0.0/12'];

const { values, positionals: files } = parseArgs({
  options: { kubeconfig: { type: 'string' } },
  allowPositionals: true,
});
const missing = files.filter((file) => !existsSync(file));
if (files.length === 0 || missing.length > 0) {
  console.error(
    missing.length > 0
      ? `no such file: ${missing.join(', ')}`
      : 'Give scenario files (*.jsonl): npm run conformance:record -- FILE…',
  );
  process.exitCode = 2;
} else {
  await recordAll();
}

async function recordAll(): Promise<void> {
  const started =
    values.kubeconfig === undefined
      ? await RealApiServer.start({ controllers: [], flags: FLAGS })
      : null;
  const kubeconfig = started?.kubeconfig ?? values.kubeconfig ?? '';
  try {
    for (const file of files) await recordFile(file, kubeconfig);
  } finally {
    await started?.stop();
  }
}

async function recordFile(file: string, kubeconfig: string): Promise<void> {
  const lines: string[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    const scenario = JSON.parse(line) as Scenario;
    lines.push(JSON.stringify(await recordScenario(scenario, kubeconfig)));
    console.log(`${file}: ${scenario.scenario}, ${scenario.steps.length} steps`);
  }
  writeFileSync(file, `${lines.join('\n')}\n`);
}
