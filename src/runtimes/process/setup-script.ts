/**
 * Writes what init does before a container runs, as a shell script that stops at the first thing that
 * fails. Each program that it starts costs a millisecond or two, so all mounts are made by one mount(8)
 * from a table, and all folders by one mkdir.
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
  readonly root?: RootPlan | undefined;
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

function rootSteps(plan: RootPlan, folder: string, tools: Tools): readonly string[] {
  const mount = quoteWord(tools.mount ?? 'mount');
  const run = (tool: string | undefined, words: readonly string[]): string =>
    quoteWords([tool ?? 'false', ...words]);
  const { folders, files } = plan.layers;
  return [
    `${mount} -t tmpfs -o mode=755,nosuid,nodev tmpfs ${quoteWord(plan.memory)}`,
    ...(folders.length > 0 ? [run(tools.mkdir, ['-p', '--', ...folders])] : []),
    ...files.map((file) => `: >>${quoteWord(file)}`),
    ...likenessSteps(plan, run, tools),
    `${mount} -n -c --all --fstab ${quoteWord(`${folder}/mounts`)}`,
  ];
}

type Run = (tool: string | undefined, words: readonly string[]) => string;

function likenessSteps({ layers }: RootPlan, run: Run, tools: Tools): readonly string[] {
  const [modes, owners] = [new Map<string, string[]>(), new Map<string, string[]>()];
  for (const [mode, owner, folder] of layers.likenesses) {
    const octal = mode.toString(8);
    modes.set(octal, [...(modes.get(octal) ?? []), folder]);
    if (owner !== '0:0') owners.set(owner, [...(owners.get(owner) ?? []), folder]);
  }
  // A change of owner takes setuid bits away, so the mode comes last.
  return [
    ...[...owners].map(([owner, folders]) => run(tools.chown, [owner, '--', ...folders])),
    ...[...modes].map(([mode, folders]) => run(tools.chmod, [mode, '--', ...folders])),
  ];
}
