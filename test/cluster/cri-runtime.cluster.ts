/**
 * What the suite of all runtimes does not cover: streams, networks, limits, pulls, and a killed
 * containerd.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CONTAINERD_VERSIONS } from '../../scripts/cluster/cache-folder.ts';
import type { RuntimeEvent } from '../../src/ports/runtime/pod-runtime.ts';
import { startContainerd, type Containerd } from './support/containerd.ts';
import { CriBench, NEVER } from './support/cri-bench.ts';
import { Registry } from './support/images/registry.ts';

const FOREVER = 'trap "exit 0" TERM; while :; do sleep 1000 & wait $!; done';
const ALL = { stdin: true, stdout: true, stderr: true, tty: false, signal: NEVER };
const SECURITY = {
  isPrivileged: false,
  isReadOnlyRoot: false,
  noNewPrivileges: false,
  addedCapabilities: [],
  droppedCapabilities: [],
  supplementalGroups: [],
};

describe.each(CONTAINERD_VERSIONS)('pods on containerd %s', (version) => {
  let containerd: Containerd;
  beforeAll(async () => {
    containerd = await startContainerd({ version, name: `cri-${version}` });
  });
  afterAll(() => containerd.remove());

  async function bench(requestTimeoutMs = 60_000): Promise<CriBench> {
    const opened = await CriBench.open(containerd, { requestTimeoutMs });
    onTestFinished(() => opened.close());
    return opened;
  }

  test('it reports its features', async () => {
    const { runtime } = await bench();
    const isNew = version === '2.1';
    const { features, handlers = [] } = await runtime.status();
    expect(features).toMatchObject({
      hasPodAddresses: true,
      hasImageVolumes: isNew,
      hasRecursiveReadOnly: isNew,
    });
    expect(features.hasSupplementalGroupsPolicy ?? false).toBe(isNew);
    expect(handlers.map(({ name }) => name)).toEqual(isNew ? ['', 'runc'] : []);
    expect(await runtime.cgroupDriver?.()).toBe(isNew ? 'cgroupfs' : null);
    expect(runtime.follow !== undefined).toBe(isNew);
  });

  test('a command with streams ends with its own code, and both its outputs arrive', async () => {
    const harness = await bench();
    const { runtime } = harness;
    const id = await harness.start(FOREVER);
    const command = ['sh', '-c', 'echo out; echo err >&2; exit 7'];
    const streams = await runtime.exec?.(id, command, { ...ALL, stdin: false });
    const [out, err, code] = await Promise.all([
      streams?.stdout && text(streams.stdout),
      streams?.stderr && text(streams.stderr),
      streams?.ended,
    ]);
    expect({ out, err, code }).toEqual({ out: 'out\n', err: 'err\n', code: 7 });
    const missing = await runtime.exec?.(id, ['no-such-command'], { ...ALL, stdin: false });
    await expect(missing?.ended).rejects.toThrow(/no-such-command/);
  });

  test('of many quick commands none loses output', async () => {
    const harness = await bench();
    const id = await harness.start(FOREVER);
    const words = Array.from({ length: 60 }, (_, index) => `word ${index}`);
    const given = async (word: string): Promise<string | null> => {
      const request = { ...ALL, stdin: false, stderr: false };
      const streams = await harness.runtime.exec?.(id, ['echo', word], request);
      // Late: the connection may have ended before the first byte was read.
      await streams?.ended;
      return streams?.stdout ? text(streams.stdout) : null;
    };
    for (let begin = 0; begin < words.length; begin += 6) {
      const some = words.slice(begin, begin + 6);
      expect(await Promise.all(some.map(given))).toEqual(some.map((word) => `${word}\n`));
    }
  });

  test('much output arrives complete, however slowly it is read', async () => {
    const harness = await bench();
    const { runtime } = harness;
    const id = await harness.start(FOREVER);
    const streams = await runtime.exec?.(id, ['cat'], ALL);
    const block = Buffer.from(Array.from({ length: 65_536 }, (_, index) => index % 251));
    const all = Buffer.concat(Array.from({ length: 64 }, () => block));
    streams?.stdin?.end(all);
    const parts: Buffer[] = [];
    for await (const part of streams?.stdout ?? []) {
      parts.push(Buffer.from(part as Uint8Array));
      if (parts.length % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(Buffer.concat(parts).equals(all)).toBe(true);
    expect(await streams?.ended).toBe(0);
  });

  test('a terminal has a size that can be changed, and one output', async () => {
    const harness = await bench();
    const { runtime } = harness;
    const id = await harness.start(FOREVER);
    const command = ['sh', '-c', 'while read line; do stty size; done'];
    const streams = await runtime.exec?.(id, command, { ...ALL, tty: true });
    expect(streams?.stderr).toBeNull();
    let heard = '';
    streams?.stdout?.on('data', (chunk) => (heard += String(chunk)));
    streams?.resize(101, 47);
    await harness.wait('the size', () => {
      streams?.stdin?.write('\n');
      return heard.includes('47 101');
    });
    streams?.stdin?.end('\u0004');
    expect(await streams?.ended).toBe(0);
  });

  test('a port of a pod answers, and one without a listener is reported', async () => {
    const harness = await bench();
    const { runtime } = harness;
    const sandbox = await harness.runSandbox();
    const id = await harness.start(
      'mkdir /w; echo hello > /w/index.html; exec httpd -f -h /w -p 127.0.0.1:8080',
      {},
      sandbox,
    );
    await harness.wait('the server', async () =>
      (await harness.execute(id, 'wget -qO- http://127.0.0.1:8080/ || true')).includes('hello'),
    );
    const connection = await runtime.connectPort?.(sandbox, 8080);
    connection?.write('GET / HTTP/1.0\r\n\r\n');
    expect(connection && (await text(connection))).toMatch(/200 OK[\s\S]*hello/);
    const refused = await runtime.connectPort?.(sandbox, 9);
    await expect(refused && text(refused)).rejects.toThrow(/refused/);
  });

  test('a pod has its name, its resolver, its sysctls and the groups of its user', async () => {
    const harness = await bench();
    const { runtime } = harness;
    const sandbox = await harness.runSandbox({
      podUid: 'named',
      hostname: 'my-name',
      dns: { servers: ['10.96.0.10'], searches: ['shop.svc.cluster.local'], options: ['ndots:5'] },
      sysctls: { 'net.ipv4.ip_unprivileged_port_start': '7' },
    });
    const id = await harness.start(
      FOREVER,
      { security: { ...SECURITY, runAsUser: 1000, runAsGroup: 2000, supplementalGroups: [3000] } },
      sandbox,
    );
    expect(await harness.execute(id, 'hostname; id -u; id -g; id -G')).toBe(
      'my-name\n1000\n2000\n2000 3000\n',
    );
    const resolver = await harness.execute(id, 'cat /etc/resolv.conf');
    expect(resolver).toContain('nameserver 10.96.0.10');
    expect(resolver).toContain('search shop.svc.cluster.local');
    expect(resolver).toContain('options ndots:5');
    const sysctl = 'cat /proc/sys/net/ipv4/ip_unprivileged_port_start';
    expect(await harness.execute(id, sysctl)).toBe('7\n');
    const { sandboxes } = await runtime.inspect('named');
    expect(sandboxes).toMatchObject([{ hostNetwork: false, ready: true }]);
  });

  test('containers see the processes that they are meant to see', async () => {
    const harness = await bench();
    const shared = await harness.runSandbox({ sharesProcesses: true });
    await harness.start('exec sleep 4711', { name: 'other' }, shared);
    const sees = await harness.start(FOREVER, {}, shared);
    expect(await harness.execute(sees, 'ps')).toContain('sleep 4711');
    const apart = await harness.runSandbox();
    const target = await harness.start('exec sleep 4712', { name: 'target' }, apart);
    const blind = await harness.start(FOREVER, { name: 'blind' }, apart);
    expect(await harness.execute(blind, 'ps')).not.toContain('sleep 4712');
    const security = { ...SECURITY, targetContainerId: target };
    const debug = await harness.start(FOREVER, { name: 'debug', security }, apart);
    expect(await harness.execute(debug, 'ps')).toContain('sleep 4712');
  });

  test('limits hold, are reported, can be changed, and exceeding memory is OOMKilled', async () => {
    const harness = await bench();
    const { runtime } = harness;
    const resources = { cpuShares: 512, cpuQuota: 50_000, cpuPeriod: 100_000 };
    const memoryLimitBytes = 64 * 1024 * 1024;
    const id = await harness.start(FOREVER, { resources: { ...resources, memoryLimitBytes } });
    expect((await harness.container(id)).resources).toEqual({
      cpuRequest: '500m',
      cpuLimit: '500m',
      memoryLimit: '64Mi',
    });
    await runtime.updateResources?.(id, { ...resources, cpuQuota: 80_000, memoryLimitBytes });
    expect((await harness.container(id)).resources).toMatchObject({ cpuLimit: '800m' });
    const hungry = await harness.start('exec tail /dev/zero', {
      resources: { memoryLimitBytes: 16 * 1024 * 1024 },
    });
    expect(await harness.exited(hungry)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  test('the usage of containers and pods is counted', async () => {
    const harness = await bench();
    const { runtime } = harness;
    const id = await harness.start('while :; do :; done', {
      resources: { cpuQuota: 20_000, cpuPeriod: 100_000 },
    });
    await harness.wait('numbers', async () => {
      const [stats] = (await runtime.containerStats?.()) ?? [];
      return (stats?.cpu?.usageNanoseconds ?? 0n) > 0n && (stats?.memory?.workingSetBytes ?? 0) > 0;
    });
    const [own] = (await runtime.containerStats?.()) ?? [];
    expect(own).toMatchObject({ id, name: 'main' });
    const [pod] = (await runtime.sandboxStats?.()) ?? [];
    expect(pod?.podUid).toBe(own?.podUid);
    expect(pod?.cpu?.usageNanoseconds).toBeGreaterThan(0n);
  });

  test('images are pulled with a password, listed, measured and removed', async () => {
    const harness = await bench();
    const { runtime } = harness;
    const credentials = { username: 'me', password: 'secret' };
    const registry = await Registry.start({ layout: containerd.images, credentials });
    onTestFinished(() => registry.stop());
    const image = `${registry.host}/nonroot:1`;
    const { images } = runtime;
    await expect(images.pull(image, null, NEVER)).rejects.toThrow(
      /^failed to pull and unpack image .*(?:401|authorization)/,
    );
    const missing = `${registry.host}/no-such-image:1`;
    await expect(images.pull(missing, credentials, NEVER)).rejects.toThrow(
      new RegExp(`^rpc error: code = NotFound desc = .*${missing}: not found$`),
    );
    const ref = await images.pull(image, credentials, NEVER);
    expect(await images.find(image)).toMatchObject({ ref, uid: 1000, isPinned: false });
    expect((await images.list()).flatMap(({ names }) => names)).toContain(image);
    // It is measured from time to time.
    await harness.wait('a measure', async () => ((await images.usage())?.usedBytes ?? 0) > 0);
    await images.remove(ref);
    await images.remove(ref);
  });

  test('nothing is lost when containerd is killed: calls, events and containers come back', async () => {
    const harness = await bench();
    const { runtime } = harness;
    const heard: RuntimeEvent[] = [];
    const unfollow = runtime.follow?.((event) => heard.push(event));
    onTestFinished(() => unfollow?.());
    const lives = await harness.start(FOREVER);
    const dies = await harness.start('while [ ! -e /w/end ]; do sleep 0.1; done; exit 5', {
      mounts: [
        {
          containerPath: '/w',
          hostPath: harness.folder,
          isReadOnly: true,
          isRecursiveReadOnly: false,
          propagation: 'None',
        },
      ],
    });
    const before = await harness.container(lives);
    const follows = await runtime.exec?.(lives, ['sleep', '1000'], ALL);
    await containerd.stop('SIGKILL');
    await expect(follows?.ended).rejects.toThrow(/./);
    await expect(runtime.list()).rejects.toMatchObject({ code: 'RUNTIME_UNAVAILABLE' });
    // It exits while no subscriber is connected.
    writeFileSync(path.join(harness.folder, 'end'), '');
    await containerd.start();
    expect(await harness.container(lives)).toEqual(before);
    expect(await harness.execute(lives, 'echo still here')).toBe('still here\n');
    // A container that exited meanwhile has exited; containerd 2.1 does not know its exit code any more.
    expect([5, 255]).toContain((await harness.exited(dies)).exitCode);
    heard.length = 0;
    await runtime.stopContainer(lives, 10, NEVER);
    await harness.wait('the news', () =>
      runtime.follow ? heard.some(({ containerId }) => containerId === lives) : true,
    );
    expect((await harness.container(lives)).exitCode).toBe(0);
  });

  test('a containerd that hangs times out, and is used again when it recovers', async () => {
    const harness = await bench(2000);
    const id = await harness.start(FOREVER);
    await containerd.pause();
    try {
      await expect(harness.runtime.inspect('any')).rejects.toMatchObject({
        code: 'RUNTIME_TIMED_OUT',
      });
    } finally {
      containerd.resume();
    }
    expect(await harness.execute(id, 'echo awake')).toBe('awake\n');
  });

  test('a sandbox of an earlier podkeep takes new containers, in its own control group', async () => {
    const before = await CriBench.open(containerd);
    const sandbox = await before.runSandbox({
      podUid: 'older',
      security: { isPrivileged: true, supplementalGroups: [], seccomp: 'runtime/default' },
    });
    await before.runtime.close();
    const harness = await bench();
    const security = { ...SECURITY, isPrivileged: true };
    const script = `grep CapEff /proc/self/status; ${FOREVER}`;
    const id = await harness.start(script, { logPath: 'main/0.log', security }, sandbox);
    const log = path.join(before.folder, 'older/main/0.log');
    await harness.wait('its words', () => readFileSync(log, 'utf8').includes('CapEff'));
    // Privileged containers have everything that this machine has, and so do we.
    const ours = /CapEff:\s+(\w+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    expect(readFileSync(log, 'utf8')).toContain(ours);
    const group = `${containerd.cgroupRoot}/older/${id.replace('containerd://', '')}`;
    const places = ['/sys/fs/cgroup', '/sys/fs/cgroup/memory'];
    expect(places.some((place) => existsSync(`${place}${group}`))).toBe(true);
    const pod = await harness.runtime.inspect('older');
    expect(pod.containers).toMatchObject([{ id, sandboxID: sandbox, name: 'main' }]);
  });

  test('many slow stops do not delay other calls', async () => {
    const harness = await bench(10_000);
    const { runtime } = harness;
    const id = await harness.start('trap "" TERM; echo ready; while :; do sleep 1000; done');
    const stops = Array.from({ length: 150 }, () => runtime.stopContainer(id, 600, NEVER));
    expect(await runtime.version()).toMatchObject({ name: 'containerd' });
    expect((await harness.container(id)).state).toBe('running');
    await runtime.stopContainer(id, 0, NEVER);
    await Promise.all(stops);
    expect((await harness.container(id)).exitCode).toBe(137);
  });

  test('logs are in the folder that the sandbox names', async () => {
    const harness = await bench();
    const sandbox = await harness.runSandbox({ podUid: 'talks' });
    const id = await harness.start('echo words', { logPath: 'deep/in/0.log' }, sandbox);
    await harness.exited(id);
    expect(readFileSync(path.join(harness.folder, 'talks/deep/in/0.log'), 'utf8')).toContain(
      'words',
    );
  });
});
