import { expect, test } from 'vitest';
import { CliHarness } from '../../test/support/cli-harness.ts';

async function podkeep(...args: readonly string[]) {
  const harness = new CliHarness();
  const code = await harness.run(...args);
  return { code, out: harness.out, err: harness.err };
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

    A kubelet for Node.js: runs pods on this machine and reports their status.

    Options:
      -V, --version                      print the version and exit
      -h, --help                         print this help and exit

    Commands:
      up [options] [command...]          Serve a Kubernetes API on this machine and
                                         run its pods, until Ctrl-C or while a
                                         command runs.
      kubelet [options]                  Make this machine a node of a cluster and
                                         run its pods. After Ctrl-C the pods go on
                                         running, unless --drain-on-stop is set.
      down [options]                     Stop the podkeep that runs on a data
                                         folder, and the pods that it left running.
      get [options] <what...>            List objects of the API as a table, or
                                         print them whole as JSON or YAML.
      explain [options] <what...>        Say why a pod, a node or a workload is not
                                         as it should be, and what to do.
      logs [options] <pod>               Print the log of a container.
      status [options] [node]            Show whether nodes are ready, how their
                                         pods are, and recent warnings.
      alerts [options] [node]            Show the alerts of nodes: pending, firing,
                                         and resolved in the last 15 minutes.
      node                               Add a node to the podkeep up that runs, or
                                         remove one.
      top [options] [what]               Show the CPU and memory that nodes or pods
                                         use.
      exec [options] <pod> <command...>  Run a command inside a container, and end
                                         with its exit code.
      rotate-signing-key [options]       Make a new key that signs service account
                                         tokens. Earlier keys still verify them.
                                         Podkeep uses the new key from its next
                                         start on.
    "
  `);
});

test('up --help lists its options', async () => {
  const { code, out, err } = await podkeep('up', '--help');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatchInlineSnapshot(`
    "Usage: podkeep up [options] [-- command...]

    Serve a Kubernetes API on this machine and run its pods, until Ctrl-C or while a
    command runs.

    Arguments:
      command                                        a command to run with
                                                     KUBECONFIG set; podkeep up ends
                                                     with its exit code

    Options:
      --data-dir <folder>                            where to keep objects, keys and
                                                     the kubeconfig; by default
                                                     $XDG_DATA_HOME/podkeep or
                                                     ~/.local/share/podkeep, and
                                                     with a command a temporary
                                                     folder that is removed at the
                                                     end
      --port <number>                                port to listen on at 127.0.0.1;
                                                     0 chooses a free one; by
                                                     default 6443, and with a
                                                     command 0
      --nodes <number>                               how many nodes to run: NAME,
                                                     NAME-2, NAME-3 and so on; by
                                                     default those of the data
                                                     folder, or one
      --name <name>                                  name of the node; by default
                                                     the name of this machine
      --runtime <name>                               what runs containers: process
                                                     (as processes of this machine),
                                                     simulated, or the socket of a
                                                     container runtime, such as
                                                     unix:///run/containerd/containerd.sock;
                                                     by default
                                                     containerRuntimeEndpoint of the
                                                     configuration, else process
      --pod-masquerade                               let pods that have their own
                                                     network reach other networks;
                                                     needs root and nft
      --supervise                                    start podkeep again if it hangs
                                                     or crashes; needs Perl
      --no-supervise                                 do not start it again
      --manifests <path>                             a folder with manifests of
                                                     static pods, or one such file
      --alert-rules <folder>                         a folder with files of alert
                                                     rules, read again when they
                                                     change
      --alert-commands                               let alert rules run commands,
                                                     as the user who runs podkeep
      --no-default-alerts                            do not evaluate the alert rules
                                                     that ship with podkeep
      --config <file>                                a file with a
                                                     KubeletConfiguration, a
                                                     PodkeepConfiguration, or both
      -v, --v <level>                                number for the log level
                                                     verbosity
      --logging-format <format>                      format of log lines on stderr;
                                                     with --output json and without
                                                     this flag, log lines are events
                                                     among the others (choices:
                                                     "text", "json")
      --encryption-provider-config <file>            an EncryptionConfiguration:
                                                     which resources are encrypted
                                                     on disk, and how
      --encryption-provider-config-automatic-reload  read the
                                                     EncryptionConfiguration again
                                                     when it changes
      --service-account-signing-key-file <file>      the private key that signs
                                                     service account tokens, instead
                                                     of the one in the data folder
      --service-account-key-file <file>              keys that verify service
                                                     account tokens too; may be
                                                     given several times
      --audit-policy-file <file>                     an audit Policy: which requests
                                                     are logged, and how much
      --audit-log-path <file>                        where audit events are logged;
                                                     - is stdout
      --audit-log-format <form>                      JSON, or one line of text for
                                                     an event (choices: "json",
                                                     "legacy", default: "json")
      --audit-log-maxsize <megabytes>                rotate the file at this size;
                                                     0: never (default: 100)
      --audit-log-maxage <days>                      remove older files; 0: never
                                                     (default: 366)
      --audit-log-maxbackup <count>                  remove files beyond this many;
                                                     0: never (default: 100)
      --audit-log-compress                           compress files that are
                                                     complete with gzip (default:
                                                     false)
      --allocate-node-cidrs                          give every node a range of
                                                     addresses for its pods
                                                     (spec.podCIDRs), for network
                                                     plugins
      --cluster-cidr <ranges>                        the addresses of all pods:
                                                     10.244.0.0/16, or one range of
                                                     each IP family with a comma
      --node-cidr-mask-size <bits>                   mask size of the range of a
                                                     node; by default 24, and 64 for
                                                     IPv6
      --node-cidr-mask-size-ipv4 <bits>              the same for IPv4, if there are
                                                     both families
      --node-cidr-mask-size-ipv6 <bits>              the same for IPv6, if there are
                                                     both families
      --keep-pods                                    leave containers running at the
                                                     end; the next podkeep up adopts
                                                     them (default: false)
      --no-node                                      serve the API only, and run no
                                                     pods
      --authorization-mode <mode>                    how requests are authorized
                                                     (choices: "RBAC",
                                                     "AlwaysAllow", default: "RBAC")
      --controllers <names>                          which controllers to run: "*"
                                                     is all of them, "-NAME" leaves
                                                     one out (default: "*")
      --output <form>                                print text, or one JSON object
                                                     per line (choices: "text",
                                                     "json", default: "text")
      -h, --help                                     print this help and exit
    "
  `);
});

test('down --help lists its options', async () => {
  expect((await podkeep('down', '--help')).out).toMatchInlineSnapshot(`
    "Usage: podkeep down [options]

    Stop the podkeep that runs on a data folder, and the pods that it left running.

    Options:
      --data-dir <folder>  the data folder of that podkeep; by default the same as
                           for podkeep up
      -h, --help           print this help and exit
    "
  `);
});

test('get --help lists its options', async () => {
  expect((await podkeep('get', '--help')).out).toMatchInlineSnapshot(`
    "Usage: podkeep get [options] KIND[,KIND...] [NAME...] | KIND/NAME...

    List objects of the API as a table, or print them whole as JSON or YAML.

    Arguments:
      what                     kinds and names: pods, po my-pod, pods,svc,
                               pod/my-pod, all

    Options:
      --kubeconfig <file>      kubeconfig of the cluster; by default $KUBECONFIG,
                               else the one of podkeep up
      -n, --namespace <name>   the namespace; by default that of the kubeconfig
      -A, --all-namespaces     list the objects of all namespaces (default: false)
      -l, --selector <labels>  list only objects with these labels:
                               app=web,tier!=cache
      -o, --output <form>      how to print objects (choices: "table", "wide",
                               "json", "yaml", "name", default: "table")
      --no-headers             leave out the names of the columns
      -w, --watch              print every change too, until Ctrl-C (default: false)
      -h, --help               print this help and exit
    "
  `);
});

test('logs --help lists its options', async () => {
  expect((await podkeep('logs', '--help')).out).toMatchInlineSnapshot(`
    "Usage: podkeep logs [options] <pod>

    Print the log of a container.

    Arguments:
      pod                     the name of the pod

    Options:
      --kubeconfig <file>     kubeconfig of the cluster; by default $KUBECONFIG,
                              else the one of podkeep up
      -n, --namespace <name>  the namespace; by default that of the kubeconfig
      -c, --container <name>  which container; by default the first of the pod
      -f, --follow            print new lines as they are written, until Ctrl-C
                              (default: false)
      --tail <lines>          print only this many of the newest lines; -1 prints
                              all
      --since <duration>      print only lines younger than this, such as 5s, 2m or
                              3h
      -p, --previous          print the log of the container before its last restart
                              (default: false)
      --timestamps            print the time of each line (default: false)
      -h, --help              print this help and exit
    "
  `);
});

test('exec --help lists its options', async () => {
  expect((await podkeep('exec', '--help')).out).toMatchInlineSnapshot(`
    "Usage: podkeep exec [options] POD -- COMMAND [ARG...]

    Run a command inside a container, and end with its exit code.

    Arguments:
      pod                     the name of the pod
      command                 the command to run, and its arguments

    Options:
      --kubeconfig <file>     kubeconfig of the cluster; by default $KUBECONFIG,
                              else the one of podkeep up
      -n, --namespace <name>  the namespace; by default that of the kubeconfig
      -c, --container <name>  which container; by default the first of the pod
      -i, --stdin             pass standard input to the command (default: false)
      -t, --tty               run it in a terminal; needs -i (default: false)
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

test('without arguments the help is printed', async () => {
  const { out } = await podkeep('--help');
  expect(await podkeep()).toEqual({ code: 0, out, err: '' });
});

test('an unknown option exits with 2, and stderr names it and where to look', async () => {
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
