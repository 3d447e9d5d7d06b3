/** The real kubectl, and the JavaScript client, against our end of exec, attach and port-forward. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { Attach, Exec, KubeConfig, PortForward, type V1Status } from '@kubernetes/client-node';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from './support/programs.ts';
import { StreamingNode } from './support/streaming-node.ts';

let node: StreamingNode;

beforeAll(async () => {
  node = await StreamingNode.start();
});

afterAll(() => node.stop());

afterEach(() => node.asked.splice(0));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function startKubectl(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  return spawn(findProgram('kubectl'), words, {
    cwd: node.folder,
    env: { PATH: process.env['PATH'], HOME: node.folder, KUBECONFIG: node.kubeconfig, ...env },
    timeout: 60_000,
  });
}

async function kubectl(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin: string | Buffer = '',
): Promise<Ended> {
  const child = startKubectl(words, env);
  const closed = once(child, 'close');
  const given = [child.stdout, child.stderr].map((stream) =>
    stream ? text(stream) : Promise.resolve(''),
  );
  child.stdin?.on('error', () => undefined).end(stdin);
  const [stdout = '', stderr = ''] = await Promise.all(given);
  const [code] = (await closed) as [number | null];
  return { code, stdout, stderr };
}

const WIRES = [
  {
    wire: 'WebSocket',
    env: {},
    command: 'v5.channel.k8s.io',
    ports: 'SPDY/3.1+portforward.k8s.io',
  },
  {
    wire: 'SPDY',
    env: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' },
    command: 'SPDY/3.1',
    ports: 'SPDY/3.1',
  },
] as const;

describe.each(WIRES)('kubectl over $wire', ({ env, command, ports }) => {
  const run = (line: string, stdin?: string | Buffer): Promise<Ended> =>
    kubectl(line.split(' '), env, stdin);

  test('exec passes on both outputs and the exit code', async () => {
    const words = ['exec', 'p', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3'];
    const { code, stdout, stderr } = await kubectl(words, env);
    expect([code, stdout]).toEqual([3, 'out\n']);
    expect(stderr).toBe('err\ncommand terminated with exit code 3\n');
    expect(node.asked).toEqual([`/exec/default/p/main ${command}`]);
  });

  test('exec reads stdin to its end', async () => {
    expect(await run('exec -i p -- wc -c', 'x'.repeat(300_000))).toEqual({
      code: 0,
      stdout: '300000\n',
      stderr: '',
    });
  });

  test('megabytes arrive intact in both directions', async () => {
    const sent = randomBytes(6_000_000).toString('base64');
    const { code, stdout } = await run('exec -i p -- cat', sent);
    expect(code).toBe(0);
    expect(stdout === sent).toBe(true);
  });

  test('a command that does not read its stdin still ends', async () => {
    const { code, stdout } = await run('exec -i p -- echo done', 'x'.repeat(2_000_000));
    expect([code, stdout]).toEqual([0, 'done\n']);
  });

  test('a command that cannot be started is an error with its reason', async () => {
    const { code, stderr } = await run('exec p -- no-such-program');
    expect(code).toBe(1);
    expect(stderr).toContain('error executing command in container: spawn no-such-program ENOENT');
  });

  test('attach connects to the running program', async () => {
    const { stdout, code } = await run('attach -i p', 'hello\nbye\n');
    expect(stdout).toContain('you said hello');
    expect(code).toBe(0);
  });

  test('cp copies there and back', async () => {
    const [here, back] = [path.join(node.folder, 'here.bin'), path.join(node.folder, 'back.bin')];
    writeFileSync(here, randomBytes(1_000_000));
    const there = path.join(node.folder, 'there.bin');
    expect(await run(`cp ${here} p:${there}`)).toMatchObject({ code: 0 });
    expect(await run(`cp p:${there} ${back}`)).toMatchObject({ code: 0 });
    expect(readFileSync(back).equals(readFileSync(here))).toBe(true);
  });

  test('a client that is killed takes its command with it', async () => {
    const child = startKubectl(['exec', 'p', '--', 'sh', '-c', 'echo on; exec sleep 1000'], env);
    if (child.stdout) await once(child.stdout, 'data');
    expect(node.running).toBe(1);
    child.kill('SIGKILL');
    await expect.poll(() => node.running).toBe(0);
  });

  describe('port-forward', () => {
    let web: Server;

    beforeAll(async () => {
      web = createServer((incoming, response) => incoming.pipe(response.writeHead(200)));
      await once(web.listen(0, '127.0.0.1'), 'listening');
    });

    afterAll(() => web.close());

    async function forward(
      port: number,
    ): Promise<{ readonly child: ChildProcess; readonly local: number }> {
      const child = startKubectl(['port-forward', 'pod/p', `:${port}`], env);
      let given = '';
      while (child.stdout && child.exitCode === null) {
        given += String(await once(child.stdout, 'data'));
        const found = /127\.0\.0\.1:(\d+)/.exec(given);
        // It keeps printing, and would end if its output were closed.
        child.stdout.resume();
        if (found) return { child, local: Number(found[1]) };
      }
      throw new Error('kubectl said no port');
    }

    test('many requests go through one session, each on its own', async () => {
      const { child, local } = await forward((web.address() as AddressInfo).port);
      const bodies = Array.from({ length: 20 }, (_, index) => `${index} `.repeat(20_000));
      const answers = await Promise.all(bodies.map((body) => post(local, body)));
      expect(answers.every((answer, index) => answer === bodies[index])).toBe(true);
      expect(node.asked).toEqual([`/portForward/default/p ${ports}`]);
      child.kill('SIGINT');
      await once(child, 'close');
    });

    test('a port without a listener is reported in the words of the kubelet', async () => {
      const { child, local } = await forward(1);
      const given = child.stderr ? text(child.stderr) : '';
      await expect(post(local, 'x')).rejects.toThrow(/socket hang up|ECONNRESET/);
      await once(child, 'close');
      expect(await given).toContain(
        'error forwarding port 1 to pod sandbox-of-p, uid : connect ECONNREFUSED 127.0.0.1:1',
      );
    });
  });
});

async function post(port: number, body: string): Promise<string> {
  const outgoing = request({ host: '127.0.0.1', port, method: 'POST', agent: false });
  outgoing.end(body);
  const [message] = await once(outgoing, 'response');
  return text(message);
}

describe('the JavaScript client', () => {
  function config(): KubeConfig {
    const loaded = new KubeConfig();
    loaded.loadFromFile(node.kubeconfig);
    return loaded;
  }

  test('exec: output, exit code, and an end of stdin', async () => {
    const [stdout, stdin] = [new PassThrough(), new PassThrough()];
    const output = text(stdout);
    const status = await new Promise<V1Status>((resolve, reject) => {
      const words = ['sh', '-c', 'cat; exit 5'];
      new Exec(config())
        .exec('default', 'p', 'main', words, stdout, null, stdin, false, resolve)
        .catch(reject);
      stdin.end('from JavaScript');
    });
    stdout.end();
    expect(await output).toBe('from JavaScript');
    expect(status.details?.causes).toEqual([{ reason: 'ExitCode', message: '5' }]);
  });

  test('attach: a word and its answer', async () => {
    const [stdout, stdin] = [new PassThrough(), new PassThrough()];
    const socket = await new Attach(config()).attach(
      'default',
      'p',
      'main',
      stdout,
      null,
      stdin,
      false,
    );
    stdin.write('there\n');
    const [answer] = await once(stdout, 'data');
    expect(String(answer)).toBe('you said there\n');
    socket.close();
  });

  test('port-forward: a connection and its end', async () => {
    const echo = createTcpServer((socket) => void socket.pipe(socket));
    await once(echo.listen(0, '127.0.0.1'), 'listening');
    const { port } = echo.address() as AddressInfo;
    const [output, input] = [new PassThrough(), new PassThrough()];
    const socket = await new PortForward(config()).portForward(
      'default',
      'p',
      [port],
      output,
      null,
      input,
    );
    input.write('echo?');
    const [answer] = await once(output, 'data');
    expect(String(answer)).toBe('echo?');
    if ('close' in socket) socket.close();
    echo.close();
  });
});
