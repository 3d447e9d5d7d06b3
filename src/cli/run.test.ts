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
      -V, --version                      print the version and exit
      -h, --help                         print this help and exit

    Commands:
      up [options] [command...]          Serve a Kubernetes API on this machine and
                                         run its pods, until Ctrl-C or while a
                                         command runs.
      kubelet [options]                  Run the pods that a cluster gives this
                                         machine, until Ctrl-C. They go on then.
      down [options]                     End the podkeep that runs on a data folder,
                                         and the pods it has kept.
      get [options] <what...>            Show objects of the API: tables, or all
                                         that there is to know.
      logs [options] <pod>               Print what a container of a pod has
                                         written.
      exec [options] <pod> <command...>  Run a command inside a container, and end
                                         with its exit code.
    "
  `);
});

test('up --help says what it can be told', async () => {
  const { code, out, err } = await podkeep('up', '--help');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatchInlineSnapshot(`
    "Usage: podkeep up [options] [-- command...]

    Serve a Kubernetes API on this machine and run its pods, until Ctrl-C or while a
    command runs.

    Arguments:
      command                      what to run with KUBECONFIG set; podkeep ends
                                   with its exit code

    Options:
      --data-dir <folder>          where to keep objects, keys and the kubeconfig;
                                   by default $XDG_DATA_HOME/podkeep or
                                   ~/.local/share/podkeep
      --port <number>              where to listen on 127.0.0.1; 0 takes any that is
                                   free (default: 6443)
      --name <name>                of the node; by default the name of this machine
      --runtime <name>             what runs pods: process (on this machine, without
                                   containers), simulated, or the socket of a
                                   container runtime, such as
                                   unix:///run/containerd/containerd.sock; by
                                   default containerRuntimeEndpoint of the
                                   configuration, else process
      --manifests <path>           a folder of static pods, or a file: they run in
                                   any case
      --config <file>              a KubeletConfiguration, and what else podkeep can
                                   be told
      --keep-pods                  leave containers running at the end; the next
                                   podkeep adopts them (default: false)
      --no-node                    serve the API only, and run no pods
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

test('down --help says what it can be told', async () => {
  expect((await podkeep('down', '--help')).out).toMatchInlineSnapshot(`
    "Usage: podkeep down [options]

    End the podkeep that runs on a data folder, and the pods it has kept.

    Options:
      --data-dir <folder>  the one that podkeep up was given; by default the same as
                           there
      -h, --help           print this help and exit
    "
  `);
});

test('get --help says what it can be told', async () => {
  expect((await podkeep('get', '--help')).out).toMatchInlineSnapshot(`
    "Usage: podkeep get [options] KIND[,KIND...] [NAME...] | KIND/NAME...

    Show objects of the API: tables, or all that there is to know.

    Arguments:
      what                     kinds and names: pods, po my-pod, pods,svc,
                               pod/my-pod, all

    Options:
      --kubeconfig <file>      how to reach the API; by default $KUBECONFIG, or what
                               podkeep up writes
      -n, --namespace <name>   by default that of the kubeconfig
      -A, --all-namespaces     in every namespace (default: false)
      -l, --selector <labels>  only those with these labels: app=web,tier!=cache
      -o, --output <form>      how to print them (choices: "table", "wide", "json",
                               "yaml", "name", default: "table")
      --no-headers             leave out the names of the columns
      -w, --watch              go on with every change, until Ctrl-C (default:
                               false)
      -h, --help               print this help and exit
    "
  `);
});

test('logs --help says what it can be told', async () => {
  expect((await podkeep('logs', '--help')).out).toMatchInlineSnapshot(`
    "Usage: podkeep logs [options] <pod>

    Print what a container of a pod has written.

    Arguments:
      pod                     its name

    Options:
      --kubeconfig <file>     how to reach the API; by default $KUBECONFIG, or what
                              podkeep up writes
      -n, --namespace <name>  by default that of the kubeconfig
      -c, --container <name>  by default the first of the pod
      -f, --follow            go on with what is written, until Ctrl-C (default:
                              false)
      --tail <lines>          only so many of the newest; -1: all
      --since <duration>      only what is younger, such as 5s, 2m or 3h
      -p, --previous          of the container that ran before this one (default:
                              false)
      --timestamps            with the time of each line (default: false)
      -h, --help              print this help and exit
    "
  `);
});

test('exec --help says what it can be told', async () => {
  expect((await podkeep('exec', '--help')).out).toMatchInlineSnapshot(`
    "Usage: podkeep exec [options] POD -- COMMAND [ARG...]

    Run a command inside a container, and end with its exit code.

    Arguments:
      pod                     its name
      command                 what to run

    Options:
      --kubeconfig <file>     how to reach the API; by default $KUBECONFIG, or what
                              podkeep up writes
      -n, --namespace <name>  by default that of the kubeconfig
      -c, --container <name>  by default the first of the pod
      -i, --stdin             pass on what comes in here (default: false)
      -t, --tty               with a terminal; goes with -i (default: false)
      -h, --help              print this help and exit
    "
  `);
});

test.each([
  [['exec', 'web', 'ls'], 'podkeep exec web -- ls'],
  [['exec', 'web'], "missing required argument 'command'"],
  [['get'], "missing required argument 'what'"],
  [['get', 'pods', '-o', 'xml'], 'Allowed choices are table, wide, json, yaml, name'],
  [['logs', 'web', '--tail', 'few'], 'number of lines'],
  [['logs', 'web', '--since', 'yesterday'], 'duration'],
  [['down', 'now'], 'too many arguments'],
])('%j makes no sense, and exits with 2', async (args, sentence) => {
  const { code, out, err } = await podkeep(...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(sentence);
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
