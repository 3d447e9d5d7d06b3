import { expect, test } from 'vitest';
import { run } from './run.ts';

async function podkeep(...args: readonly string[]) {
  let [out, err] = ['', ''];
  const code = await run(args, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  });
  return { code, out, err };
}

test('--version prints the version and nothing else', async () => {
  const { code, out, err } = await podkeep('--version');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('--help goes to stdout and says what podkeep is', async () => {
  const { code, out, err } = await podkeep('--help');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatchInlineSnapshot(`
    "Usage: podkeep [options]

    A kubelet for Node.js: keeps pods running and their status true.

    Options:
      -V, --version  print the version and exit
      -h, --help     print this help and exit
    "
  `);
});

test('no arguments at all print the help', async () => {
  const { out } = await podkeep('--help');
  expect(await podkeep()).toEqual({ code: 0, out, err: '' });
});

test('an unknown option exits with 2, names it on stderr and says where to look', async () => {
  const { code, out, err } = await podkeep('--frobnicate');
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/unknown option '--frobnicate'[\s\S]*podkeep --help/);
});

test('a command that does not exist exits with 2', async () => {
  const { code, err } = await podkeep('fly');
  expect(code).toBe(2);
  expect(err).toMatch(/podkeep --help/);
});
