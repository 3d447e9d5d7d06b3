/** What a runtime reports, for tests. */
import type {
  RuntimeContainer,
  RuntimeContainerState,
  RuntimePod,
  RuntimeSandbox,
} from '../../src/api/runtime-pod.ts';
import { EARLIER } from './pod-parts.ts';

export const SANDBOX: RuntimeSandbox = {
  id: 'sandbox-1',
  attempt: 0,
  ready: true,
  hostNetwork: false,
  ip: '10.0.0.1',
};

/** One ready sandbox and these containers in it. */
export function runtimeOf(
  containers: readonly RuntimeContainer[] = [],
  fields: Partial<RuntimePod> = {},
): RuntimePod {
  return { sandboxes: [SANDBOX], containers, ips: ['10.0.0.1'], ...fields };
}

/** A container whose ID is `test://<name>`, unless said otherwise. */
export function observed(
  name: string,
  state: RuntimeContainerState,
  fields: Partial<RuntimeContainer> = {},
): RuntimeContainer {
  return {
    id: `test://${name}`,
    name,
    state,
    sandboxID: SANDBOX.id,
    restartCount: 0,
    image: 'app:1',
    imageRef: 'app@sha256:1',
    createdAt: EARLIER,
    ...fields,
  };
}

export function exited(
  name: string,
  exitCode: number,
  fields: Partial<RuntimeContainer> = {},
): RuntimeContainer {
  return observed(name, 'exited', { exitCode, ...fields });
}
