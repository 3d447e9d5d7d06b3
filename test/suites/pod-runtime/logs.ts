/** What containers write is in their logs, in the format that everybody reads. */
import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { expect } from 'vitest';
import { linesOf, until, type Case } from './stage.ts';

/** Programs in Go leave out the zeros at the end of a time. */
const LINE =
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d) (stdout|stderr) ([FP]) (.*)$/;

export function casesOfLogs(): readonly Case[] {
  return [
    {
      title: 'a log has each line with its time, its stream and whether it is whole',
      body: async (stage) => {
        const command = stage.commands.print([
          ['stdout', 'out\n'],
          ['stderr', 'err\n'],
          ['stdout', '\n'],
          ['stdout', 'no end'],
        ]);
        await stage.exited(await stage.start({ command }));
        const lines = (await stage.log()).trimEnd().split('\n');
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
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.count(3000) });
        await stage.exited(id);
        expect(linesOf(await stage.log())).toEqual(
          Array.from({ length: 3000 }, (_, index) => `line ${index}`),
        );
      },
    },
    {
      title: 'a log can be read while its container runs',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.exitOn('TERM', 0) });
        await stage.logged('ready');
        expect((await stage.container(id)).state).toBe('running');
      },
    },
    {
      title: 'a log that was moved away is begun anew, and no line is lost',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.countForever });
        await stage.logged('line 3');
        const old = `${stage.logFile()}.old`;
        await rename(stage.logFile(), old);
        await stage.runtime.reopenLog(id);
        await until(() => existsSync(stage.logFile()));
        await stage.logged('line');
        await stage.stop(id, 20);
        const both = [...linesOf(await readFile(old, 'utf8')), ...linesOf(await stage.log())];
        expect(both).toEqual(Array.from(both, (_, index) => `line ${index}`));
      },
    },
    {
      title: 'each attempt has a log of its own',
      body: async (stage) => {
        const sandbox = await stage.runSandbox();
        for (const attempt of [0, 1]) {
          const command = stage.commands.print([['stdout', `attempt ${attempt}\n`]]);
          await stage.exited(await stage.start({ attempt, command }, sandbox));
        }
        await until(async () => (await stage.log()).includes('attempt 0'));
        const second = await readFile(stage.logFile('main', 'pod-1', 1), 'utf8');
        expect(linesOf(second)).toEqual(['attempt 1']);
      },
    },
  ];
}
