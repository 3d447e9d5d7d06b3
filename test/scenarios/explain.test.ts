/**
 * The transcripts in explain/: each is what `podkeep explain` says of a pod that is really stuck, on a
 * virtual node. Everything in them comes from the API of that run and from the kubelet's own records.
 *
 * When one of them fails, run it again with UPDATE=1 and read the difference. Keep the new answers only
 * if you can say why each line changed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { printExplanation } from '../../src/core/explain/explanation-text.ts';
import { ExplainHarness } from '../support/explain-harness.ts';
import { STUCK_PODS, type StuckPod } from '../support/stuck-pods.ts';

const FOLDER = path.join(import.meta.dirname, 'explain');

function fileOf(name: string): string {
  return `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.txt`;
}

async function transcript({ options, play, subject = 'pod/web', isForeign = false }: StuckPod) {
  const harness = await ExplainHarness.open(options);
  onTestFinished(() => harness.node.close());
  harness.isForeign = isForeign;
  await play(harness.node);
  const text = printExplanation(await harness.explain(subject));
  // UIDs are random, and as long as this.
  const plain = text.replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'UID');
  return `$ podkeep explain ${subject} -n rec\n${plain}`.replaceAll(/\b[0-9a-f]{32}\b/g, 'UID');
}

test.each(Object.entries(STUCK_PODS))('%s', async (name, stuck) => {
  const file = path.join(FOLDER, fileOf(name));
  const played = await transcript(stuck);
  if (process.env['UPDATE']) writeFileSync(file, played);
  expect(played).toBe(readFileSync(file, 'utf8'));
});

test('every transcript has its situation', () => {
  const known = Object.keys(STUCK_PODS).map(fileOf).toSorted();
  expect(readdirSync(FOLDER).toSorted()).toEqual(known);
});
