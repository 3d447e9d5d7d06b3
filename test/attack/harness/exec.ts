/** Runs a command in a container over the API, as `kubectl exec` does: channels of a WebSocket. */
import { WebSocket } from 'ws';
import { readAccess } from '../../e2e/support/kubeconfig.ts';

export interface ExecRequest {
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
  readonly tty?: boolean;
  readonly stdin?: string;
  readonly seconds?: number;
}

export interface ExecOutput {
  readonly output: string;
  /** The Status with the result; empty: it did not end in time. */
  readonly status: string;
}

const STDIN = 0;
const ERROR = 3;
const SECONDS = 15;

export function execInPod(kubeconfig: string, request: ExecRequest): Promise<ExecOutput> {
  const { server, ca, cert, key } = readAccess(kubeconfig);
  const { pod, container, command, tty = false, stdin, seconds = SECONDS } = request;
  const url = new URL(`/api/v1/namespaces/default/pods/${pod}/exec`, server);
  url.protocol = 'wss:';
  const flags = { container, stdout: 'true', stderr: String(!tty), tty: String(tty) };
  for (const [name, value] of Object.entries(flags)) url.searchParams.set(name, value);
  if (stdin !== undefined) url.searchParams.set('stdin', 'true');
  for (const word of command) url.searchParams.append('command', word);
  return new Promise((resolve) => {
    let [output, status] = ['', ''];
    const socket = new WebSocket(url, 'v5.channel.k8s.io', {
      ca,
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
    const timer = setTimeout(() => socket.terminate(), seconds * 1000);
    const finish = (why = ''): void => {
      clearTimeout(timer);
      resolve({ output: output + why, status });
    };
    socket.on('open', () => {
      if (stdin !== undefined)
        socket.send(Buffer.concat([Buffer.from([STDIN]), Buffer.from(stdin)]));
    });
    socket.on('message', (data: Buffer) => {
      const text = data.subarray(1).toString('latin1');
      if (data[0] === ERROR) status += text;
      else output += text;
    });
    socket.on('error', (error) => finish(`\nexec failed: ${error.message}`));
    socket.on('close', () => finish());
  });
}
