/** A real `podkeep up` whose event loop hangs: the supervisor restarts it, and its containers do not notice. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { KubeconfigClient, PodkeepUp } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const PERL = '/usr/bin/perl';
const ROOT = path.join(import.meta.dirname, '..', '..');
const SUPERVISOR = path.join(ROOT, 'src/lib/syscall-helper/program/supervisor.pl');
const POD = '/api/v1/namespaces/default/pods/web';

interface Seen {
  readonly code: number;
  readonly ready: boolean;
  readonly container: string;
  readonly restarts: number;
}

async function look(client: KubeconfigClient): Promise<Seen> {
  const { code, body } = await client.send('GET', POD);
  const { status } = body as {
    status?: { containerStatuses?: readonly Record<string, unknown>[] };
  };
  const [first = {}] = status?.containerStatuses ?? [];
  const { ready, containerID, restartCount } = first;
  return {
    code,
    ready: ready === true,
    container: String(containerID),
    restarts: Number(restartCount ?? 0),
  };
}

function processOf(up: PodkeepUp): number {
  const pid = up.child.pid ?? 0;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}

test.skipIf(!existsSync(PERL) || !existsSync('/proc/self/stat'))(
  'a hang is noticed and the node restarted within 30 s; its container and its status stay',
  { timeout: 180_000 },
  async () => {
    const folder = makeTempFolder();
    const data = path.join(folder, 'data');
    const args = ['--data-dir', data, '--port', '0', '--output', 'json', '--name', 'n1'];
    const up = new PodkeepUp(args, process.env, [PERL, SUPERVISOR]);
    await up.event('node');
    const client = new KubeconfigClient(path.join(data, 'kubeconfig'));
    const command = ['sh', '-c', 'echo started; exec sleep 600'];
    const containers = [{ name: 'c', image: 'sh', command }];
    const pod = {
      metadata: { name: 'web' },
      spec: { containers, terminationGracePeriodSeconds: 1 },
    };
    expect((await client.send('POST', path.dirname(POD), pod)).code).toBe(201);
    await expect.poll(async () => (await look(client)).ready, { timeout: 30_000 }).toBe(true);
    const before = await look(client);
    const hung = processOf(up);
    process.kill(hung, 'SIGSTOP');
    await expect
      .poll(() => up.events().filter(({ event }) => event === 'node').length, { timeout: 30_000 })
      .toBe(2);
    expect(processOf(up)).not.toBe(hung);
    const again = new KubeconfigClient(path.join(data, 'kubeconfig'));
    expect(await look(again)).toEqual(before);
    const log = await again.send('GET', `${POD}/log`);
    expect(log.text).toBe('started\n');
    const record: unknown = JSON.parse(readFileSync(path.join(data, 'supervisor.jsonl'), 'utf8'));
    expect(record).toMatchObject({ reason: 'hang', process: hung, signal: 'SIGKILL', attempt: 1 });
    const metrics = await again.send('GET', '/api/v1/nodes/n1/proxy/metrics');
    expect(metrics.text).toContain('podkeep_supervisor_restarts_total{reason="hang"} 1\n');
    await expect
      .poll(async () => (await again.send('GET', '/api/v1/events')).text, { timeout: 10_000 })
      .toContain('"reason":"KubeletRestarted"');
    expect((await again.send('GET', '/readyz?verbose')).text).toContain('[+]housekeeping ok\n');
    up.child.kill('SIGTERM');
    expect(await up.ended).toEqual({ code: 0, signal: null });
    expect(existsSync(path.join(data, 'supervisor.pid'))).toBe(false);
  },
);
