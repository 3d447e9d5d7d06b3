/**
 * The real kube-controller-manager and kube-scheduler against the embedded server: the whole life of a
 * Deployment, with a simulated node that reports what a kubelet would report.
 */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningApiServer } from './support/api-server.ts';
import { startChosenServer } from './support/chosen-server.ts';
import { startControllerManager, startScheduler } from './support/controller-manager.ts';
import type { Daemon } from './support/daemon.ts';
import { kubectlOrThrow } from './support/kubectl.ts';
import { waitFor } from './support/patience.ts';
import { SimulatedNode } from './support/simulated-node.ts';

const WAIT_MS = 60_000;
const NODE = 'paper-node';
const SCHEDULER = 'kube-scheduler';

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      schedulerName: ${SCHEDULER}
      containers: [{ name: web, image: 'web:1' }]
`;

const JOB = `
apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec:
  template:
    spec:
      schedulerName: ${SCHEDULER}
      restartPolicy: Never
      containers: [{ name: once, image: 'once:1' }]
`;

let server: RunningApiServer | undefined;
let node: SimulatedNode | undefined;
const daemons: Daemon[] = [];

beforeAll(async () => {
  server = await startChosenServer();
  const { kubeconfig } = server;
  const folder = path.join(server.folder, 'beside');
  // It elects a leader: podkeep's own workload controllers act only while it does not lead.
  const more = ['--leader-elect=true'];
  daemons.push(await startControllerManager({ kubeconfig, folder, controllers: ['*'], more }));
  daemons.push(await startScheduler(kubeconfig, folder, SCHEDULER));
  node = await SimulatedNode.start(NODE, kubeconfig);
});

afterAll(async () => {
  await node?.stop();
  for (const daemon of daemons.toReversed()) await daemon.stop();
  await server?.stop();
});

test('a deployment rolls out to pods that the scheduler binds to the node', async () => {
  await kubectl('create -f -', DEPLOYMENT);
  expect(await kubectl('rollout status deployment/web --timeout=60s')).toContain(
    'successfully rolled out',
  );
  expect(await podsOf('app=web', '{.spec.nodeName}/{.status.phase}')).toEqual([
    `${NODE}/Running`,
    `${NODE}/Running`,
    `${NODE}/Running`,
  ]);
});

test('one of the two controller managers leads, and no pod was created twice', async () => {
  const holder = await kubectl(
    '-n kube-system get lease kube-controller-manager -o jsonpath={.spec.holderIdentity}',
  );
  expect(holder).not.toBe('');
  const created = await lines('get events -o jsonpath={range.items[*]}{.reason}{"\\n"}{end}');
  expect(created.filter((reason) => reason === 'SuccessfulCreate')).toHaveLength(3);
});

test('a service in front of it knows the addresses of its pods', async () => {
  await kubectl('expose deployment web --port=80');
  const addresses = await podsOf('app=web', '{.status.podIP}');
  await eventually('the endpoints', async () => {
    const known = await lines(
      'get endpointslices -l kubernetes.io/service-name=web -o jsonpath={range.items[*].endpoints[*]}{.addresses[0]}{"\\n"}{end}',
    );
    expect(known.toSorted()).toEqual(addresses.toSorted());
  });
});

test('scaled up it has more pods, scaled down fewer', async () => {
  await kubectl('scale deployment web --replicas=5');
  await eventually('five pods', async () => {
    expect(await podsOf('app=web', '{.status.phase}')).toEqual(Array(5).fill('Running'));
  });
  await kubectl('scale deployment web --replicas=1');
  await eventually('one pod', async () => expect(await podsOf('app=web', 'x')).toHaveLength(1));
});

test('a new template replaces every pod, and undoing it brings the old one back', async () => {
  await kubectl('set image deployment/web web=web:2');
  await kubectl('rollout status deployment/web --timeout=60s');
  await eventually('the new image', async () => {
    expect(await podsOf('app=web', '{.spec.containers[0].image}')).toEqual(['web:2']);
  });
  expect(await lines('get replicasets -l app=web -o name')).toHaveLength(2);
  await kubectl('rollout undo deployment/web');
  await kubectl('rollout status deployment/web --timeout=60s');
  await eventually('the old image', async () => {
    expect(await podsOf('app=web', '{.spec.containers[0].image}')).toEqual(['web:1']);
  });
});

test('a deleted deployment takes its replica sets and pods with it', async () => {
  await kubectl('delete deployment web');
  await eventually('nothing to be left', async () => {
    expect(await lines('get replicasets,pods -l app=web -o name')).toEqual([]);
  });
});

test('a job runs to its end', async () => {
  await kubectl('create -f -', JOB);
  await kubectl('wait --for=condition=Complete job/once --timeout=60s');
  expect(await kubectl('get job once -o jsonpath={.status.succeeded}')).toBe('1');
});

test('a pod that fits on no node gets an event', async () => {
  await kubectl(
    `run heavy --image=heavy:1 --overrides={"spec":{"schedulerName":"${SCHEDULER}","nodeSelector":{"nobody":"has-this"}}}`,
  );
  await eventually('the event', async () => {
    expect(await kubectl('events --for=pod/heavy')).toContain('FailedScheduling');
  });
});

function kubectl(line: string, stdin?: string): Promise<string> {
  if (!server) throw new Error('the server did not start');
  return kubectlOrThrow(server, line, stdin);
}

async function lines(line: string): Promise<readonly string[]> {
  return (await kubectl(line)).split('\n').filter((text) => text !== '');
}

/** One line for each pod, with the fields of its template. */
function podsOf(selector: string, template: string): Promise<readonly string[]> {
  return lines(
    `get pods -l ${selector} -o jsonpath={range.items[*]}{"-"}${template}{"\\n"}{end}`,
  ).then((found) => found.map((text) => text.slice(1)));
}

/** Until `attempt` no longer throws; what it threw last is the reason given. */
async function eventually(what: string, attempt: () => Promise<unknown>): Promise<void> {
  const explain = (): string => daemons.map(({ tail }) => tail).join('\n');
  await waitFor({ what, deadlineMs: WAIT_MS, explain }, async () => {
    await attempt();
    return true;
  });
}
