/**
 * Plays scripts (script.ts) about pods on the real pod workers. Commands:
 *
 *     create|update|sync POD [static|from-api] [name=N] [grace=SECONDS] [phase=P] [running]
 *                        [unreadable] [mirror=UID] [ago=SECONDS]     ago: when its cause was seen
 *     delete POD within=SECONDS         the API asks for its deletion
 *     kill|evict POD [grace=SECONDS] [says=REASON] [phase=P] [waits]
 *     kill-in-runtime POD [waits]       the runtime runs it, and no source has it
 *     end POD [terminal]                the work in flight ends well; every container has ended
 *     fail POD [network|cancelled|backoff=SECONDS]
 *     housekeep [POD…]                  with the pods that should be there
 *     wait SECONDS
 */
import type { Pod, PodPhase } from '../../src/api/pod.ts';
import { BackOffError, networkNotReady } from '../../src/ports/pod/sync-failure.ts';
import { PodWorkersHarness } from './pod-workers-harness.ts';
import type { Notified } from './pod-workers-harness.ts';
import { pod } from './pods.ts';
import type { PodTraits } from './pods.ts';
import { playScript } from './script.ts';
import type { SyncCall } from './scripted-pod-sync.ts';
import { promisesSettled } from './virtual-clock.ts';

export function playPodWorkerScript(script: string): Promise<string> {
  const player = new Player();
  return playScript(script, (command) => player.play(command));
}

type Words = ReadonlyMap<string, string>;

class Player {
  readonly #harness = new PodWorkersHarness();
  readonly #traits = new Map<string, PodTraits & { readonly name: string }>();
  #kills = 0;

  async play(command: string): Promise<readonly string[]> {
    const [verb = '', uid = '', ...rest] = command.split(' ');
    await this.#perform(verb, uid, wordsOf(rest));
    await promisesSettled();
    const lines = this.#harness.takeAcknowledged().flatMap(describe);
    return lines.length > 0 ? lines : ['nothing happens'];
  }

  async #perform(verb: string, uid: string, words: Words): Promise<void> {
    const { workers, podSync, clock, pods } = this.#harness;
    switch (verb) {
      case 'create':
      case 'update':
      case 'sync':
        return workers.updatePod({
          updateType: verb,
          pod: this.#pod(uid, words),
          ...(words.has('mirror') && { mirrorPod: pod(uid, { uid: words.get('mirror') ?? '' }) }),
          startedAtMs: clock.monotonic() - Number(words.get('ago') ?? 0) * 1000,
        });
      case 'delete':
        return workers.updatePod({
          updateType: 'update',
          pod: this.#pod(uid, words),
          startedAtMs: clock.monotonic(),
        });
      case 'kill':
      case 'evict':
        return this.#kill(uid, verb === 'evict', words);
      case 'kill-in-runtime': {
        const runningPod = { uid, name: uid, namespace: 'default' };
        return workers.updatePod({ updateType: 'kill', runningPod, kill: this.#waits(words) });
      }
      case 'end':
        return podSync.end(uid, { terminal: words.has('terminal') });
      case 'fail':
        return podSync.fail(uid, failure(words, clock.now()));
      case 'housekeep':
        return this.#housekeep([uid, ...words.keys()].filter((word) => word !== ''));
      case 'wait':
        await clock.pass(Number(uid) * 1000);
        return;
      default:
        throw new Error(
          `no such command: ${verb} (pods known so far: ${[...pods.keys()].join(' ')})`,
        );
    }
  }

  #kill(uid: string, evict: boolean, words: Words): void {
    const reason = words.get('says');
    const grace = words.get('grace');
    this.#harness.workers.updatePod({
      updateType: 'kill',
      pod: this.#pod(uid, new Map([...words].filter(([word]) => word === 'phase'))),
      kill: {
        evict,
        ...(grace !== undefined && { graceSeconds: Number(grace) }),
        ...(reason !== undefined && { overrideStatus: () => ({ reason }) }),
        ...this.#waits(words),
      },
    });
  }

  /** A caller that waits for the end of a kill, if the command has `waits`. */
  #waits(words: Words): { readonly completed?: () => void } {
    this.#kills += 1;
    const id = `kill ${this.#kills}`;
    return words.has('waits') ? { completed: () => this.#harness.note(`${id} is complete`) } : {};
  }

  #housekeep(desired: readonly string[]): void {
    const known = this.#harness.workers.syncKnownPods(desired.map((uid) => pod(uid)));
    for (const uid of this.#harness.pods.keys()) {
      if (!desired.includes(uid)) this.#harness.pods.delete(uid);
    }
    for (const [uid, { state, orphan }] of known) {
      this.#harness.note(`known: ${uid} ${state}${orphan ? ', an orphan' : ''}`);
    }
  }

  /** The pod as it was last described, with the changes of the command. */
  #pod(uid: string, words: Words): Pod {
    const before = this.#traits.get(uid) ?? { name: uid, uid };
    const traits = { ...before, ...traitsFrom(words) };
    this.#traits.set(uid, traits);
    if (words.has('running')) this.#harness.running.add(uid);
    if (words.has('unreadable')) this.#harness.unreadable.add(uid);
    const described = pod(traits.name, traits);
    this.#harness.pods.set(uid, { pod: described });
    return described;
  }
}

function traitsFrom(words: Words): Partial<PodTraits & { name: string }> {
  const [name, grace, within] = [words.get('name'), words.get('grace'), words.get('within')];
  const phase = words.get('phase');
  return {
    ...(name !== undefined && { name }),
    ...(words.has('static') && { static: true }),
    ...(words.has('from-api') && { static: false }),
    ...(grace !== undefined && { graceSeconds: Number(grace) }),
    ...(within !== undefined && { deletedWithin: Number(within) }),
    ...(phase !== undefined && { phase: phase as PodPhase }),
  };
}

function wordsOf(words: readonly string[]): Words {
  return new Map(
    words.map((word) => {
      const [key = '', value = ''] = word.split('=');
      return [key, value] as const;
    }),
  );
}

function failure(words: Words, nowMs: number): Error {
  if (words.has('network')) return networkNotReady({ reason: 'no plugin yet' });
  if (words.has('cancelled')) return new DOMException('overtaken', 'AbortError');
  const backoff = words.get('backoff');
  if (backoff === undefined) return new Error('it went wrong');
  return new BackOffError('not again so soon', nowMs + Number(backoff) * 1000);
}

function describe(notified: Notified): readonly string[] {
  switch (notified.kind) {
    case 'decision': {
      const { pod: about, from, to, why } = notified.record;
      return [`${about.uid}: ${from === to ? to : `${from} -> ${to}`}: ${why}`];
    }
    case 'started':
      return [`  ${notified.call.uid}: ${describeCall(notified.call)}`];
    case 'canceled':
      return [`  ${notified.call.uid}: cancel ${notified.call.sync}`];
    case 'wake':
      return [`  ${notified.uid}: look again in ${notified.delayMs / 1000} s`];
    case 'event':
      return [`  event: ${notified.text}`];
    case 'note':
      return [`  ${notified.text}`];
    case 'podStarted':
      return [`  counted: a pod with ${notified.containers} containers started`];
    case 'turn':
      return [`  measured: ${notified.operation}, ${notified.seconds} s`];
    case 'warn':
    case 'error':
      return [];
    default:
      throw new Error(`cannot describe ${JSON.stringify(notified)}`);
  }
}

function describeCall({ sync, updateType, graceSeconds, statusReason, mirror }: SyncCall): string {
  return [
    sync,
    ...(updateType === undefined ? [] : [updateType]),
    ...(mirror === undefined ? [] : [`with mirror ${mirror}`]),
    ...(graceSeconds === undefined ? [] : [`within ${graceSeconds} s`]),
    ...(statusReason === undefined ? [] : [`saying ${statusReason}`]),
  ].join(' ');
}
