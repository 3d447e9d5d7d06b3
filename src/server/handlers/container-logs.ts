/** Serves /containerLogs/NAMESPACE/POD/CONTAINER: the log that `kubectl logs` shows. */
import type { Pod } from '../../api/pod.ts';
import type { LogReader } from '../../kubelet/logs/log-reader.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { text } from '../answers.ts';
import type { PathParameters } from '../routing.ts';
import { hasContainer, loggedContainer } from './logged-container.ts';
import { readLogQuery } from './log-query.ts';

export interface ContainerLogsOptions {
  readonly clock: Clock;
  readonly runtime: Pick<PodRuntime, 'inspect'>;
  readonly logs: Pick<LogReader, 'read'>;
  findPod(namespace: string, name: string): Pod | undefined;
}

export async function containerLogs(
  options: ContainerLogsOptions,
  parameters: PathParameters,
  query: URLSearchParams,
): Promise<ApiResponse> {
  const [namespace = '', name = '', container = ''] = ['namespace', 'pod', 'container'].map((key) =>
    parameters.get(key),
  );
  const read = readLogQuery(query, options.clock.now());
  if ('message' in read) return text(read.status, read.message);
  const pod = options.findPod(namespace, name);
  if (!pod) return text(404, `pod ${JSON.stringify(name)} does not exist`);
  if (!hasContainer(pod, container)) {
    const where = `in pod ${JSON.stringify(name)}`;
    return text(404, `container ${JSON.stringify(container)} not found ${where}`);
  }
  const found = loggedContainer(pod, container, read.previous);
  if ('problem' in found) return text(400, found.problem);
  try {
    const run = await runOf(options, pod, found.id);
    if (!run) return text(400, `unable to retrieve container logs for ${found.id}`);
    // No content type, as in the kubelet: the format of a container's output is unknown.
    return { status: 200, headers: [], body: await options.logs.read(run, found.id, read.options) };
  } catch (error) {
    return text(400, error instanceof Error ? error.message : String(error));
  }
}

/** Null: the runtime no longer has the container, and its log is gone. */
async function runOf({ runtime }: ContainerLogsOptions, { metadata }: Pod, id: string) {
  const { uid = '', name = '', namespace = '' } = metadata;
  const { containers } = await runtime.inspect(uid);
  const found = containers.find((each) => each.id === id);
  if (!found) return null;
  const pod = { uid, name, namespace };
  return { pod, container: found.name, attempt: found.restartCount };
}
