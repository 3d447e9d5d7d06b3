/** The harness itself: each containerd starts, runs a pod with an address, and leaves nothing. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTAINERD_VERSIONS } from '../../scripts/cluster/cache-folder.ts';
import { startContainerd, type Containerd } from './support/containerd.ts';
import { criCall } from './support/cri-call.ts';
import { BUSYBOX } from './support/images/test-images.ts';
import { Registry } from './support/images/registry.ts';
import { tracesOf } from './support/traces.ts';
import type { Message, Wire } from './support/wire.ts';

const RUNNING = 1;
const HOST_PORT = 18_080;

describe.each(CONTAINERD_VERSIONS)('containerd %s', (version) => {
  let containerd: Containerd;
  beforeAll(async () => {
    containerd = await startContainerd({ version, name: `containerd-${version}` });
  });
  afterAll(() => containerd.remove());

  const runtime = (method: string, message?: Message): Promise<Wire> =>
    criCall(containerd.socket, 'RuntimeService', method, message);

  test('reports its version', async () => {
    const answer = await runtime('Version');
    expect(answer.text(2)).toBe('containerd');
    expect(answer.text(3)).toMatch(new RegExp(`^v?${version.split('.')[0]}\\.`));
  });

  test('has the images that were built here', async () => {
    const answer = await criCall(containerd.socket, 'ImageService', 'ListImages');
    const names = answer.messages(1).flatMap((image) => image.texts(2));
    expect(names).toContain(BUSYBOX);
    expect(names).toContain('docker.io/local/busy:1');
  });

  test('runs a pod with an address and a port, which outlives it', async () => {
    const config = sandboxConfig(containerd, 'lives');
    const sandbox = (await runtime('RunPodSandbox', [[1, config]])).text(1);
    const container = await startContainer(runtime, sandbox, config);
    const address = await addressOf(runtime, sandbox);
    expect(address).toMatch(new RegExp(`^${containerd.subnet.replace(/\.\d+\/24$/, '')}\\.\\d+$`));
    const answers = (): string =>
      execFileSync(
        'curl',
        [
          '-sf',
          '--retry',
          '20',
          '--retry-connrefused',
          '--retry-delay',
          '1',
          `http://${address}:8080/hello`,
        ],
        { encoding: 'utf8' },
      );
    expect(answers()).toBe('hello\n');
    const mapped = await fetch(`http://127.0.0.1:${HOST_PORT}/hello`);
    expect(await mapped.text()).toBe('hello\n');

    await containerd.restart('SIGKILL');
    expect(answers()).toBe('hello\n');
    const status = await runtime('ContainerStatus', [[1, container]]);
    expect(status.message(1).number(3)).toBe(RUNNING);
    expect(containerd.ctr('task', 'list')).toContain(container);

    await runtime('StopPodSandbox', [[1, sandbox]]);
    await runtime('RemovePodSandbox', [[1, sandbox]]);
  });

  test('pulls from a registry that wants a password', async () => {
    const credentials = { username: 'someone', password: 'secret' };
    const registry = await Registry.start({ layout: containerd.images, credentials });
    const image: Message = [[1, `${registry.host}/nonroot:1`]];
    const pull = (...more: Message): Promise<Wire> =>
      criCall(containerd.socket, 'ImageService', 'PullImage', [[1, image], ...more]);
    try {
      await expect(pull()).rejects.toThrow(/authorization|401|no basic auth/);
      const login: Message = [
        [1, 'someone'],
        [2, 'secret'],
      ];
      expect((await pull([2, login])).text(1)).toMatch(/sha256:/);
    } finally {
      await registry.stop();
    }
  });
});

test('the leftovers of a killed run are cleared, and nothing is left', async () => {
  const containerd = await startContainerd({ version: '1.6', name: 'killed' });
  const config = sandboxConfig(containerd, 'forsaken');
  const call = (method: string, message: Message): Promise<Wire> =>
    criCall(containerd.socket, 'RuntimeService', method, message);
  const sandbox = (await call('RunPodSandbox', [[1, config]])).text(1);
  await startContainer(call, sandbox, config);
  await containerd.stop('SIGKILL');
  expect(tracesOf(containerd.folder).join('\n')).toMatch(/process.*\n.*mount.*\n.*bridge.*\nrule/s);
  await containerd.remove();
  expect(tracesOf(containerd.folder)).toEqual([]);
  expect(existsSync(containerd.folder)).toBe(Boolean(process.env['PODKEEP_E2E_KEEP']));
});

/** Of PodSandboxConfig: metadata, hostname, logs, ports, labels, control group. */
function sandboxConfig({ folder, cgroupRoot }: Containerd, name: string): Message {
  const logs = path.join(folder, 'logs', name);
  mkdirSync(logs, { recursive: true });
  return [
    [
      1,
      [
        [1, name],
        [2, `uid-of-${name}`],
        [3, 'default'],
      ],
    ],
    [2, name],
    [3, logs],
    [
      5,
      [
        [2, 8080],
        [3, HOST_PORT],
      ],
    ],
    [8, [[1, cgroupRoot]]],
  ];
}

type Call = (method: string, message: Message) => Promise<Wire>;

async function startContainer(call: Call, sandbox: string, config: Message): Promise<string> {
  const script = 'echo hello > /tmp/hello; exec busybox httpd -f -p 8080 -h /tmp';
  const container: Message = [
    [1, [[1, 'main']]],
    [2, [[1, BUSYBOX]]],
    [3, 'sh'],
    [4, '-c'],
    [4, script],
    [11, 'main.log'],
  ];
  const made = await call('CreateContainer', [
    [1, sandbox],
    [2, container],
    [3, config],
  ]);
  await call('StartContainer', [[1, made.text(1)]]);
  return made.text(1);
}

async function addressOf(call: Call, sandbox: string): Promise<string> {
  const answer = await call('PodSandboxStatus', [[1, sandbox]]);
  return answer.message(1).message(5).text(1);
}
