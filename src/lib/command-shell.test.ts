import { afterEach, expect, test } from 'vitest';
import { CommandShell } from './command-shell.ts';

const shells: CommandShell[] = [];

function openShell(program?: string): CommandShell {
  const shell = new CommandShell(program);
  shells.push(shell);
  return shell;
}

afterEach(() => {
  for (const shell of shells.splice(0)) shell.close();
});

test('a program that succeeds is done, and one that fails says why', async () => {
  const shell = openShell();
  await shell.run(['true']);
  await expect(shell.run(['sh', '-c', 'echo two >&2; echo lines >&2; exit 3'])).rejects.toThrow(
    /^two lines$/,
  );
  await expect(shell.run(['false'])).rejects.toThrow('it ended with 1');
});

test('a program that is not there is a failure with a reason', async () => {
  await expect(openShell().run(['no-such-program'])).rejects.toThrow(/not found/);
});

test('an argument stays one word, whatever it contains', async () => {
  const word = `it's "a" $word; * \\ \n with a line`;
  const same = openShell().run(['sh', '-c', 'test "$1" = "$2" && test $# = 2', 'sh', word, word]);
  await expect(same).resolves.toBeUndefined();
});

test('many jobs run side by side, and each gets its own answer', async () => {
  const shell = openShell();
  const codes = Array.from({ length: 40 }, (_, number) => number % 3);
  const jobs = codes.map((code) =>
    shell.run(['sh', '-c', `exit ${code}`]).then(
      () => 0,
      () => 1,
    ),
  );
  expect(await Promise.all(jobs)).toEqual(codes.map((code) => Math.min(code, 1)));
});

test('commands are fed and joined as the shell knows it', async () => {
  const shell = openShell();
  await shell.perform("printf '%s\\n' one two | grep -q two && true");
  await expect(shell.perform('true && false')).rejects.toThrow('it ended with 1');
});

test('a shell that is not there, or was ended, fails its jobs; the next job gets a new one', async () => {
  await expect(openShell('/no/such/shell').run(['true'])).rejects.toThrow(/ENOENT/);
  const shell = openShell();
  await expect(shell.perform('kill -KILL $$; exec sleep 1')).rejects.toThrow('has ended');
  await shell.run(['true']);
});

test('jobs that are under way when it is closed are finished, and later ones are done too', async () => {
  const shell = openShell();
  const job = shell.run(['true']);
  shell.close();
  await expect(job).resolves.toBeUndefined();
  await expect(shell.run(['true'])).resolves.toBeUndefined();
});
