import { expect, test } from 'vitest';
import { CliStage } from '../../test/support/cli-stage.ts';

async function podkeep(...args: readonly string[]) {
  const stage = new CliStage();
  const code = await stage.run(...args);
  return { code, out: stage.out, err: stage.err };
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
    "Usage: podkeep [options] [command]

    A kubelet for Node.js: keeps pods running and their status true.

    Options:
      -V, --version              print the version and exit
      -h, --help                 print this help and exit

    Commands:
      up [options] [command...]  Serve a Kubernetes API on this machine, until
                                 Ctrl-C or while a command runs.
    "
  `);
});

test('up --help says what it can be told', async () => {
  const { code, out, err } = await podkeep('up', '--help');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatchInlineSnapshot(`
    "Usage: podkeep up [options] [-- command...]

    Serve a Kubernetes API on this machine, until Ctrl-C or while a command runs.

    Arguments:
      command                      what to run with KUBECONFIG set; podkeep ends
                                   with its exit code

    Options:
      --data-dir <folder>          where to keep objects, keys and the kubeconfig;
                                   by default $XDG_DATA_HOME/podkeep or
                                   ~/.local/share/podkeep
      --port <number>              where to listen on 127.0.0.1; 0 takes any that is
                                   free (default: 6443)
      --authorization-mode <mode>  who may do what (choices: "RBAC", "AlwaysAllow",
                                   default: "RBAC")
      --controllers <names>        which controllers run inside: "*" is all of them,
                                   "-NAME" leaves one out (default: "*")
      --output <form>              sentences for people, or one JSON object a line
                                   (choices: "text", "json", default: "text")
      -h, --help                   print this help and exit
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

test.each([
  ['--port', '70000'],
  ['--port', '-1'],
  ['--port', '1e3'],
  ['--authorization-mode', 'Webhook'],
  ['--output', 'xml'],
])('up %s %s makes no sense, and exits with 2', async (option, value) => {
  const { code, out, err } = await podkeep('up', option, value);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(option);
});

test('a command for up needs its two dashes, so that a slip does not run something', async () => {
  const { code, err } = await podkeep('up', 'kubectl', 'get', 'pods');
  expect(code).toBe(2);
  expect(err).toContain('podkeep up [options] -- kubectl get pods');
});
