/**
 * The rights of every process that podkeep starts in a container, at most those that the pod asked for.
 * Each process reports its own; `inventory` looks from outside.
 */
import { podAttack, runPod, WAIT } from '../harness/pod-attack.ts';
import { hookOf, probeOf, shellContainer, type PodShape } from '../harness/pods.ts';
import type { Target } from '../harness/target.ts';
import { breached, held, MODES, unproven } from '../harness/types.ts';
import type { Attack } from '../harness/types.ts';

const KIND = 'rights';
/** The default capabilities of container runtimes. */
const USUAL = 0xa804_25fbn;
const NET_ADMIN = 1n << 12n;

interface Shape {
  readonly name: string;
  readonly pod: PodShape;
  readonly capabilities: bigint;
  readonly noNewPrivileges: boolean;
  readonly uid: string;
}

const SHAPES: readonly Shape[] = [
  { name: 'restricted', pod: {}, capabilities: 0n, noNewPrivileges: true, uid: '10001' },
  { name: 'as-root', pod: { as: 'root' }, capabilities: USUAL, noNewPrivileges: false, uid: '0' },
  {
    name: 'net-admin',
    pod: { as: 'root', capabilities: ['NET_ADMIN'] },
    capabilities: USUAL | NET_ADMIN,
    noNewPrivileges: false,
    uid: '0',
  },
];

const ENTRIES = ['init', 'sidecar', 'main', 'probe', 'postStart', 'exec', 'exec-tty', 'ephemeral'];

/** With nothing but the shell, because a program that it starts may have fewer rights. */
const say = (entry: string): string =>
  `{ echo "STATUS ${entry}"; while read -r line; do echo "$line"; done </proc/self/status; echo END; }`;

async function statusesOf(target: Target, { name, pod }: Shape): Promise<string> {
  return target.once(`battery rights ${name}`, async () => {
    const found = await runPod(target, `${KIND}-${name}`, {
      pod: {
        ...pod,
        volumes: { work: '/work' },
        inits: [
          shellContainer('setup', say('init')),
          shellContainer('side', `${say('sidecar')}; exec sleep 60`, { restartPolicy: 'Always' }),
        ],
        container: {
          readinessProbe: probeOf(`${say('probe')} >/work/probe; exit 0`),
          lifecycle: { postStart: hookOf(`${say('postStart')} >/work/hook; exit 0`) },
        },
      },
      script: `${say('main')}; while [ ! -e /work/probe ]; do sleep 0.1; done; cat /work/probe /work/hook; ${WAIT}`,
      drive: async (_target, { name: running }) => {
        const request = { pod: running, container: 'main' };
        const exec = await target.exec({ ...request, command: ['sh', '-c', say('exec')] });
        const terminal = { command: ['sh', '-c', say('exec-tty')], tty: true, stdin: '' };
        const tty = await target.exec({ ...request, ...terminal });
        const debug = shellContainer('debug', say('ephemeral'));
        const security = { securityContext: securityOf(pod) };
        await target.addEphemeral(running, { ...debug, ...security, image: 'sh' });
        await target.podWhen(
          running,
          ({ status }) => status.ephemeralContainerStatuses?.[0]?.state.terminated !== undefined,
          30,
        );
        return exec.output + tty.output;
      },
    });
    if (found.pod) await target.delete(found.pod.name).catch(() => undefined);
    return found.output.replaceAll('\r', '');
  });
}

function securityOf({ as, capabilities = [] }: PodShape): object & Record<string, never> {
  const own =
    as === 'root'
      ? { capabilities: { add: [...capabilities] } }
      : { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  return own as unknown as object & Record<string, never>;
}

type Fault = (status: string, shape: Shape) => string | undefined;
const fieldOf = (status: string, name: string): string =>
  new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]?.trim() ?? '';
const excess = (status: string, name: string, allowed: bigint): string | undefined => {
  const more = BigInt(`0x${fieldOf(status, name) || '0'}`) & ~allowed;
  return more === 0n ? undefined : `${name} has ${more.toString(16)} too much`;
};

const FAULTS: Readonly<Record<string, Fault>> = {
  effective: (status, { capabilities }) =>
    excess(status, 'CapEff', capabilities) ?? excess(status, 'CapPrm', capabilities),
  bounding: (status, { capabilities }) => excess(status, 'CapBnd', capabilities),
  inherited: (status) => excess(status, 'CapInh', 0n) ?? excess(status, 'CapAmb', 0n),
  'no-new-privileges': (status, { noNewPrivileges }) =>
    noNewPrivileges && fieldOf(status, 'NoNewPrivs') !== '1' ? 'it may gain privileges' : undefined,
  filter: (status) =>
    fieldOf(status, 'Seccomp') === '2' ? undefined : 'no filter of system calls',
  user: (status, { uid }) =>
    fieldOf(status, 'Uid')
      .split(/\s+/)
      .every((each) => each === uid)
      ? undefined
      : `user ${fieldOf(status, 'Uid')}`,
};

const attackOf = (shape: Shape, entry: string, fault: string, evaluate: Fault): Attack => ({
  id: `${KIND}/${shape.name}/${entry}/${fault}`,
  class: KIND,
  tries: `${entry} of a pod (${shape.name}) has more than it should: ${fault}.`,
  modes: MODES,
  isHeavy: false,
  run: async (target) => {
    const output = await statusesOf(target, shape);
    const part = new RegExp(`^STATUS ${entry}\\n([\\s\\S]*?)^END$`, 'm').exec(output)?.[1];
    if (part === undefined) return unproven(`${entry} did not say what it has`);
    const found = evaluate(part, shape);
    return found === undefined ? held() : breached(found);
  },
});

export const RIGHTS: readonly Attack[] = [
  ...SHAPES.flatMap((shape) =>
    ENTRIES.flatMap((entry) =>
      Object.entries(FAULTS).map(([fault, evaluate]) => attackOf(shape, entry, fault, evaluate)),
    ),
  ),
  podAttack({
    class: KIND,
    id: 'groups',
    tries: 'The command has groups of podkeep.',
    script: `g=$(id -G); [ "$g" = 10001 ] || echo "SUCCEEDED: groups $g"`,
    modes: ['root'],
  }),
];
