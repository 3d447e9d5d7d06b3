/**
 * What every pod runtime guarantees, whether its containers are processes, containers or simulated.
 *
 * The suite uses the port only. What containers do is defined by `Commands`, which a runtime that runs no
 * programs may interpret as it likes. A runtime that cannot meet a case names it in `skip`, with the
 * reason.
 */
import { describe, expect, test } from 'vitest';
import { casesOfContainers } from './pod-runtime/containers.ts';
import { casesOfExecuting } from './pod-runtime/executing.ts';
import { casesOfImages } from './pod-runtime/images.ts';
import { casesOfLogs } from './pod-runtime/logs.ts';
import { casesOfRestarts } from './pod-runtime/restarts.ts';
import { casesOfSandboxes } from './pod-runtime/sandboxes.ts';
import { casesOfStopping } from './pod-runtime/stopping.ts';
import { TestHarness, type Case, type RuntimeUnderTest } from './pod-runtime/runtime-harness.ts';

export function podRuntimeSuite(underTest: RuntimeUnderTest): void {
  const { name, skip = {} } = underTest;
  const cases: readonly Case[] = [
    ...casesOfSandboxes(),
    ...casesOfContainers(),
    ...casesOfStopping(),
    ...casesOfLogs(),
    ...casesOfExecuting(),
    ...casesOfRestarts(),
    ...casesOfImages(),
  ];

  describe(`the ${name} runtime`, () => {
    test.for(cases)('$title', async ({ title, body }, context) => {
      const reason = skip[title];
      if (reason !== undefined) {
        console.log(`skipped: ${name}: ${title}: ${reason}`);
        context.skip(reason);
      }
      expect.hasAssertions();
      const harness = new TestHarness(await underTest.open());
      await body(harness).finally(() => harness.close());
    });
    test('skips only existing cases', () => {
      const titles = new Set(cases.map(({ title }) => title));
      expect(Object.keys(skip).filter((title) => !titles.has(title))).toEqual([]);
    });
  });
}
