/**
 * `npm run attack`: attacks the boundary between containers and the machine where containers are
 * processes of the machine.
 *
 *     npm run attack -- [--mode root|user|containerd|all] [--only PATTERN] [--target CHECKOUT] [--list]
 *                       [--expect-holes] [--json FILE] [--update] [--parallel N] [--verbose]
 *
 * For each mode the suite makes canaries (values and files that no pod may read or change), starts one
 * `podkeep up` as root or as an ordinary user, and runs pods against it, six at once. In the mode
 * `containerd` a containerd runs the pods; attacks on what containerd itself does are left out, and the
 * run says which and why. Attackers have the rights of the restricted Pod Security Standard unless an
 * attack is about more rights, and they know where everything is. Success is observed from outside:
 * canaries in logs, volumes and output; files, settings and processes of the machine that changed.
 *
 *     main.ts ──> harness/runner ──> attacks/*  (what is tried, by class)
 *                    └> harness/target          (podkeep, canaries, bystanders, the machine's settings)
 *
 * 1. An attacker that did not prove by its nonce that it ran is a failure, unless the kubelet refused the
 *    pod with a message that the attack expects.
 * 2. Attacks are bounded in time, processes, memory and disk; settings of the kernel are restored.
 * 3. The exit code is 1 if an attack has succeeded or an attacker did not run. With --expect-holes, for
 *    builds that are known to be open, it is 0 if holes were found.
 *
 * `--update` writes test/attack/expected/*.json, with which the class `inventory` compares what processes
 * of a default pod have.
 */
import { ALL_ATTACKS } from './attacks/all.ts';
import { hostileImages } from './attacks/layer-images.ts';
import { whyNotOnContainerd } from './attacks/on-containerd.ts';
import { openAccount, type TrustedAccount } from './harness/account.ts';
import { startAttackedContainerd, whyNoContainerd } from './harness/containerd.ts';
import { startNeighbour } from './harness/neighbour.ts';
import { readOptions, type SuiteOptions } from './harness/options.ts';
import { conclude, printInapplicable, printList, printResult } from './harness/report.ts';
import { runAttacks } from './harness/runner.ts';
import { Target } from './harness/target.ts';
import { skipped, type Attack, type Mode, type Result } from './harness/types.ts';

const options = readOptions(process.argv.slice(2));
const chosen = ALL_ATTACKS.filter(({ id }) => options.only?.test(id) ?? true);
if (options.list) {
  printList(chosen);
} else {
  const results: Result[] = [];
  for (const mode of options.modes) results.push(...(await attackAs(mode, chosen, options)));
  process.exitCode = conclude(results, options);
}

async function attackAs(
  mode: Mode,
  attacks: readonly Attack[],
  options: SuiteOptions,
): Promise<readonly Result[]> {
  const fitting = attacks.filter(({ modes }) => modes.includes(mode));
  const missing = mode === 'containerd' ? whyNoContainerd() : undefined;
  const account = missing ?? openAccount(mode);
  if (typeof account === 'string') {
    const results = fitting.map((attack) => ({ ...skipped(account), attack, mode, seconds: 0 }));
    if (missing === undefined) for (const result of results) printResult(result);
    else console.log(`skip ${mode}, all ${results.length} attacks: ${missing}`);
    return results;
  }
  try {
    return await attackWith(account, mode, fitting, options);
  } finally {
    account.remove();
  }
}

async function attackWith(
  account: TrustedAccount,
  mode: Mode,
  attacks: readonly Attack[],
  { target: checkout, parallel, update, verbose }: SuiteOptions,
): Promise<readonly Result[]> {
  const images = hostileImages;
  const from = Date.now();
  const containerd = mode === 'containerd' ? await startAttackedContainerd() : undefined;
  const target = new Target({ mode, account, checkout, images, update, containerd });
  const remove = async (): Promise<void> => {
    await target.remove().finally(() => containerd?.remove());
  };
  const end = (): void => void remove().finally(() => process.exit(1));
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    await target.start();
    await startNeighbour(target);
    const results = await runAttacks(target, attacks, parallel, printResult);
    if (verbose) console.log(target.tail);
    return results;
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await remove();
    if (containerd) printInapplicable(ALL_ATTACKS, whyNotOnContainerd);
    console.log(`${mode}: ${((Date.now() - from) / 1000).toFixed(0)} s`);
  }
}
