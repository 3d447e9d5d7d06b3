/**
 * An operator written with controller-runtime, as a process against the embedded server: only the objects
 * show what it does.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningApiServer } from './support/api-server.ts';
import { startChosenServer } from './support/chosen-server.ts';
import type { Daemon } from './support/daemon.ts';
import { kubectlOrThrow } from './support/kubectl.ts';
import { buildOperator, OPERATOR_CRD, startOperator } from './support/operator.ts';
import { waitFor } from './support/patience.ts';

const WAIT_MS = 60_000;
/** The first build fetches and compiles the dependencies of controller-runtime. */
const BUILD_MS = 900_000;

let server: RunningApiServer | undefined;
let program = '';
const operators = new Map<string, Daemon>();

beforeAll(async () => {
  program = await buildOperator();
  server = await startChosenServer();
  await kubectl(`apply -f ${OPERATOR_CRD}`);
  await kubectl('wait --for=condition=Established crd/lighthouses.coast.podkeep.dev --timeout=30s');
}, BUILD_MS);

afterAll(async () => {
  for (const operator of operators.values()) await operator.stop();
  await server?.stop();
});

test('it wins the election when it is alone', async () => {
  start('ann');
  await eventually('a leader', async () => expect(await leader()).toMatch(/./));
});

test('it lights a new lighthouse, and reports that in its status', async () => {
  await kubectl('create -f -', lighthouse('pharos', 'white'));
  await kubectl('wait --for=condition=Lit lighthouse/pharos --timeout=60s');
  expect(await field('configmap/pharos-lamp', '{.data.colour}')).toBe('white');
  expect(await field('lighthouse/pharos', '{.metadata.finalizers[0]}')).toBe(
    'coast.podkeep.dev/keeper',
  );
  expect(await field('lighthouse/pharos', '{.status.observedGeneration}/{.status.keeper}')).toBe(
    '1/ann',
  );
});

test('the lamp belongs to its lighthouse', async () => {
  const owner = '{.metadata.ownerReferences[0]';
  const uid = await field('lighthouse/pharos', '{.metadata.uid}');
  expect(await field('configmap/pharos-lamp', `${owner}.uid}/${owner}.controller}`)).toBe(
    `${uid}/true`,
  );
});

test('a change of the spec reaches the lamp and comes back as a status', async () => {
  await kubectl('patch lighthouse pharos --type=merge -p {"spec":{"colour":"red"}}');
  await eventually('the new colour', async () => {
    expect(await field('configmap/pharos-lamp', '{.data.colour}')).toBe('red');
    expect(await field('lighthouse/pharos', '{.status.observedGeneration}/{.status.colour}')).toBe(
      '2/red',
    );
  });
});

test('its own status update does not count as a new generation', async () => {
  expect(await field('lighthouse/pharos', '{.metadata.generation}')).toBe('2');
});

test('a lamp that a user deletes is created again', async () => {
  const before = await field('configmap/pharos-lamp', '{.metadata.uid}');
  await kubectl('delete configmap pharos-lamp');
  await eventually('another lamp', async () => {
    expect(await field('configmap/pharos-lamp', '{.metadata.uid}')).not.toBe(before);
  });
});

test('it records its actions as events', async () => {
  await eventually('the event', async () => {
    expect(await kubectl('events --for=lighthouse/pharos')).toContain('lamp created');
  });
});

test('the next candidate takes over when the leader goes', async () => {
  start('bob');
  const first = await leader();
  await operators.get('ann')?.stop('SIGKILL');
  await eventually('another leader', async () => expect(await leader()).not.toBe(first));
  await kubectl('create -f -', lighthouse('skerry', 'green'));
  await eventually('its work', async () => {
    expect(await field('lighthouse/skerry', '{.status.keeper}')).toBe('bob');
  });
});

test('a lighthouse goes only after its finalizer was removed, and its lamp goes with it', async () => {
  await kubectl('delete lighthouse pharos --timeout=60s');
  expect(await field('configmap/logbook', '{.data.pharos}')).toBe('bob');
  await eventually('the lamp to be gone', async () => {
    expect(await kubectl('get configmaps -o name')).not.toContain('pharos-lamp');
  });
  expect(await field('configmap/skerry-lamp', '{.data.colour}')).toBe('green');
});

function start(name: string): void {
  if (server) operators.set(name, startOperator(program, name, server));
}

function lighthouse(name: string, colour: string): string {
  return `apiVersion: coast.podkeep.dev/v1
kind: Lighthouse
metadata: { name: ${name} }
spec: { colour: ${colour} }
`;
}

function leader(): Promise<string> {
  return field('lease/lighthouse-keeper', '{.spec.holderIdentity}');
}

function field(object: string, template: string): Promise<string> {
  return kubectl(`get ${object} -o jsonpath=${template}`);
}

function kubectl(line: string, stdin?: string): Promise<string> {
  if (!server) throw new Error('the server did not start');
  return kubectlOrThrow(server, line, stdin);
}

/** Until `attempt` no longer throws; what it threw last is the reason given. */
async function eventually(what: string, attempt: () => Promise<unknown>): Promise<void> {
  const explain = (): string => [...operators.values()].map(({ tail }) => tail).join('\n');
  await waitFor({ what, deadlineMs: WAIT_MS, explain }, async () => {
    await attempt();
    return true;
  });
}
