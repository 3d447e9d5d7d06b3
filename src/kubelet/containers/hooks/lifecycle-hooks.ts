/**
 * Runs the lifecycle hooks of containers: a command, an HTTP request, or a sleep.
 *
 * The API server also accepts tcpSocket hooks. Kubernetes' kubelet cannot run such a hook and fails it;
 * podkeep does the same. A failed hook throws an error with the message for the container's status (KL-44).
 */
import type { Pod } from '../../../api/pod.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { PodRuntime } from '../../../ports/runtime/pod-runtime.ts';
import { goList, goQuote } from '../config/go-text.ts';
import { hookFailed } from './hook-errors.ts';
import { hookRequest, type HookClient } from './http-hook.ts';
import {
  podReferenceOf,
  podTitle,
  type HttpGetAction,
  type LifecycleHandler,
  type RunContainer,
} from '../../../api/run-spec.ts';
import { failureMessageOf } from '../start/start-failure.ts';
import { wait } from '../../waiting/wait.ts';

export interface HookDeps {
  readonly clock: Clock;
  readonly runtime: Pick<PodRuntime, 'execSync' | 'inspect'>;
  readonly sendHook: HookClient;
}

export interface HookedContainer {
  readonly pod: Pod;
  readonly container: RunContainer;
  readonly containerId: string;
}

export async function runHook(
  deps: HookDeps,
  hooked: HookedContainer,
  handler: LifecycleHandler,
  signal: AbortSignal,
): Promise<void> {
  if (handler.exec) return runExec(deps, hooked, handler.exec.command ?? [], signal);
  if (handler.httpGet) return runHttpGet(deps, hooked, handler.httpGet, signal);
  if (handler.sleep) return runSleep(deps, hooked, handler.sleep.seconds, signal);
  throw hookFailed({ message: `Cannot run handler: invalid handler: ${JSON.stringify(handler)}` });
}

async function runExec(
  { runtime }: HookDeps,
  hooked: HookedContainer,
  command: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const title = `Exec lifecycle hook (${goList(command)}) ${placeOf(hooked)} failed`;
  const request = { command, timeoutSeconds: 0 };
  const result = await runtime.execSync(hooked.containerId, request, signal).catch((error) => {
    throw hookFailed(
      { message: `${title} - error: ${failureMessageOf(error)}, message: ${goQuote('')}` },
      error,
    );
  });
  const { exitCode, stdout, stderr } = result;
  if (exitCode === 0) return;
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const error = `command '${command.join(' ')}' exited with ${exitCode}: ${output}`;
  throw hookFailed({ message: `${title} - error: ${error}, message: ${goQuote(output)}` });
}

async function runHttpGet(
  { runtime, sendHook }: HookDeps,
  hooked: HookedContainer,
  action: HttpGetAction,
  signal: AbortSignal,
): Promise<void> {
  const { pod, container } = hooked;
  try {
    const podIp = action.host ? '' : await addressOf(runtime, pod);
    await sendHook(hookRequest(action, container.ports ?? [], podIp), signal);
  } catch (error) {
    const title = `HTTP lifecycle hook (${action.path ?? ''}) ${placeOf(hooked)} failed`;
    throw hookFailed({ message: `${title} - error: ${failureMessageOf(error)}` }, error);
  }
}

async function runSleep(
  { clock }: HookDeps,
  hooked: HookedContainer,
  seconds: number,
  signal: AbortSignal,
): Promise<void> {
  await wait(clock, seconds * 1000, signal).catch((error) => {
    const title = `Sleep lifecycle hook (${seconds}) ${placeOf(hooked)} failed`;
    const message = `${title} - error: container terminated before sleep hook finished`;
    throw hookFailed({ message }, error);
  });
}

async function addressOf(runtime: HookDeps['runtime'], pod: Pod): Promise<string> {
  const { uid } = podReferenceOf(pod);
  const { ips } = await runtime.inspect(uid);
  const ip = ips[0] ?? (pod.spec.hostNetwork ? '127.0.0.1' : undefined);
  if (ip === undefined) throw hookFailed({ message: 'failed to find networking container' });
  return ip;
}

function placeOf({ pod, container }: HookedContainer): string {
  return `for Container ${goQuote(container.name)} in Pod ${goQuote(podTitle(podReferenceOf(pod)))}`;
}
