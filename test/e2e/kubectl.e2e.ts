/**
 * The real kubectl against two servers, step by step: what it prints and how it ends must be the
 * same. Left is kube-apiserver, the reference; right is the embedded server.
 *
 *     npm run test:e2e -- kubectl                          both
 *     PODKEEP_E2E_PAIR=real,real npm run test:e2e -- kubectl   is the script itself stable?
 *     PODKEEP_E2E_REPORT=FILE …      writes every difference into a file
 *     PODKEEP_E2E_TRANSCRIPT=FILE …  writes every step and what the reference answered
 */
import { appendFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WORKLOAD_CONTROLLER_NAMES } from '../../src/apiserver/controllers/workloads/workload-controllers.ts';
import { CHAPTERS } from './kubectl/chapters.ts';
import { excuse } from './kubectl/differences.ts';
import { Player } from './kubectl/player.ts';
import type { Chapter, Step } from './kubectl/step.ts';
import { describeOutput, NEVER_CAME } from './kubectl/view.ts';
import { PodkeepUp } from './support/podkeep-up.ts';
import { RealApiServer } from './support/real-api-server.ts';
import type { RunningApiServer } from './support/api-server.ts';

const players: Player[] = [];
const report = process.env['PODKEEP_E2E_REPORT'];
const transcript = process.env['PODKEEP_E2E_TRANSCRIPT'];

beforeAll(async () => {
  for (const file of [report, transcript]) if (file) rmSync(file, { force: true });
  const pair = (process.env['PODKEEP_E2E_PAIR'] ?? 'real,podkeep').split(',');
  for (const [index, kind] of pair.entries()) {
    players.push(new Player(await startServer(kind, index)));
  }
});

afterAll(async () => {
  await Promise.all(players.map(({ server }) => server.stop()));
});

describe.each(CHAPTERS)('$title', (chapter) => {
  beforeAll(async () => {
    await Promise.all(players.map((player) => openChapter(player, chapter)));
  });

  for (const step of chapter.steps) {
    test(`kubectl ${step.line}`, async () => {
      const [expected = '', got = ''] = await Promise.all(
        players.map((player) => playStep(player, chapter, step)),
      );
      if (transcript) appendFileSync(transcript, `$ kubectl ${step.line}\n${expected}\n\n`);
      if (report && got !== expected) {
        appendFileSync(report, describeDifference(step, expected, got));
      }
      expect(expected, 'the reference itself fails the step').not.toContain(NEVER_CAME);
      expect(got).toBe(expected);
    });
  }
});

/** The same controllers as beside the other server, which has no scheduler, no signer and no workloads. */
const BESIDE_THE_OTHER = [
  '*,-scheduler,-certificate-signer,-certificate-approver,-ttl,-pod-garbage-collector',
  ...WORKLOAD_CONTROLLER_NAMES.map((name) => `-${name}`),
].join(',');

function startServer(kind: string, index: number): Promise<RunningApiServer> {
  return kind === 'podkeep'
    ? PodkeepUp.start(['--controllers', BESIDE_THE_OTHER])
    : RealApiServer.start({ name: `kube-apiserver-${index}` });
}

/** A namespace is usable once its default service account exists. */
async function openChapter(player: Player, { namespace }: Chapter): Promise<void> {
  await player.play('default', { line: `create namespace ${namespace}` });
  const account = { line: 'get serviceaccount default -o name', until: /^serviceaccount/ };
  await player.play(namespace, account);
}

async function playStep(player: Player, { namespace }: Chapter, step: Step): Promise<string> {
  const output = await player.play(namespace, step);
  return excuse(step.line, describeOutput(output, step.view ?? 'all', player.server));
}

function describeDifference({ line, stdin }: Step, expected: string, got: string): string {
  const input = stdin === undefined ? '' : ` <<END${stdin}END`;
  const [left, right] = players.map(({ server }) => server.name);
  return [`$ kubectl ${line}${input}`, `--- ${left}`, expected, `--- ${right}`, got, '', ''].join(
    '\n',
  );
}
