/** Pods that are really stuck, on a virtual node: each situation brings its node and its pod, and waits. */
import { chooseControllers } from '../../src/apiserver/controllers/chosen-controllers.ts';
import type { Transport } from '../../src/client/transport/transport.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import type { PodDiskUsage } from '../../src/ports/pod/pod-disk-usage.ts';
import { at, podOf } from '../kubelet/node/node-test.ts';
import type { VirtualNode, VirtualNodeOptions } from '../kubelet/node/virtual-node.ts';
import { scriptsOf } from '../../src/runtimes/simulated/script.ts';

export interface StuckPod {
  readonly options?: VirtualNodeOptions;
  readonly play: (node: VirtualNode) => Promise<void>;
  /** What is explained; by default `pod/web`. */
  readonly subject?: string;
  /** The node's agent is not podkeep. */
  readonly isForeign?: boolean;
}

const SECOND = 1000;
const MAIN = { name: 'main', image: 'app:1' };
const PERIOD = { periodSeconds: 5 };
const REFUSED = { exec: () => ({ exitCode: 1, stderr: 'connection refused' }) };

/** Creates `web` and lets time pass. */
function pod(spec: JsonObject, seconds: number, metadata: JsonObject = {}) {
  return async (node: VirtualNode): Promise<void> => {
    await node.cluster.createPod(podOf('web', { containers: [MAIN], ...spec }, metadata));
    await node.pass(seconds * SECOND);
  };
}

/** The same, then deletes it. */
function deleted(spec: JsonObject, seconds: number, metadata: JsonObject = {}) {
  return async (node: VirtualNode): Promise<void> => {
    await pod(spec, 5, metadata)(node);
    await node.cluster.deletePod(at('web'));
    await node.pass(seconds * SECOND);
  };
}

const cable = {
  isCut: false,
  wrap: (inner: Transport): Transport => ({
    close: () => inner.close(),
    send: async (request, signal) => {
      if (cable.isCut) throw new Error('connect ECONNREFUSED 10.0.0.1:6443');
      return inner.send(request, signal);
    },
  }),
};

const usage = { bytes: 0 };
const disk: PodDiskUsage = {
  measure: async (requests) =>
    requests.map(({ volumes }) => ({
      volumes: new Map(volumes.map(({ name }) => [name, usage.bytes])),
      logs: new Map(),
      otherBytes: 0,
    })),
  isElsewhere: async () => false,
  stop: async () => {},
};

function manifest(image: string): JsonObject {
  const metadata = { name: 'web', namespace: 'rec' };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ ...MAIN, image }] } };
}

function container(more: JsonObject): JsonObject {
  return { containers: [{ ...MAIN, ...more }] };
}

const TOO_MUCH = container({ resources: { requests: { cpu: '5', memory: '1Gi' } } });
const OPEN_GATE = { readinessGates: [{ conditionType: 'example.com/registered' }] };
const CRASHES = { lifeMs: SECOND, exitCode: 3, terminationMessage: 'no database' };

export const STUCK_PODS: Readonly<Record<string, StuckPod>> = {
  'image missing': {
    options: { images: [], registry: new Map() },
    play: pod({}, 60),
  },
  'config map missing': {
    play: pod(container({ envFrom: [{ configMapRef: { name: 'settings' } }] }), 45),
  },
  'crash back-off': {
    options: { scripts: () => CRASHES },
    play: pod({}, 95),
  },
  'failing readiness': {
    options: { scripts: () => REFUSED },
    play: pod(container({ readinessProbe: { ...PERIOD, exec: { command: ['check'] } } }), 62),
  },
  'failing startup probe': {
    options: { scripts: () => REFUSED },
    play: pod(
      container({
        startupProbe: { ...PERIOD, failureThreshold: 30, exec: { command: ['check'] } },
      }),
      62,
    ),
  },
  'readiness gate open': { play: pod(OPEN_GATE, 30) },
  'terminating with preStop': {
    play: deleted(container({ lifecycle: { preStop: { sleep: { seconds: 25 } } } }), 10),
  },
  'terminating with a process that ignores SIGTERM': {
    options: { scripts: () => ({ stop: 'ignored' }) },
    play: deleted({}, 12),
  },
  'held by a finalizer': {
    play: deleted({}, 90, { finalizers: ['example.com/cleanup'] }),
  },
  'rejected by admission': { play: pod(TOO_MUCH, 20) },
  unschedulable: {
    play: pod({ ...TOO_MUCH, nodeName: '', nodeSelector: { disk: 'ssd' } }, 40),
  },
  'API unreachable': {
    options: { scripts: () => ({ lifeMs: 10 * SECOND, exitCode: 1 }), network: cable.wrap },
    play: async (node) => {
      cable.isCut = false;
      await pod({}, 5)(node);
      cable.isCut = true;
      await node.pass(50 * SECOND);
    },
  },
  'waiting for an older static pod': {
    options: { hasManifests: true, scripts: () => ({ stop: { afterMs: 25 * SECOND } }) },
    subject: 'pod/web-node1',
    play: async (node) => {
      await node.setManifest('web.yaml', manifest('app:1'));
      await node.pass(SECOND);
      await node.setManifest('web.yaml', manifest('app:2'));
      await node.pass(14 * SECOND);
    },
  },
  evicted: {
    options: { disk },
    play: async (node) => {
      usage.bytes = 2 ** 20;
      const volumes = [{ name: 'data', emptyDir: { sizeLimit: '10Mi' } }];
      await pod({ volumes }, 15)(node);
      usage.bytes = 2 ** 24;
      await node.pass(30 * SECOND);
    },
  },
  'OOM killed': {
    options: { scripts: () => ({ lifeMs: 4000, exitCode: 137, exitReason: 'OOMKilled' }) },
    play: pod(container({ resources: { limits: { memory: '64Mi' } } }), 50),
  },
  'volume that cannot be mounted': {
    play: async (node) => {
      const path = '/api/v1/namespaces/rec/configmaps';
      await node.cluster.send('POST', path, { metadata: { name: 'settings' }, data: { a: '1' } });
      const items = [{ key: 'app.conf', path: 'app.conf' }];
      const volumes = [{ name: 'data', configMap: { name: 'settings', items } }];
      const mounted = container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] });
      await pod({ ...mounted, volumes }, 40)(node);
    },
  },
  'two containers, two causes': {
    options: {
      images: ['app:1'],
      registry: new Map(),
      scripts: scriptsOf({ containers: { main: CRASHES } }),
    },
    play: pod({ containers: [MAIN, { name: 'side', image: 'gone:2' }] }, 60),
  },
  'init container that fails': {
    options: { images: ['app:1'], scripts: scriptsOf({ containers: { prepare: CRASHES } }) },
    play: pod({ ...container({}), initContainers: [{ name: 'prepare', image: 'app:1' }] }, 40),
  },
  'sidecar that is not started': {
    options: { images: ['app:1'], registry: new Map() },
    play: pod(
      {
        ...container({}),
        initContainers: [{ name: 'proxy', image: 'gone:2', restartPolicy: 'Always' }],
      },
      40,
    ),
  },
  'image of a volume missing': {
    options: { images: ['app:1'], registry: new Map() },
    play: pod(
      {
        ...container({ volumeMounts: [{ name: 'files', mountPath: '/files' }] }),
        volumes: [{ name: 'files', image: { reference: 'gone:2' } }],
      },
      40,
    ),
  },
  'a secret for a volume is missing, and the agent is not podkeep': {
    isForeign: true,
    play: pod(
      {
        ...container({ volumeMounts: [{ name: 'key', mountPath: '/key' }] }),
        volumes: [{ name: 'key', secret: { secretName: 'tls' } }],
      },
      40,
    ),
  },
  'claim not bound': {
    // Its controller would be loaded while virtual time passes, at a moment that no seed decides.
    options: {
      controllers: chooseControllers('*,-persistentvolume-binder,-persistentvolume-expander'),
    },
    play: async (node) => {
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
      const path = '/api/v1/namespaces/rec/persistentvolumeclaims';
      await node.cluster.send('POST', path, { metadata: { name: 'files' }, spec });
      const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'files' } }];
      const mounted = container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] });
      await pod({ ...mounted, volumes }, 40)(node);
    },
  },
  'sandbox that cannot be created': {
    options: {
      faults: (operation) =>
        operation === 'runSandbox' ? { error: 'no addresses are left' } : undefined,
    },
    play: pod({}, 40),
  },
  'a pod that is gone': {
    play: async (node) => {
      await deleted({}, 40)(node);
    },
  },
  'a healthy pod': { play: pod({}, 40) },
  'a node that is not ready': {
    options: { isNetworkReady: () => false },
    subject: 'node/node1',
    play: pod({}, 40),
  },
  'a deployment without a controller': {
    options: { controllers: chooseControllers('*,-deployment') },
    subject: 'deployment/web',
    play: async (node) => {
      const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [MAIN] } };
      const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template };
      const path = '/apis/apps/v1/namespaces/rec/deployments';
      await node.cluster.send('POST', path, { metadata: { name: 'web' }, spec });
      await node.pass(30 * SECOND);
    },
  },
};
