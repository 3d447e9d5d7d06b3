import { describe, expect, test } from 'vitest';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import { container, podOf, sidecar } from '../../../test/support/pod-parts.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { probeErrored, probePortUnknown, type ProbeAnswer } from './answer.ts';
import { networkProbes, type AskContainer } from './probe-clients.ts';
import type { Probe } from './probe-spec.ts';
import { runProbe } from './prober.ts';

const POD = podOf({ initContainers: [sidecar('side')] });
const REFERENCE = { name: 'web', namespace: 'default', uid: 'uid-1' };

async function run(
  answer: () => ProbeAnswer,
  { probe = {}, name = 'c', signal = new AbortController().signal } = {},
) {
  const events: string[] = [];
  let tries = 0;
  const recorder: EventRecorder = {
    record: (about, type, reason, message) => {
      const place = 'fieldPath' in about ? String(about.fieldPath) : about.name;
      events.push(`${place} ${type} ${reason}: ${message}`);
    },
  };
  const ask: AskContainer = async () => {
    tries += 1;
    return answer();
  };
  const ports = { log: silentLog, events: recorder, ask };
  const question = {
    pod: REFERENCE,
    status: {},
    container: container(name),
    containerID: 'x',
    probe,
  };
  const outcome = await runProbe(ports, { pod: POD, kind: 'readiness' }, question, signal);
  return { outcome, events, tries };
}

function fail(error: Error): () => never {
  return () => {
    throw error;
  };
}

describe('Events', () => {
  test('none for a success', async () => {
    const answer = (): ProbeAnswer => ({ result: 'success', output: 'fine' });
    expect(await run(answer)).toEqual({ outcome: 'success', events: [], tries: 1 });
  });

  test('the output of a failure, as recorded from a kubelet', async () => {
    const { outcome, events } = await run(() => ({ result: 'failure', output: 'not yet\n' }));
    expect(outcome).toBe('failure');
    expect(events).toEqual([
      'spec.containers{c} Warning Unhealthy: Readiness probe failed: not yet\n',
    ]);
  });

  test('a warning, which is a success (KL-74)', async () => {
    const { outcome, events } = await run(() => ({ result: 'warning', output: 'moved' }));
    expect(outcome).toBe('success');
    expect(events).toEqual([
      'spec.containers{c} Warning ProbeWarning: Readiness probe warning: moved',
    ]);
  });

  test('a sidecar is referenced as an init container', async () => {
    const { events } = await run(() => ({ result: 'failure', output: '' }), { name: 'side' });
    expect(events).toEqual([
      'spec.initContainers{side} Warning Unhealthy: Readiness probe failed: ',
    ]);
  });
});

describe('errors', () => {
  test('are tried three times, and recorded once (KL-71)', async () => {
    const error = probePortUnknown({ message: 'invalid port number: 0' });
    expect(await run(fail(error))).toEqual({
      outcome: 'errored',
      tries: 3,
      events: [
        'spec.containers{c} Warning Unhealthy: Readiness probe errored and resulted in unknown state: invalid port number: 0',
      ],
    });
  });

  test('a response that broke off is called a failure', async () => {
    const error = probeErrored({ message: 'unexpected EOF' });
    const { events } = await run(fail(error), { probe: { httpGet: { port: 80 } } });
    expect(events).toEqual([
      'spec.containers{c} Warning Unhealthy: Readiness probe errored and resulted in failure state: unexpected EOF',
    ]);
  });

  test('an error that goes away is not recorded', async () => {
    let tries = 0;
    const answer = (): ProbeAnswer => {
      tries += 1;
      if (tries < 3) throw new Error('not now');
      return { result: 'success', output: '' };
    };
    expect(await run(answer)).toMatchObject({ outcome: 'success', events: [] });
  });

  test('once the signal is aborted, nothing is recorded', async () => {
    const signal = AbortSignal.abort();
    const answer = (): ProbeAnswer => ({ result: 'failure', output: '' });
    for (const each of [answer, fail(new Error('gone'))]) {
      expect(await run(each, { signal })).toEqual({ outcome: 'errored', events: [], tries: 1 });
    }
  });
});

describe('the kinds of probes', () => {
  const commands: (readonly string[])[] = [];
  const ask = networkProbes(new VirtualClock(), {
    execSync: async (_id, { command }) => {
      commands.push(command);
      return { stdout: new Uint8Array(), stderr: new Uint8Array(), exitCode: 0 };
    },
  });
  const question = (probe: Probe) => ({
    pod: REFERENCE,
    status: { podIP: '127.0.0.1' },
    container: { ...container('c'), env: [{ name: 'A', value: '1' }] },
    containerID: 'x',
    probe,
  });
  const signal = new AbortController().signal;

  test('with a command, in which variables of the spec are expanded', async () => {
    const probe: Probe = { exec: { command: ['test', '$(A)', '$(B)'] } };
    expect(await ask(question(probe), signal)).toMatchObject({ result: 'success' });
    expect(commands).toEqual([['test', '1', '$(B)']]);
  });

  test.each<[Probe, RegExp]>([
    [{ httpGet: { port: 1, path: '/' } }, /^Get "http:\/\/127\.0\.0\.1:1\/": dial tcp 127/],
    [{ tcpSocket: { port: 1 } }, /^dial tcp 127\.0\.0\.1:1: connect: connection refused$/],
    [{ tcpSocket: { port: 1, host: '127.0.0.2' } }, /^dial tcp 127\.0\.0\.2:1: connect/],
  ])('over the network: %j', async (probe, words) => {
    const { result, output } = await ask(question(probe), signal);
    expect([result, output]).toEqual(['failure', expect.stringMatching(words)]);
  });

  test('a probe without a handler is an error', async () => {
    await expect(ask(question({}), signal)).rejects.toThrow(
      'missing probe handler for web_default(uid-1):c',
    );
  });
});
