/**
 * Measures how soon a new node answers kubectl, and how soon its first pod is ready.
 *
 * Each start uses an empty folder and creates new keys. kubectl and node themselves take a while to start;
 * both times are printed for comparison.
 */
import { existsSync } from 'node:fs';
import { programPath } from '../scripts/cluster/cache-folder.ts';
import { BenchClient, credentialsIn } from './apiserver-clients.ts';
import { PodHarness, sleepingPod } from './node-clients.ts';
import { percentile, repeated, rowOf, runToEnd } from './node-figures.ts';
import { NodeProgram } from './node-program.ts';
import { formatTable } from './table.ts';

const BOOTS = 5;
const KUBECTL = programPath('kubectl', process.env);

export async function benchNodeStart(print: (line: string) => void): Promise<void> {
  const hasKubectl = existsSync(KUBECTL);
  const median = (values: readonly number[]): number => percentile(values, 0.5);
  const bareNode = median(
    await repeated(BOOTS, () => runToEnd(process.execPath, ['--input-type=module', '-e', '0'])),
  );
  const answers = await repeated(BOOTS, () => boot(hasKubectl ? askByKubectl : askByHttps));
  const pods = await repeated(BOOTS, () => boot(askForPod));
  const rows = [
    rowOf({
      name: hasKubectl
        ? 'first answer to kubectl'
        : 'first answer (to an https client: no kubectl)',
      measured: median(answers),
      most: 500,
    }),
    rowOf({ name: 'first pod Ready', measured: median(pods), most: 1000 }),
    rowOf({ name: '(a bare node starts and ends)', measured: bareNode }),
  ];
  if (hasKubectl) {
    const own = await repeated(BOOTS, () => runToEnd(KUBECTL, ['version', '--client']));
    rows.push(rowOf({ name: '(kubectl without a request)', measured: median(own) }));
  }
  print(formatTable(['podkeep up, from an empty folder', 'median', 'at most'], rows));
}

/** Milliseconds from the start of the process until `moment` resolves. */
async function boot(moment: (program: NodeProgram) => Promise<number>): Promise<number> {
  const program = new NodeProgram();
  try {
    return (await moment(program)) - program.startedMs;
  } finally {
    await program.stop();
  }
}

async function askByKubectl(program: NodeProgram): Promise<number> {
  await program.heard('serving');
  await runToEnd(KUBECTL, ['--kubeconfig', program.folder.kubeconfig, 'get', '--raw', '/readyz']);
  return performance.now();
}

async function askByHttps(program: NodeProgram): Promise<number> {
  const { url } = await program.heard('serving');
  const client = new BenchClient(String(url), credentialsIn(program.folder), 1);
  await client.send('GET', '/readyz');
  client.close();
  return performance.now();
}

async function askForPod(program: NodeProgram): Promise<number> {
  const harness = await PodHarness.open(program);
  try {
    await harness.create(sleepingPod('first'));
    return await harness.ready('first');
  } finally {
    harness.close();
  }
}
