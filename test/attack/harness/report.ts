/** The output and the record of the suite. */
import { writeFileSync } from 'node:fs';
import type { SuiteOptions } from './options.ts';
import type { Attack, Result } from './types.ts';

const WORDS = {
  held: 'ok',
  breached: 'SUCCEEDS',
  unproven: 'DID NOT RUN',
  late: 'LATE',
  skipped: 'skip',
};

export function printResult({ attack, mode, kind, detail, seconds }: Result): void {
  const time = seconds >= 10 ? ` (${seconds.toFixed(0)} s)` : '';
  const why = detail === '' ? '' : `: ${detail.replaceAll(/[\s\p{Cc}]+/gu, ' ')}`;
  console.log(`${WORDS[kind]} ${mode} ${attack.id}${time}${why}`);
  if (kind === 'breached') console.log(`    ${attack.tries}`);
}

export function printList(attacks: readonly Attack[]): void {
  for (const { id, modes, tries } of attacks) console.log(`${id} [${modes.join(', ')}] ${tries}`);
  const count = attacks.reduce((sum, { modes }) => sum + modes.length, 0);
  console.log(`${attacks.length} attacks, ${count} with their modes`);
}

/** Which attacks were left out because they are about containerd, and why. */
export function printInapplicable(
  attacks: readonly Attack[],
  why: (attack: Attack) => string | undefined,
): void {
  const counts = new Map<string, number>();
  for (const attack of attacks) {
    const reason = why(attack);
    if (reason === undefined) continue;
    const line = `${attack.class}: ${reason}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  for (const [line, count] of counts) console.log(`not on containerd: ${count} of ${line}`);
}

/** Prints the totals; the last line stands alone. Returns the exit code. */
export function conclude(results: readonly Result[], { expectHoles, json }: SuiteOptions): number {
  const of = (kind: Result['kind']): readonly Result[] =>
    results.filter((result) => result.kind === kind);
  const [holes, unproven] = [[...of('breached'), ...of('late')], of('unproven')];
  if (json !== undefined) writeRecord(json, results);
  if (holes.length + unproven.length > 0) console.log('');
  for (const { mode, attack, detail } of holes) {
    console.log(
      `succeeds: ${mode} ${attack.id}: ${detail.replaceAll(/[\s\p{Cc}]+/gu, ' ').slice(0, 600)}`,
    );
  }
  for (const { mode, attack } of unproven) console.log(`did not run: ${mode} ${attack.id}`);
  const failed = holes.length + unproven.length;
  console.log(`${of('held').length} passed, ${failed} failed, ${of('skipped').length} skipped`);
  if (expectHoles) return holes.length > 0 ? 0 : 1;
  return failed > 0 ? 1 : 0;
}

function writeRecord(file: string, results: readonly Result[]): void {
  const rows = results.map(({ attack, mode, kind, detail, seconds }) => ({
    id: attack.id,
    class: attack.class,
    tries: attack.tries,
    mode,
    result: kind,
    detail,
    seconds,
  }));
  writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
}
