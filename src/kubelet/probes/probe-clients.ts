/** Runs a probe of any kind behind one interface, so that a simulation can answer instead. */
import type { Container, PodStatus } from '../../api/pod.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { podTitle } from '../../api/run-spec.ts';
import { probeErrored, type ProbeAnswer } from './answer.ts';
import { expandCommand, probeExec, type EnvVar } from './clients/exec-client.ts';
import { probeGrpc } from './clients/grpc-client.ts';
import { probeHttp } from './clients/http-client.ts';
import { httpProbeRequest } from './clients/http-request.ts';
import { probeTcp } from './clients/tcp-client.ts';
import { portNumber } from './probe-address.ts';
import { settingOf, type Probe } from './probe-spec.ts';

/** The container to probe, and how. */
export interface ProbeQuestion {
  readonly pod: PodReference;
  /** The status that podkeep reports: it has the addresses. */
  readonly status: PodStatus;
  readonly container: Container;
  readonly containerID: string;
  readonly probe: Probe;
}

/** Probes once. Throws if the probe could not run, and the signal's reason if it is aborted. */
export type AskContainer = (question: ProbeQuestion, signal: AbortSignal) => Promise<ProbeAnswer>;

/** Probes over this machine's network, and runs commands through the runtime. */
export function networkProbes(clock: Clock, runtime: Pick<PodRuntime, 'execSync'>): AskContainer {
  return async ({ pod, status, container, containerID, probe }, signal) => {
    const { exec, httpGet, tcpSocket, grpc } = probe;
    const { podIP = '' } = status;
    const timeoutSeconds = settingOf(probe, 'timeoutSeconds');
    const timeoutMs = timeoutSeconds * 1000;
    if (exec) {
      const command = expandCommand(exec.command ?? [], envOf(container));
      return probeExec(runtime, containerID, command, timeoutSeconds, signal);
    }
    if (httpGet) {
      const request = httpProbeRequest(httpGet, container, podIP);
      return probeHttp(clock, request, timeoutMs, signal);
    }
    if (tcpSocket) {
      const port = portNumber(tcpSocket.port, container);
      const host = tcpSocket.host || podIP;
      return probeTcp(clock, { host, port }, timeoutMs, signal);
    }
    if (grpc) {
      const address = { host: podIP, port: grpc.port };
      return probeGrpc(clock, address, grpc.service ?? '', timeoutMs, signal);
    }
    throw probeErrored({
      message: `missing probe handler for ${podTitle(pod)}:${container.name}`,
    });
  };
}

function envOf(container: Container & { readonly env?: readonly EnvVar[] }): readonly EnvVar[] {
  return container.env ?? [];
}
