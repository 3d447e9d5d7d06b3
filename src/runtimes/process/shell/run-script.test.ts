import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { runScript, type RunRequest } from './run-script.ts';

const REQUEST: RunRequest = { argv: ['env'], env: [['PATH', '/usr/bin:/bin']], reports: false };

/** Runs a script as init does: commands by descriptor 0, notes by 3, the real input by 5. */
function play(
  request: RunRequest,
  input = '',
): { code: number | null; out: string; notes: string } {
  const line = `exec 5<&0; exec /bin/sh -s 3>&2 <<'END OF SCRIPT'\n${runScript(request)}END OF SCRIPT\n`;
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], {
    env: {},
    input,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, notes: stderr };
}

describe('the script that becomes the command', () => {
  test('sets its variables, whatever is in them, and no others', () => {
    const value = `it's "$HOME" \`id\` \\ \n second line`;
    const { out } = play({ ...REQUEST, env: [...REQUEST.env, ['A', value], ['EMPTY', '']] });
    const names = out.match(/^[A-Za-z_]+(?==)/gm);
    expect(out).toContain(`A=${value}\n`);
    expect(names?.filter((name) => name !== 'PWD').toSorted()).toEqual(['A', 'EMPTY', 'PATH']);
  });

  test('sets variables whose names no shell accepts', () => {
    const { out } = play({ ...REQUEST, env: [...REQUEST.env, ['my.name', 'x y'], ['IFS', 'q']] });
    expect(out.split('\n')).toEqual(expect.arrayContaining(['my.name=x y', 'IFS=q']));
  });

  test('passes on its input', () => {
    expect(play({ ...REQUEST, argv: ['cat'] }, 'hello').out).toBe('hello');
  });

  test('reports that it runs, if that is asked for', () => {
    expect(play({ ...REQUEST, argv: ['true'], reports: true }).notes).toBe('running\n');
    expect(play({ ...REQUEST, argv: ['true'] }).notes).toBe('');
  });

  test.each([
    ['no-such-command', /^failed exec: "no-such-command": executable file not found in \$PATH\n$/],
    ['/no/such/file', /^failed exec: "\/no\/such\/file": no such file/],
    ['/tmp', /^failed exec: "\/tmp"/],
    ['', /^failed exec: ""/],
  ])('reports why %j cannot run', (command, notes) => {
    const played = play({ ...REQUEST, argv: [command], reports: true });
    expect(played).toMatchObject({ code: 127, notes: expect.stringMatching(notes) });
  });

  test('changes to its folder first, if there is one', () => {
    expect(play({ ...REQUEST, argv: ['pwd'], workingDir: '/usr/bin' }).out).toBe('/usr/bin\n');
    const missing = play({ ...REQUEST, workingDir: '/no/where', reports: true });
    expect(missing.notes).toBe('failed the working directory /no/where is not there\n');
  });
});
