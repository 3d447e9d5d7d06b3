/** The pods of these tests, by kind: the kind decides which life of a pod is correct. */
import type { JsonObject } from '../../../src/lib/json.ts';
import { LEDGER_MOUNT } from './container-script.ts';

export const KINDS = [
  'lasting',
  'ending',
  'retried',
  'crashing',
  'initialized',
  'accompanied',
  'hooked',
  'configured',
] as const;

export type Kind = (typeof KINDS)[number];

export const KIND_LABEL = 'kind';
/** Keeps a deleted pod until its last status was read. */
export const FINALIZER = 'podkeep.test/seen';
/** Every process of every container has it in its environment, so that all can be found. */
export const MARK = 'NODE_KILL_LEDGER';

/** From which attempt on a container of this kind succeeds. */
export const ENOUGH: Readonly<Partial<Record<Kind, number>>> = { retried: 2 };
export const TERM_CODE = 7;
const NEVER = 1_000_000;
/** Long enough that a container which handles SIGTERM is never killed. */
const GRACE_SECONDS = 60;

export interface PodPlan {
  readonly name: string;
  readonly kind: Kind;
  /** How long containers live that exit by themselves, in lines of their logs. */
  readonly lines: number;
  /** Their exit code. */
  readonly code: number;
}

interface Life {
  readonly name: string;
  /** Negative: until it is stopped. */
  readonly lines: number;
  readonly code: number;
  readonly enough?: number | undefined;
  /** Each attempt has its own exit code. */
  readonly varies?: boolean;
}

export function podOf(plan: PodPlan, ledgerFolder: string): JsonObject {
  const container = (life: Life): JsonObject => containerOf(life, ledgerFolder);
  const { name, kind } = plan;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { [KIND_LABEL]: kind } },
    spec: {
      terminationGracePeriodSeconds: GRACE_SECONDS,
      restartPolicy: restartPolicyOf(kind),
      initContainers: initContainersOf(plan, container),
      containers: [mainOf(plan, container)],
      volumes: [
        { name: 'ledger', hostPath: { path: ledgerFolder, type: 'Directory' } },
        ...(kind === 'configured' ? [{ name: 'config', configMap: { name: 'config' } }] : []),
      ],
    },
  };
}

function restartPolicyOf(kind: Kind): string {
  if (kind === 'ending' || kind === 'accompanied') return 'Never';
  return kind === 'retried' ? 'OnFailure' : 'Always';
}

function initContainersOf(plan: PodPlan, container: (life: Life) => JsonObject): JsonObject[] {
  if (plan.kind === 'accompanied') {
    return [{ ...container({ name: 'side', lines: -1, code: 0 }), restartPolicy: 'Always' }];
  }
  if (plan.kind !== 'initialized') return [];
  return [
    container({ name: 'first', lines: 1, code: plan.code, enough: 1 }),
    container({ name: 'second', lines: 2, code: 0 }),
  ];
}

function mainOf(plan: PodPlan, container: (life: Life) => JsonObject): JsonObject {
  const { kind, code } = plan;
  const isShort = ['ending', 'retried', 'crashing', 'accompanied'].includes(kind);
  const enough = ENOUGH[kind];
  const lines = isShort ? plan.lines : -1;
  const main = container({ name: 'main', lines, code, enough, varies: kind === 'crashing' });
  if (kind === 'hooked') return { ...main, lifecycle: { preStop: { exec: { command: HOOK } } } };
  if (kind !== 'configured') return main;
  const mounts = [...(main['volumeMounts'] as JsonObject[]), CONFIG_MOUNT];
  return { ...main, volumeMounts: mounts };
}

const HOOK = [
  'sh',
  '-c',
  `echo "$POD_UID $CONTAINER - prestop" >>${LEDGER_MOUNT}/lines; sleep 0.5`,
];
const CONFIG_MOUNT = { name: 'config', mountPath: '/config' };

function containerOf(life: Life, ledgerFolder: string): JsonObject {
  const { name, lines, code, enough = NEVER, varies = false } = life;
  const variables = {
    CONTAINER: name,
    LINES_MAX: String(lines),
    CODE: String(code),
    ENOUGH: String(enough),
    VARIES: varies ? 'yes' : '',
    TERM_CODE: String(TERM_CODE),
    [MARK]: ledgerFolder,
  };
  return {
    name,
    image: 'example.com/anything:1',
    command: ['sh', `${LEDGER_MOUNT}/run.sh`],
    env: [
      { name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
      ...Object.entries(variables).map(([key, value]) => ({ name: key, value })),
    ],
    volumeMounts: [{ name: 'ledger', mountPath: LEDGER_MOUNT }],
  };
}
