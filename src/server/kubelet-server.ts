/**
 * The kubelet's own server: what the API server, Prometheus and people on the node ask it for, under
 * the paths and with the answers of Kubernetes' kubelet v1.36. docs/kubelet-server.md lists them.
 *
 *     door or API server ──> path ──> who, and may they? ──> page ──> answer
 *                                            └──> streaming, for exec, attach and port-forward
 *
 * It is a function from requests to answers; a socket is put before it by the composition. What it is
 * made of:
 *
 *     access     who asks and whether they may (auth/review-access.ts, or another)
 *     pods       the pods of this node with their newest statuses, all but mirrors
 *     findPod    one of them by its names; a static pod also by those of its mirror, which are the same
 *     runtime    what really runs
 *     logs       LogReader over the files or the memory in which the runtime keeps logs
 *     usage      UsageReader: CPU and memory; `storage`: StorageUsage, what takes room on disks
 *     metrics    registry of /metrics (KubeletMetrics.registry), to which this adds its own
 *     probeMetrics   registry of /metrics/probes (the one that ProbeMetrics was made with)
 *     configz    the configuration in force, as a KubeletConfiguration
 *     checks     health checks beside ping and log, such as `syncLoopCheck`
 *     streaming  who speaks the protocols of exec, attach and port-forward
 *     settings   enableDebuggingHandlers, and the folder of the machine's own logs, if that is served
 */
import type { Pod } from '../api/pod.ts';
import type { LogReader } from '../kubelet/logs/log-reader.ts';
import type { StorageUsage } from '../kubelet/stats/storage-usage.ts';
import type { UsageReader } from '../kubelet/stats/usage-reader.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Registry } from '../lib/metrics/registry.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  ApiRequest,
  ApiResponse,
  Connection,
  HttpHandler,
  ClientIdentity,
} from '../ports/http-handler.ts';
import type { KubeletAccess } from '../ports/kubelet-access.ts';
import type { Log } from '../ports/log.ts';
import type { PodRuntime } from '../ports/runtime/pod-runtime.ts';
import type { Streaming } from '../ports/streaming.ts';
import { errorText, pageNotFound } from './answers.ts';
import { refusalOf } from './auth/gate.ts';
import { makeRouter } from './kubelet-pages.ts';
import { HttpMetrics, whenSent } from './metrics/http-metrics.ts';
import type { BuildInfo } from './metrics/node-metrics.ts';
import type { HealthCheck } from './pages/health.ts';
import { writeRawAnswer } from './raw-answer.ts';
import { readPath } from './request-path.ts';
import type { Router } from './routing.ts';
import { streamOf } from './stream-target.ts';

export interface KubeletServerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeName: string;
  readonly access: KubeletAccess;
  pods(): readonly Pod[];
  findPod(namespace: string, name: string): Pod | undefined;
  readonly runtime: PodRuntime;
  readonly logs: Pick<LogReader, 'read'>;
  readonly usage: Pick<UsageReader, 'read'>;
  readonly storage: StorageUsage;
  readonly metrics: Registry;
  readonly probeMetrics: Registry;
  readonly build: BuildInfo;
  configz(): JsonObject;
  readonly checks: readonly HealthCheck[];
  readonly streaming: Streaming;
  readonly settings?: KubeletServerSettings;
}

export interface KubeletServerSettings {
  /** Absent: true. Without it there are no logs, no commands and no streams. */
  readonly enableDebuggingHandlers?: boolean;
  /** The folder that /logs/ shows; absent: it is switched off. */
  readonly systemLogFolder?: string;
}

export class KubeletServer implements HttpHandler {
  readonly #options: KubeletServerOptions;
  readonly #router: Router;
  readonly #http: HttpMetrics;

  constructor(options: KubeletServerOptions) {
    this.#options = options;
    this.#http = new HttpMetrics(options.metrics, options.clock);
    this.#router = makeRouter(options);
  }

  async answer(request: ApiRequest, clientIdentity: ClientIdentity): Promise<ApiResponse> {
    const end = this.#http.begin(request.method, pathForMetrics(request.url));
    try {
      return whenSent(await this.#answer(request, clientIdentity), end);
    } catch (error) {
      end();
      this.#options.log.error('a request to the kubelet could not be answered', {
        method: request.method,
        url: request.url,
        error,
      });
      return errorText(500, 'Internal Server Error');
    }
  }

  /** What is no stream gets a plain answer, as if nobody had asked for another protocol. */
  async connect(
    request: ApiRequest,
    connection: Connection,
    clientIdentity: ClientIdentity,
  ): Promise<void> {
    const read = readPath(request.url);
    const stream = read.type === 'path' ? streamOf(request.method, read.path) : null;
    const { enableDebuggingHandlers = true } = this.#options.settings ?? {};
    if (!stream || read.type !== 'path' || !enableDebuggingHandlers) {
      return writeRawAnswer(connection.socket, await this.answer(request, clientIdentity));
    }
    const end = this.#http.begin(request.method, read.path);
    try {
      const refusal = await refusalOf(this.#options, request, read.path, clientIdentity);
      if (refusal) return await writeRawAnswer(connection.socket, refusal);
      await this.#options.streaming.connect(stream.kind, stream.target, request, connection);
    } catch (error) {
      this.#options.log.error('a stream of the kubelet has failed', { url: request.url, error });
      connection.socket.destroy();
    } finally {
      end();
    }
  }

  async #answer(request: ApiRequest, clientIdentity: ClientIdentity): Promise<ApiResponse> {
    const read = readPath(request.url);
    if (read.type === 'broken') return errorText(400, '400 Bad Request');
    if (read.type === 'moved') return movedTo(read.location);
    const found = this.#router.find(read.path);
    if (found.type === 'none') return pageNotFound();
    if (found.type === 'moved') {
      const search = read.query.toString();
      return movedTo(`${found.location}${search === '' ? '' : `?${search}`}`);
    }
    const refusal = await refusalOf(this.#options, request, read.path, clientIdentity);
    return refusal ?? found.answer({ request, path: read.path, query: read.query });
  }
}

function movedTo(location: string): ApiResponse {
  return { status: 301, headers: [['location', location]], body: null };
}

function pathForMetrics(url: string): string {
  const read = readPath(url);
  return read.type === 'path' ? read.path : '';
}
