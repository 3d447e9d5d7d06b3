/** Serves /run/NAMESPACE/POD[/UID]/CONTAINER: runs a command in a container, and answers with its output. */
import type { Pod } from '../../api/pod.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { StreamTarget } from '../../ports/api/streaming.ts';
import { text } from '../answers.ts';

export interface RunCommandOptions {
  readonly runtime: Pick<PodRuntime, 'inspect' | 'execSync'>;
  findPod(namespace: string, name: string): Pod | undefined;
}

export async function runHandler(
  options: RunCommandOptions,
  target: StreamTarget,
  query: URLSearchParams,
): Promise<ApiResponse> {
  const { namespace, podName, podUid, container } = target;
  const pod = options.findPod(namespace, podName);
  if (!pod) return text(404, 'pod does not exist');
  const { uid = '' } = pod.metadata;
  // As in the kubelet, the command is split at every space; quotes have no meaning.
  const command = (query.get('cmd') ?? '').split(' ');
  try {
    const isSame = podUid === null || podUid === uid;
    const { containers } = isSame ? await options.runtime.inspect(uid) : { containers: [] };
    const running = containers.find(({ name, state }) => name === container && state === 'running');
    if (!running) return text(500, `container not found (${JSON.stringify(container)})`);
    return await run(options, running.id, command);
  } catch (error) {
    return text(500, error instanceof Error ? error.message : String(error));
  }
}

async function run({ runtime }: RunCommandOptions, id: string, command: readonly string[]) {
  const { signal } = new AbortController();
  const result = await runtime.execSync(id, { command, timeoutSeconds: 0 }, signal);
  const { stdout, stderr, exitCode } = result;
  if (exitCode === 0) {
    const headers = [['content-type', 'application/json']] as const;
    return { status: 200, headers, body: Buffer.concat([stdout, stderr]) };
  }
  const parameters = Buffer.from(stderr).toString();
  return text(500, `command '${command.join(' ')}' exited with ${exitCode}: ${parameters}`);
}
