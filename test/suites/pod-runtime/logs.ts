/** The output of containers is in their logs, in the CRI format. */
import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { expect } from 'vitest';
import { linesOf, until, type Case } from './runtime-harness.ts';

/** Programs in Go leave out the zeros at the end of a time. */
const LINE =
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d) (stdout|stderr) ([FP]) (.*)$/;

export function casesOfLogs(): readonly Case[] {
  return [
    {
      title: 'a log has each line with its time, its stream and whether it is whole',
      body: async (harness) => {
        const command = harness.commands.print([
          ['stdout', 'out\n'],
          ['stderr', 'err\n'],
          ['stdout', '\n'],
          ['stdout', 'no end'],
        ]);
        await harness.exited(await harness.start({ command }));
        const lines = (await harness.log()).trimEnd().split('\n');
        const parsed = lines.map((line) => LINE.exec(line)?.slice(1).join(' '));
        expect(parsed.filter((line) => line?.startsWith('stdout'))).toEqual([
          'stdout F out',
          'stdout F ',
          'stdout P no end',
        ]);
        expect(parsed.filter((line) => line?.startsWith('stderr'))).toEqual(['stderr F err']);
      },
    },
    {
      title: 'all that a container wrote is in its log by the time it is reported as exited',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.count(3000) });
        await harness.exited(id);
        expect(linesOf(await harness.log())).toEqual(
          Array.from({ length: 3000 }, (_, index) => `line ${index}`),
        );
      },
    },
    {
      title: 'a log can be read while its container runs',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.exitOn('TERM', 0) });
        await harness.logged('ready');
        expect((await harness.container(id)).state).toBe('running');
      },
    },
    {
      title: 'a log that was moved away is begun anew, and no line is lost',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.countForever });
        await harness.logged('line 3');
        const old = `${harness.logFile()}.old`;
        await rename(harness.logFile(), old);
        await harness.runtime.reopenLog(id);
        await until(() => existsSync(harness.logFile()));
        await harness.logged('line');
        await harness.stop(id, 20);
        const both = [...linesOf(await readFile(old, 'utf8')), ...linesOf(await harness.log())];
        expect(both).toEqual(Array.from(both, (_, index) => `line ${index}`));
      },
    },
    {
      title: 'each attempt has a log of its own',
      body: async (harness) => {
        const sandbox = await harness.runSandbox();
        for (const attempt of [0, 1]) {
          const command = harness.commands.print([['stdout', `attempt ${attempt}\n`]]);
          await harness.exited(await harness.start({ attempt, command }, sandbox));
        }
        await until(async () => (await harness.log()).includes('attempt 0'));
        const second = await readFile(harness.logFile('main', 'pod-1', 1), 'utf8');
        expect(linesOf(second)).toEqual(['attempt 1']);
      },
    },
  ];
}
