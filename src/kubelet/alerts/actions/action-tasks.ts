/**
 * Performs an action of an alert rule, once. The result says what was done, or why the action was refused or
 * failed; the promise never rejects.
 *
 *     restart   stops the container with its preStop hook and grace period; the kubelet starts it again
 *     evict     the eviction subresource of the API, which honours disruption budgets
 *     cordon    a patch of the Node: spec.unschedulable
 *     command   an argument list without a shell; the alert is JSON on its standard input
 *     webhook   one POST, without a retry
 */
import type { Pod } from '../../../api/pod.ts';
import { formatMicroTime } from '../../../api/values/time.ts';
import {
  evictionRefusal,
  restartRefusal,
  type ActionTask,
} from '../../../core/alerts/rule-action.ts';
import { unreachable } from '../../../lib/assert.ts';
import type { RunCommand } from '../../../lib/bounded-command.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { checkTrustedProgram } from '../../../lib/trusted-file.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { HttpPost } from '../../../ports/http-post.ts';
import type { KubeApi } from '../../../ports/api/kube-api.ts';
import type { Log } from '../../../ports/log.ts';
import type { AlertView } from '../alert-view.ts';
import { tokenIn } from '../receivers/receiver-token.ts';

export interface ActionOutcome {
  readonly result: 'done' | 'refused' | 'failed';
  readonly message: string;
}

export interface ActionTasksDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeName: string;
  readonly api: Pick<KubeApi, 'send'>;
  readonly post: HttpPost;
  readonly runCommand: RunCommand;
  /** Resolves with false if the container does not run. */
  readonly stopContainer: (
    pod: Pod,
    container: string,
    message: string,
    signal: AbortSignal,
  ) => Promise<boolean>;
}

const TIMEOUT_MS = 30_000;
/** Longer than the others, because a container may have a long grace period. */
const RESTART_TIMEOUT_MS = 10 * 60_000;

export class ActionTasks {
  readonly #deps: ActionTasksDeps;
  readonly #abort = new AbortController();

  constructor(deps: ActionTasksDeps) {
    this.#deps = deps;
  }

  /** Cancels what is under way. */
  close(): void {
    this.#abort.abort(new Error('podkeep stops'));
  }

  /** `pod` is undefined for an alert of the node, and if the pod is gone. */
  async perform(task: ActionTask, alert: AlertView, pod: Pod | undefined): Promise<ActionOutcome> {
    const deadline = new AbortController();
    const cancel = this.#deps.clock.after(timeoutOf(task), () =>
      deadline.abort(new Error('it took too long')),
    );
    const signal = AbortSignal.any([deadline.signal, this.#abort.signal]);
    try {
      return await this.#start(task, alert, pod, signal);
    } catch (error) {
      return { result: 'failed', message: error instanceof Error ? error.message : String(error) };
    } finally {
      cancel();
    }
  }

  #start(
    task: ActionTask,
    alert: AlertView,
    pod: Pod | undefined,
    signal: AbortSignal,
  ): Promise<ActionOutcome> {
    switch (task.type) {
      case 'restart':
        return this.#restart(alert, pod, signal);
      case 'evict':
        return this.#evict(pod, signal);
      case 'cordon':
        return this.#cordon(signal);
      case 'command':
        return this.#command(task, alert, signal);
      case 'webhook':
        return this.#webhook(task, alert, signal);
      default:
        return unreachable(task);
    }
  }

  async #restart(
    { container, alertname }: AlertView,
    pod: Pod | undefined,
    signal: AbortSignal,
  ): Promise<ActionOutcome> {
    if (!pod || container === null) return refused('the pod is gone');
    const refusal = restartRefusal(pod, container);
    if (refusal !== null) return refused(refusal);
    const message = `Container ${container} is restarted by alert ${alertname}`;
    const isStopped = await this.#deps.stopContainer(pod, container, message, signal);
    return isStopped ? done(`stopped container ${container}`) : refused('it does not run');
  }

  /** The UID is a precondition, because another pod may have taken the name. */
  async #evict(pod: Pod | undefined, signal: AbortSignal): Promise<ActionOutcome> {
    if (!pod) return refused('the pod is gone');
    const refusal = evictionRefusal(pod);
    if (refusal !== null) return refused(refusal);
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    await this.#deps.api.send(
      {
        method: 'POST',
        path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction`,
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { namespace, name },
          deleteOptions: { preconditions: { uid } },
        },
      },
      signal,
    );
    return done('evicted the pod');
  }

  async #cordon(signal: AbortSignal): Promise<ActionOutcome> {
    await this.#deps.api.send(
      {
        method: 'PATCH',
        path: `/api/v1/nodes/${encodeURIComponent(this.#deps.nodeName)}`,
        contentType: 'application/merge-patch+json',
        body: { spec: { unschedulable: true } },
      },
      signal,
    );
    return done('cordoned the node');
  }

  async #command(
    { args }: ActionTask & { type: 'command' },
    alert: AlertView,
    signal: AbortSignal,
  ): Promise<ActionOutcome> {
    const [program = ''] = args;
    // Checked at each run: the permissions may have changed since the rule was loaded, so that another user
    // can write to it.
    checkTrustedProgram(program);
    const input = JSON.stringify(this.#bodyOf(alert));
    const { exitCode, signal: ending, output } = await this.#deps.runCommand(args, input, signal);
    this.#deps.log.debug('Alert command ended', { program, exitCode, output });
    if (exitCode === 0) return done(`ran ${program}`);
    const how = exitCode === null ? `was ended by ${ending}` : `exited with code ${exitCode}`;
    return { result: 'failed', message: `${program} ${how}` };
  }

  async #webhook(
    { url, bearerTokenFile }: ActionTask & { type: 'webhook' },
    alert: AlertView,
    signal: AbortSignal,
  ): Promise<ActionOutcome> {
    const body = JSON.stringify(this.#bodyOf(alert));
    const bearerToken = tokenIn(bearerTokenFile);
    const status = await this.#deps.post({ url, body, bearerToken }, signal);
    // A URL may have a secret in its path or query.
    const { host } = new URL(url);
    if (status >= 200 && status < 300) return done(`called the webhook at ${host}`);
    return { result: 'failed', message: `the webhook at ${host} answered ${status}` };
  }

  #bodyOf({ state, labels, annotations, activeAtMs }: AlertView): JsonObject {
    const startsAt = formatMicroTime(activeAtMs);
    const alert = { status: state, labels, annotations, startsAt };
    return { version: '1', node: this.#deps.nodeName, alert };
  }
}

function timeoutOf(task: ActionTask): number {
  if (task.type === 'command') return task.timeoutMs;
  return task.type === 'restart' ? RESTART_TIMEOUT_MS : TIMEOUT_MS;
}

function done(message: string): ActionOutcome {
  return { result: 'done', message };
}

function refused(message: string): ActionOutcome {
  return { result: 'refused', message };
}
