/**
 * Working directories that lead out of the root. A process that changes its root and then goes to
 * /proc/self/cwd is where it was before, on the machine.
 */
import { podAttack, WAIT } from '../harness/pod-attack.ts';
import { shellContainer, type PodShape } from '../harness/pods.ts';
import type { Attack } from '../harness/types.ts';
import { PEEK_AROUND } from './peek.ts';

const PATHS: Readonly<Record<string, string>> = {
  'self-cwd': '/proc/self/cwd',
  'self-root': '/proc/self/root',
  'thread-self-cwd': '/proc/thread-self/cwd',
  'init-root': '/proc/1/root',
  'init-cwd': '/proc/1/cwd',
  'init-task-root': '/proc/1/task/1/root',
  'descriptor-3': '/proc/self/fd/3',
  'descriptor-4': '/proc/self/fd/4',
  'descriptor-5': '/proc/self/fd/5',
  'dots-of-cwd': '/proc/self/cwd/../../..',
  dots: '/../../../..',
};

const LINKS: Readonly<Record<string, string>> = {
  'link-to-self-cwd': '/proc/self/cwd',
  'link-to-init-root': '/proc/1/root',
  'link-up': '../../../../../../..',
  'link-to-thread-cwd': '/proc/thread-self/cwd',
};

const REFUSAL =
  /working|director|chdir|cannot go|no such file|not permitted|denied|not a dir|proc/i;

interface Case {
  readonly name: string;
  readonly workingDir: string;
  readonly shape: PodShape;
}

const CASES: readonly Case[] = [
  ...Object.entries(PATHS).map(([name, workingDir]) => ({ name, workingDir, shape: {} })),
  ...Object.entries(LINKS).map(([name, to]) => ({
    name,
    workingDir: '/work/link',
    shape: {
      volumes: { work: '/work' },
      inits: [shellContainer('plant', `ln -s ${to} /work/link`)],
    },
  })),
];

export const WORKING_DIRS: readonly Attack[] = CASES.flatMap(({ name, workingDir, shape }) => [
  podAttack({
    class: 'working-dir',
    id: `${name}/main`,
    tries: `The command starts in ${workingDir} and reads from there and above.`,
    pod: { ...shape, container: { workingDir } },
    script: PEEK_AROUND,
    mayRefuse: REFUSAL,
    seconds: 8,
  }),
  podAttack({
    class: 'working-dir',
    id: `${name}/as-root`,
    tries: `The command of user 0 starts in ${workingDir} and reads and writes from there.`,
    pod: { ...shape, as: 'root', container: { workingDir } },
    script: PEEK_AROUND,
    mayRefuse: REFUSAL,
    seconds: 8,
  }),
  podAttack({
    class: 'working-dir',
    id: `${name}/exec`,
    tries: `A command of kubectl exec starts in ${workingDir} and reads from there and above.`,
    pod: { ...shape, container: { workingDir } },
    script: WAIT,
    drive: async (target, { name: pod }) => {
      const command = ['sh', '-c', PEEK_AROUND];
      return (await target.exec({ pod, container: 'main', command, seconds: 8 })).output;
    },
    mayRefuse: REFUSAL,
    seconds: 8,
  }),
]);
