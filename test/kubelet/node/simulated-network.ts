/**
 * Probes of simulated pods: commands run in the containers; on the network no server answers, unless the
 * test provides one.
 */
import type { Clock } from '../../../src/ports/clock.ts';
import type { PodRuntime } from '../../../src/ports/runtime/pod-runtime.ts';
import { networkProbes, type AskContainer } from '../../../src/kubelet/probes/probe-clients.ts';

export function simulatedProbes(
  clock: Clock,
  runtime: Pick<PodRuntime, 'execSync'>,
  askNetwork: AskContainer = noAnswer,
): AskContainer {
  const inside = networkProbes(clock, runtime);
  return (question, signal) =>
    question.probe.exec ? inside(question, signal) : askNetwork(question, signal);
}

const noAnswer: AskContainer = ({ probe: { httpGet, tcpSocket, grpc } }) => {
  const refused = (port: unknown): string =>
    `dial tcp <ip>:${String(port)}: connect: connection refused`;
  const { port, path = '/', scheme = 'HTTP' } = httpGet ?? {};
  const output = httpGet
    ? `Get "${scheme.toLowerCase()}://<ip>:${String(port)}${path}": ${refused(port)}`
    : refused(tcpSocket?.port ?? grpc?.port);
  return Promise.resolve({ result: 'failure', output });
};
