/**
 * Writes what init does before a container runs, as a shell script that stops at the first thing that
 * fails. Each program that it starts costs a millisecond or two, so all mounts are made by one mount(8)
 * from a table, and all folders by one cp from a template.
 */
import type { Tools } from './machine.ts';
import type { RootPlan } from './root-plan.ts';
import { quoteWord, quoteWords } from './shell-words.ts';

export interface SetupRequest {
  readonly folder: string;
  readonly tools: Tools;
  /** Files of control groups: who writes 0 into one joins. */
  readonly joins: readonly string[];
  readonly oomScoreAdjust?: number | undefined;
  /** Set in a namespace of its own; absent: not ours to set. */
  readonly hostname?: string | undefined;
  readonly hasStdin: boolean;
  /** Absent: the container sees the machine as it is. */
  readonly root?: { readonly plan: RootPlan; readonly template: string } | undefined;
  /** Nothing else ends what the command leaves behind. */
  readonly endsWholeGroup: boolean;
}

export function setupScript(request: SetupRequest): string {
  const steps = [
    ...request.joins.map((file) => `echo 0 >${quoteWord(file)}`),
    ...optionalSteps(request),
    ...(request.hasStdin ? stdinSteps(request) : []),
    ...(request.root ? rootSteps(request.root, request.folder, request.tools) : []),
    request.endsWholeGroup ? 'whole_group=yes' : ':',
  ];
  return `${steps.join(' &&\n')}\n`;
}

/** What is good to have. A machine that refuses it still runs the container. */
function optionalSteps({ oomScoreAdjust, hostname, tools }: SetupRequest): readonly string[] {
  const steps: string[] = [];
  if (oomScoreAdjust !== undefined) steps.push(`echo ${oomScoreAdjust} >/proc/self/oom_score_adj`);
  if (hostname !== undefined && tools.hostname !== undefined) {
    steps.push(quoteWords([tools.hostname, hostname]));
  }
  return steps.map((step) => `{ ${step} 2>/dev/null || :; }`);
}

/**
 * A program that reads must find nothing yet, not the end. So somebody holds the pipe open for writing
 * until the last of those who attached has gone.
 */
function stdinSteps({ folder, tools }: SetupRequest): readonly string[] {
  const pipe = quoteWord(`${folder}/stdin`);
  const holder = `${quoteWord(tools.sleep ?? 'sleep')} 2147483647`;
  return [`{ ${holder} 5<>${pipe} <&5 >/dev/null 2>&1 3>&- 6>&- & }`, `exec <${pipe}`];
}

function rootSteps(
  { plan, template }: NonNullable<SetupRequest['root']>,
  folder: string,
  { mount = 'mount', cp = 'cp' }: Tools,
): readonly string[] {
  return [
    `${mount} -n -t tmpfs -o mode=755,nosuid,nodev tmpfs ${quoteWord(plan.memory)}`,
    quoteWords([cp, '-a', '--', `${template}/.`, plan.memory]),
    `${mount} -n -c --all --fstab ${quoteWord(`${folder}/mounts`)}`,
  ];
}
