/**
 * An attack by a pod. The pod proves that it ran by printing a nonce from its environment; what it tries
 * is in its script, or in what the suite then does with it (`drive`).
 *
 * All output of the pod is searched for canaries: logs of all containers, output of commands, termination
 * messages, files of its volumes. A script whose success shows nowhere else, such as a system call that
 * was answered, prints a line that begins with SUCCEEDED.
 */
import { randomBytes } from 'node:crypto';
import type { ContainerView, PodView } from '../../e2e/support/pod-view.ts';
import { isOver } from '../../e2e/support/pod-view.ts';
import { volumeTexts } from './node-files.ts';
import { podOf, type PodShape } from './pods.ts';
import type { Target } from './target.ts';
import { breached, held, MODES, skipped, unproven } from './types.ts';
import type { Attack, Mode, Outcome } from './types.ts';

export interface RunningPod {
  readonly name: string;
  readonly uid: string;
  readonly nonce: string;
}

export interface PodAttack {
  readonly id: string;
  readonly class: string;
  readonly tries: string;
  readonly modes?: readonly Mode[];
  readonly isHeavy?: boolean;
  /** The pod, if not a restricted one; may depend on the target. */
  readonly pod?: PodShape | ((target: Target) => PodShape | Promise<PodShape>);
  /** Of the attacking container. By default it prints READY and waits. */
  readonly script?: string;
  /** What the suite does when the pod has printed READY. The result is searched like a log. */
  readonly drive?: (target: Target, pod: RunningPod) => Promise<string>;
  /** Looks from outside; a sentence: the attack has succeeded. */
  readonly check?: (target: Target, pod: RunningPod, output: string) => Check | Promise<Check>;
  /** The kubelet may refuse the pod if an Event or a status has this text. */
  readonly mayRefuse?: RegExp;
  /** Goes on although containers are refused: the kubelet retries them. */
  readonly isPatient?: boolean;
  /** What its output must show beside the nonce: that the attacking part has run, too. */
  readonly proof?: RegExp;
  /** A sentence: this machine cannot try it. */
  readonly unless?: (target: Target) => Check | Promise<Check>;
  readonly seconds?: number;
}

export type Check = string | undefined;

export interface PodOutput {
  readonly pod: RunningPod | undefined;
  readonly output: string;
  readonly hasRun: boolean;
  /** Why it did not start, in the words of the kubelet or the API. */
  readonly refusal: string;
}

/** Waits until the pod is deleted, after it has printed READY. */
export const WAIT = 'echo READY; exec sleep 120';
const SECONDS = 25;
/** A busy machine is slower than that. Attackers that exit do not wait for it. */
const SLACK = 3;
/** A dozen programs create a container of containerd. */
const CONTAINERD_SLACK = 8;
const slackOf = ({ mode }: Target): number => (mode === 'containerd' ? CONTAINERD_SLACK : SLACK);
const BEGUN_MAX = 20_000;
const REFUSED = /^(?:Err|ImagePullBackOff|Create|RunContainerError|InvalidImageName)/;
const LINE = /^SUCCEEDED.*$/m;

export function podAttack(attack: PodAttack): Attack {
  const { id, class: kind, tries, modes = MODES, isHeavy = false } = attack;
  return {
    id: `${kind}/${id}`,
    class: kind,
    tries,
    modes,
    isHeavy,
    run: (target) => runAttack(attack, target),
  };
}

async function runAttack(attack: PodAttack, target: Target): Promise<Outcome> {
  const reason = await attack.unless?.(target);
  if (reason !== undefined) return skipped(reason);
  const id = `${attack.class}/${attack.id}`;
  const found = await runPod(target, id, attack);
  const { pod, output, hasRun, refusal } = found;
  if (process.env['PODKEEP_ATTACK_OUTPUT']) console.log(output);
  try {
    const finding = findingIn(target, id, output);
    if (finding !== undefined) return breached(finding);
    const seen = pod && (await attack.check?.(target, pod, output));
    if (seen !== undefined) return breached(seen);
    const isProven = attack.proof?.test(output) ?? true;
    if (hasRun && isProven) return held();
    if (attack.mayRefuse?.test(refusal)) return held(`refused: ${firstLine(refusal)}`);
    return unproven(`the attacker did not run: ${firstLine(refusal)} ${output.slice(-300)}`);
  } finally {
    if (pod) await target.delete(pod.name).catch(() => undefined);
  }
}

/** What the output of one attack shows; undefined: nothing. */
export function findingIn(target: Target, id: string, output: string): string | undefined {
  const leaks = target.canaries.leaksIn(output);
  if (leaks.length > 0) return `it read ${leaks.join(', ')}`;
  const change = target.canaries.changeOf(id);
  if (change !== undefined) return change;
  return LINE.exec(output)?.[0].slice(0, 300);
}

type Runnable = Pick<PodAttack, 'pod' | 'script' | 'drive' | 'seconds' | 'mayRefuse' | 'isPatient'>;

/** Runs the pod to its end, or until it was driven. It still exists afterwards. */
export async function runPod(target: Target, id: string, request: Runnable): Promise<PodOutput> {
  const { script = WAIT, drive, seconds = SECONDS } = request;
  const shape = typeof request.pod === 'function' ? await request.pod(target) : (request.pod ?? {});
  const nonce = randomBytes(8).toString('hex');
  const name = target.newName(id);
  const env = { NONCE: nonce, ...environmentOf(target, id) };
  const proof = 'echo "ran:$NONCE:$(id -u)"\n';
  const body = podOf({ name, shape, script: proof + script, env });
  const refused = await target.create(body);
  if (refused !== null) return { pod: undefined, output: '', hasRun: false, refusal: refused };
  const waits = drive ? isDrivable : isOver;
  const canEnd = request.mayRefuse !== undefined && !request.isPatient;
  const holds = (pod: PodView): boolean => waits(pod) || (canEnd && isRefused(pod));
  const view = await target.podWhen(
    name,
    holds,
    request.isPatient ? seconds : seconds * slackOf(target),
  );
  const uid = view?.metadata.uid ?? (await target.pod(name))?.metadata.uid ?? '';
  const pod = { name, uid, nonce };
  let output = '';
  if (drive && view && (request.isPatient || !isRefused(view))) {
    // Before it is driven: an attacker that floods its log may lose the nonce by rotation.
    const begun = isOver(view) ? '' : await target.logWith(name, 'main', /^READY/m, seconds);
    output += begun.slice(0, BEGUN_MAX);
    output += await drive(target, pod).catch((error: unknown) => `drive failed: ${String(error)}`);
  }
  output += await collect(target, pod);
  const hasRun = output.includes(`ran:${nonce}:`);
  return { pod, output, hasRun, refusal: hasRun ? '' : await refusalOf(target, name) };
}

/** What attackers know, so that no protection depends on what they do not know. */
function environmentOf(target: Target, id: string): Record<string, string> {
  const { canaries, bystanders, data } = target;
  return {
    MARK: canaries.mark(id),
    SECRET_FILE: canaries.secretFile,
    OPEN_FILES: canaries.openFiles.join(' '),
    TRUSTED_HOME: canaries.home,
    DATA: data,
    MACHINE_PIDS: bystanders.pids.join(' '),
    PODKEEP_PID: String(target.pid),
  };
}

function isDrivable(pod: PodView): boolean {
  const hasBegun = ({ name, state }: ContainerView): boolean =>
    name === 'main' && (state.running ?? state.terminated) !== undefined;
  return isOver(pod) || (pod.status.containerStatuses ?? []).some(hasBegun);
}

/** A container waits because it could not be created. */
function isRefused({ status }: PodView): boolean {
  const states = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return states.some(({ state }) => REFUSED.test(state.waiting?.reason ?? ''));
}

async function collect(target: Target, { name, uid }: RunningPod): Promise<string> {
  const view = await target.pod(name);
  const status = view?.status;
  const containers = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  const logs = await Promise.all(containers.map((each) => target.logs(name, each.name)));
  return [...logs, JSON.stringify(status), volumeTexts(target.data, uid)].join('\n');
}

async function refusalOf(target: Target, name: string): Promise<string> {
  const status = (await target.pod(name))?.status;
  const states = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const messages = states.flatMap(({ state }) => [
    state.waiting?.message ?? '',
    state.terminated?.message ?? '',
  ]);
  const events = await target.events(name);
  const failures = events.filter(({ reason }) => /^(?:Failed|Inspect|BackOff|Err)/.test(reason));
  return [...messages, ...failures.map(({ message }) => message)].filter(Boolean).join('\n');
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.slice(0, 240) ?? '';
}
