/** Serves /pods, the desired pods, and /runningpods/, the pods that run in the runtime. */
import type { Pod } from '../../api/pod.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { PodRuntime, RuntimePodEntry } from '../../ports/runtime/pod-runtime.ts';
import { jsonText, text } from '../answers.ts';

export function podList(pods: readonly Pod[]): ApiResponse {
  // Items of a list have no kind and apiVersion.
  return listOf(pods.map(({ kind: _kind, apiVersion: _version, ...pod }) => pod));
}

export async function runningPodList(runtime: Pick<PodRuntime, 'list'>): Promise<ApiResponse> {
  try {
    const entries = await runtime.list();
    return listOf(entries.filter(isRunning).map(runningPod));
  } catch (error) {
    return text(500, error instanceof Error ? error.message : String(error));
  }
}

function isRunning({ pod }: RuntimePodEntry): boolean {
  const hasContainer = pod.containers.some(({ state }) => state === 'running');
  return hasContainer || pod.sandboxes.some(({ ready }) => ready);
}

function runningPod({ uid, name, namespace, pod }: RuntimePodEntry): JsonObject {
  const running = pod.containers.filter(({ state }) => state === 'running');
  const containers = running.map((each) => ({
    name: each.name,
    image: each.imageRef,
    resources: {},
  }));
  return { metadata: { name, namespace, uid }, spec: { containers }, status: {} };
}

function listOf(items: readonly object[]): ApiResponse {
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: {}, items };
  return jsonText(JSON.stringify(list));
}
