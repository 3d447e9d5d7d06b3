/**
 * Measures `podkeep up` as a whole: how soon it serves, how soon its pods are ready, and how many it can run.
 */
import { whyNoProgram } from './node-program.ts';
import { benchNodeMany } from './node-many.ts';
import { benchNodePods } from './node-pods.ts';
import { benchNodeStart } from './node-start.ts';

export async function benchNode(print: (line: string) => void): Promise<void> {
  const obstacle = whyNoProgram();
  if (obstacle !== null) {
    print(`skipped: podkeep up with pods (${obstacle})`);
    return;
  }
  await benchNodeStart(print);
  const processes = await benchNodePods(print);
  await benchNodeMany(print, processes);
}
