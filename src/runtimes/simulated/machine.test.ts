import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { ContainerConfig } from '../../ports/runtime/container-config.ts';
import type { SandboxConfig } from '../../ports/runtime/sandbox-config.ts';
import { withFault, type RuntimeFault } from './faults.ts';
import { SimulatedMachine } from './machine.ts';
import type { ContainerScript } from './script.ts';

const NEVER = new AbortController().signal;

function harness(script: ContainerScript = {}) {
  const clock = new VirtualClock();
  const machine = new SimulatedMachine({ clock, scripts: () => script });
  const sandbox = (podUid: string, attempt = 0): string =>
    machine.runSandbox({ podUid, attempt, podName: podUid, logFolder: '/l' } as SandboxConfig);
  const start = (sandboxId: string, attempt = 0) => {
    const config = { name: 'main', attempt, logPath: '0.log', resources: {} } as ContainerConfig;
    const container = machine.createContainer(sandboxId, config);
    container.start();
    return container;
  };
  return { clock, machine, sandbox, start };
}

test('a container lives by the clock, even while no runtime is open', async () => {
  const { clock, sandbox, start } = harness({
    lifeMs: 3_600_000,
    exitCode: 4,
    terminationMessage: 'bye',
    output: [{ afterMs: 1000, text: 'hello' }],
  });
  const container = start(sandbox('a'));
  await clock.pass(3_599_999);
  expect(container.state).toBe('running');
  expect(container.log.map(({ text }) => text)).toEqual(['hello']);
  await clock.pass(1);
  expect(container.view()).toMatchObject({ state: 'exited', exitCode: 4, reason: 'Error' });
  expect(container.terminationMessage).toBe('bye');
});

test('nothing of a container happens after its end', async () => {
  const { clock, sandbox, start } = harness({
    lifeMs: 5000,
    output: [{ afterMs: 3000, text: 'x' }],
  });
  const container = start(sandbox('a'));
  container.stop(10_000);
  await container.ended(NEVER);
  expect(clock.pending).toBe(0);
  await clock.pass(10_000);
  expect(container.log).toEqual([]);
  expect(container.view().exitCode).toBe(143);
});

test('addresses are released and reused, but not immediately', () => {
  const { machine, sandbox } = harness();
  const first = sandbox('a');
  const ip = machine.inspect('a').ips[0];
  machine.stopSandbox(first);
  sandbox('b');
  expect(machine.inspect('b').ips[0]).not.toBe(ip);
});

test('a used attempt cannot be used again', () => {
  const { machine, sandbox, start } = harness();
  const id = sandbox('a');
  start(id).exit(0);
  expect(() => start(id)).toThrow('attempt 0 was made');
  machine.stopSandbox(id);
  expect(() => sandbox('a')).toThrow('it was stopped');
  expect(() => start(id, 1)).toThrow('was stopped');
});

test('a container that is lost is neither running nor ended, until it is stopped', async () => {
  const { sandbox, start } = harness();
  const container = start(sandbox('a'));
  container.lose();
  expect(container.view().state).toBe('unknown');
  container.stop(1000);
  await container.ended(NEVER);
  expect(container.state).toBe('exited');
});

test('a reboot ends everything, and forgets nothing', () => {
  const { machine, sandbox, start } = harness();
  const container = start(sandbox('a'));
  machine.reboot();
  expect(container.view()).toMatchObject({ state: 'exited', exitCode: 137 });
  expect(machine.inspect('a').sandboxes).toMatchObject([{ ready: false }]);
});

async function attempt(fault: RuntimeFault, signal?: AbortSignal) {
  const clock = new VirtualClock();
  let effects = 0;
  const outcome = withFault({ faults: () => fault, clock }, 'list', '', signal, () => {
    effects += 1;
    return 'done';
  }).catch(String);
  await clock.pass(1000);
  return { outcome, effects: () => effects };
}

test('a fault comes before the effect, or only loses the answer', async () => {
  const before = await attempt({ error: 'no' });
  expect([await before.outcome, before.effects()]).toEqual(['PodkeepError: no', 0]);
  const after = await attempt({ error: 'no', afterEffect: true });
  expect([await after.outcome, after.effects()]).toEqual(['PodkeepError: no', 1]);
  const late = await attempt({ delayMs: 1000 });
  expect([await late.outcome, late.effects()]).toEqual(['done', 1]);
});

test('a call that hangs can be aborted', async () => {
  const abort = new AbortController();
  const { outcome, effects } = await attempt({ hangs: true }, abort.signal);
  abort.abort(new Error('gone'));
  expect([await outcome, effects()]).toEqual(['Error: gone', 0]);
});
