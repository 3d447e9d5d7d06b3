/** Workloads by `podkeep up` alone, driven by the real kubectl on simulated pods. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectlOrThrow } from './support/kubectl.ts';
import { PodkeepUp } from './support/podkeep-up.ts';
import { SimulatedNode } from './support/simulated-node.ts';
import { waitFor } from './support/patience.ts';

const NODE = 'paper-node';
const WAIT_MS = 30_000;

let server: PodkeepUp | undefined;
let node: SimulatedNode | undefined;

beforeAll(async () => {
  server = await PodkeepUp.start();
  node = await SimulatedNode.start(NODE, server.kubeconfig);
});

afterAll(async () => {
  await node?.stop();
  await server?.stop();
});

test('a deployment is created, updated, undone and scaled', async () => {
  await kubectl('create deployment web --image=web:1 --replicas=3');
  await rolledOut();
  await kubectl('set image deployment/web web=web:2');
  await rolledOut();
  await kubectl('rollout undo deployment/web');
  await rolledOut();
  await kubectl('scale deployment web --replicas=4');
  await rolledOut();
  await eventually('four pods of the first image', async () => {
    const images = await kubectl(
      'get pods -l app=web -o jsonpath={.items[*].spec.containers[0].image}',
    );
    expect(images).toBe('web:1 web:1 web:1 web:1');
  });
});

test('a budget limits how many pods may be evicted', async () => {
  await kubectl('create poddisruptionbudget web --selector=app=web --min-available=3');
  await eventually('the budget', async () => {
    const path = '{.status.disruptionsAllowed}/{.status.expectedPods}';
    expect(await kubectl(`get pdb web -o jsonpath=${path}`)).toBe('1/4');
  });
});

test('a job runs to its end', async () => {
  await kubectl('create -f -', JOB);
  await kubectl('wait --for=condition=Complete job/once --timeout=30s');
  expect(await kubectl('get job once -o jsonpath={.status.succeeded}')).toBe('1');
});

test('a service finds the pods behind it, and forgets those that go', async () => {
  await kubectl('expose deployment web --port=80 --target-port=8080');
  const slices = 'get endpointslices -l kubernetes.io/service-name=web -o jsonpath=';
  await eventually('four ready endpoints', async () => {
    const ready = await kubectl(`${slices}{.items[*].endpoints[*].conditions.ready}`);
    expect(ready).toBe('true true true true');
    expect(await kubectl(`${slices}{.items[*].ports[*].port}`)).toBe('8080');
  });
  await kubectl('scale deployment web --replicas=3');
  await eventually('three addresses', async () => {
    const path = '{.subsets[*].addresses[*].targetRef.kind}';
    expect(await kubectl(`get endpoints web -o jsonpath=${path}`)).toBe('Pod Pod Pod');
  });
  await kubectl('delete service web');
  await eventually('no endpoints', async () => {
    const left = 'get endpointslices,endpoints -o jsonpath={.items[*].metadata.name}';
    expect(await kubectl(left)).not.toContain('web');
  });
});

test('an autoscaler finds its target, and keeps it within the bounds', async () => {
  await kubectl('autoscale deployment web --min=4 --max=6 --cpu=50%');
  await eventually('four replicas', async () => {
    expect(await kubectl('get deployment web -o jsonpath={.spec.replicas}')).toBe('4');
    const path = '{.status.conditions[?(@.type=="AbleToScale")].status}';
    expect(await kubectl(`get hpa web -o jsonpath=${path}`)).toBe('True');
  });
  await kubectl('delete hpa web');
});

test('a cron job starts jobs, which go with it', async () => {
  await kubectl('create -f -', CRON_JOB);
  await eventually('a finished run', async () => {
    const last = await kubectl('get cronjob tick -o jsonpath={.status.lastSuccessfulTime}');
    expect(last).not.toBe('');
  });
  await kubectl('delete cronjob tick');
  await eventually('no jobs of it', async () => {
    expect(await kubectl('get jobs -o name')).not.toContain('tick');
  });
});

test('a deleted deployment takes its pods with it', async () => {
  await kubectl('delete deployment web');
  await eventually('nothing to be left', async () => {
    expect(await kubectl('get replicasets,pods -l app=web -o name')).toBe('');
  });
});

test('a stateful set is created in order, updated, undone, restarted and scaled', async () => {
  await kubectl('create -f -', STATEFUL_SET);
  await settled('statefulset/db');
  expect(await podsOf('db')).toEqual(['db-0=db:1', 'db-1=db:1', 'db-2=db:1']);
  await kubectl('set image statefulset/db db=db:2');
  await settled('statefulset/db');
  expect(await podsOf('db')).toEqual(['db-0=db:2', 'db-1=db:2', 'db-2=db:2']);
  expect(revisionsIn(await kubectl('rollout history statefulset/db'))).toEqual(['1', '2']);
  expect(await kubectl('rollout history statefulset/db --revision=1')).toContain('db:1');
  expect(await kubectl('rollout undo statefulset/db')).toContain('rolled back');
  await settled('statefulset/db');
  expect(await podsOf('db')).toEqual(['db-0=db:1', 'db-1=db:1', 'db-2=db:1']);
  expect(revisionsIn(await kubectl('rollout history statefulset/db'))).toEqual(['2', '3']);
  expect(await kubectl('rollout undo statefulset/db --to-revision=3')).toContain(
    'skipped rollback',
  );
  const before = await kubectl('get pod db-0 -o jsonpath={.metadata.uid}');
  await kubectl('rollout restart statefulset/db');
  await settled('statefulset/db');
  expect(await kubectl('get pod db-0 -o jsonpath={.metadata.uid}')).not.toBe(before);
  await kubectl('scale statefulset db --replicas=1');
  await eventually('one pod', async () => expect(await podsOf('db')).toEqual(['db-0=db:1']));
  expect(await kubectl('describe statefulset db')).toContain(
    'Create Pod db-0 in StatefulSet db successful',
  );
  await kubectl('delete statefulset db');
  await eventually('nothing to be left', async () => {
    expect(await kubectl('get controllerrevisions,pods -l app=db -o name')).toBe('');
  });
});

test('a stateful set has claims, which go with it if it says so', async () => {
  await kubectl('create -f -', CLAIMING);
  await eventually('the claim', async () => {
    const path = '{.items[*].metadata.name}/{.items[0].metadata.ownerReferences[0].kind}';
    const claims = await kubectl(`get pvc -l app=store -o jsonpath=${path}`);
    expect(claims).toBe('data-store-0/StatefulSet');
  });
  // No volume is bound to the claim, so the pod waits.
  expect(await podsOf('store')).toEqual(['store-0=store:1']);
  await kubectl('delete statefulset store');
  await eventually('nothing to be left', async () => {
    expect(await kubectl('get pvc,pods -l app=store -o name')).toBe('');
  });
});

test('a daemon set runs on every node, is updated, undone and restarted', async () => {
  const second = await SimulatedNode.start('second-node', kubeconfig());
  try {
    await kubectl('create -f -', DAEMON_SET);
    await settled('daemonset/agent');
    expect(await nodesOf('agent')).toEqual(['paper-node', 'second-node']);
    await kubectl('set image daemonset/agent agent=agent:2');
    await settled('daemonset/agent');
    expect(revisionsIn(await kubectl('rollout history daemonset/agent'))).toEqual(['1', '2']);
    expect(await kubectl('rollout undo daemonset/agent')).toContain('rolled back');
    await settled('daemonset/agent');
    expect((await podsOf('agent')).map((pod) => pod.split('=')[1])).toEqual(['agent:1', 'agent:1']);
    expect(await kubectl('rollout undo daemonset/agent --to-revision=3')).toContain(
      'skipped rollback',
    );
    await kubectl('rollout restart daemonset/agent');
    await settled('daemonset/agent');
    await kubectl('taint node second-node busy=yes:NoExecute');
    await eventually('one node', async () => {
      expect(await nodesOf('agent')).toEqual(['paper-node']);
    });
    await kubectl('delete daemonset agent');
    await eventually('nothing to be left', async () => {
      expect(await kubectl('get controllerrevisions,pods -l app=agent -o name')).toBe('');
    });
  } finally {
    await second.stop();
  }
});

const STATEFUL_SET = `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  replicas: 3
  serviceName: db
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec:
      containers: [{ name: db, image: 'db:1' }]
`;

const CLAIMING = `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: store }
spec:
  serviceName: store
  selector: { matchLabels: { app: store } }
  persistentVolumeClaimRetentionPolicy: { whenDeleted: Delete }
  template:
    metadata: { labels: { app: store } }
    spec:
      containers: [{ name: store, image: 'store:1' }]
  volumeClaimTemplates:
  - metadata: { name: data }
    spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`;

const DAEMON_SET = `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template:
    metadata: { labels: { app: agent } }
    spec:
      containers: [{ name: agent, image: 'agent:1' }]
`;

const JOB = `
apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: once, image: 'once:1' }]
`;

const CRON_JOB = `
apiVersion: batch/v1
kind: CronJob
metadata: { name: tick }
spec:
  schedule: '@every 3s'
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{ name: once, image: 'once:1' }]
`;

async function rolledOut(): Promise<void> {
  const text = await kubectl('rollout status deployment/web --timeout=30s');
  expect(text).toContain('successfully rolled out');
}

/** kubectl prints another sentence for StatefulSets than for DaemonSets. */
async function settled(what: string): Promise<void> {
  const text = await kubectl(`rollout status ${what} --timeout=30s`);
  expect(text).toMatch(/partitioned roll out complete|successfully rolled out/);
}

/** As `db-0=db:1`. */
async function podsOf(app: string): Promise<readonly string[]> {
  const path = '{range.items[*]}{.metadata.name}={.spec.containers[0].image}{"\\n"}{end}';
  const text = await kubectl(`get pods -l app=${app} -o jsonpath=${path}`);
  return text.split('\n').filter((line) => line !== '');
}

async function nodesOf(app: string): Promise<readonly string[]> {
  const path = '{.items[*].spec.nodeName}';
  return (await kubectl(`get pods -l app=${app} -o jsonpath=${path}`)).split(' ').toSorted();
}

/** The numbers of `kubectl rollout history`. */
function revisionsIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => /^[0-9]+/.exec(line)?.[0] ?? []);
}

function kubeconfig(): string {
  if (!server) throw new Error('the server did not start');
  return server.kubeconfig;
}

function kubectl(line: string, stdin?: string): Promise<string> {
  if (!server) throw new Error('the server did not start');
  return kubectlOrThrow(server, line, stdin);
}

/** Until `attempt` no longer throws. */
async function eventually(what: string, attempt: () => Promise<unknown>): Promise<void> {
  await waitFor({ what, deadlineMs: WAIT_MS, explain: () => '' }, async () => {
    await attempt();
    return true;
  });
}
