/**
 * The HTTP server of podkeep's kubelet for the API server, Prometheus and administrators, with the paths and
 * answers of Kubernetes' kubelet v1.36 (docs/kubelet-server.md).
 *
 *     listener or API server ──> path ──> authentication, authorization ──> handler ──> answer
 *                                            └──> streaming, for exec, attach and port-forward
 *
 * The server is a function from requests to answers; cli/ connects it to a listener. Its options:
 *
 *     access     authentication and authorization, such as auth/review-access.ts
 *     pods       the pods of this node with their newest statuses, all but mirrors
 *     findPod    one of them by namespace and name; a static pod has the same names as its mirror
 *     runtime    the pods that really run
 *     logs       LogReader over the files or the memory in which the runtime keeps logs
 *     usage      UsageReader: CPU and memory; `storage`: StorageUsage, the usage of disks
 *     metrics    registry of /metrics (KubeletMetrics.registry), to which the server adds its own metrics
 *     probeMetrics   registry of /metrics/probes (the registry of ProbeMetrics)
 *     configz    the effective configuration, as a KubeletConfiguration
 *     checks     health checks beside ping and log
 *     streaming  serves the protocols of exec, attach and port-forward
 *     ownLog     podkeep's own log: its newest lines, and its verbosity
 *     flags      the flags of the command line, for /flagz
 *     settings   enableDebuggingHandlers and others of KubeletConfiguration, and the folder of the machine's
 *                own logs, if that is served
 *     query      NodeQuery: the data of /podkeep/v1 (docs/query-api.md)
 */
import type { Pod } from '../api/pod.ts';
import type { LogReader } from '../kubelet/logs/log-reader.ts';
import type { NodeQuery } from '../kubelet/query/node-query.ts';
import type { StorageUsage } from '../kubelet/stats/storage-usage.ts';
import type { UsageReader } from '../kubelet/stats/usage-reader.ts';
import type { HealthCheck } from '../lib/health-report.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Registry } from '../lib/metrics/registry.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  ApiRequest,
  ApiResponse,
  Connection,
  HttpHandler,
  ClientIdentity,
} from '../ports/api/http-handler.ts';
import type { KubeletAccess } from '../ports/api/kubelet-access.ts';
import type { Log } from '../ports/log.ts';
import type { OwnLog } from '../ports/observe/own-log.ts';
import type { PodRuntime } from '../ports/runtime/pod-runtime.ts';
import type { Streaming } from '../ports/api/streaming.ts';
import { errorText, pathNotFound } from './answers.ts';
import { refusalOf } from './auth/gate.ts';
import { foreignHostOf } from './auth/host-check.ts';
import { makeRouter } from './kubelet-handlers.ts';
import { HttpMetrics, whenSent } from './metrics/http-metrics.ts';
import type { BuildInfo } from './metrics/node-metrics.ts';
import { queryRefusal } from './query/query-answers.ts';
import { QUERY_ROOT } from './query/query-area.ts';
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
  /** Returns the name of a block device. Empty: not known. Absent: no names are known. */
  readonly deviceName?: ((major: number, minor: number) => string) | undefined;
  readonly metrics: Registry;
  /** Called before each answer of /metrics, to refresh metrics that are counted on demand. */
  readonly refreshCounts?: (() => void) | undefined;
  readonly probeMetrics: Registry;
  readonly build: BuildInfo;
  configz(): JsonObject;
  readonly checks: readonly HealthCheck[];
  readonly streaming: Streaming;
  /** Absent: podkeep's own log is not served, and its verbosity cannot be changed. */
  readonly ownLog?: OwnLog;
  /** Absent: /flagz is not served. */
  readonly flags?: () => Readonly<Record<string, string>>;
  /** Absent: there is no /podkeep/v1. */
  readonly query?: NodeQuery;
  /** Names of this server besides its node's name, for the check of the Host header at /podkeep/v1. */
  readonly hostNames?: () => readonly string[];
  readonly settings?: KubeletServerSettings;
}

export interface KubeletServerSettings {
  /** Absent: true. False: no logs, no commands and no streams are served. */
  readonly enableDebuggingHandlers?: boolean;
  /** Absent: true. /debug/flags/v changes the verbosity. */
  readonly enableDebugFlagsHandler?: boolean;
  /** Absent: false. /logs/?query=kubelet answers with podkeep's own log. */
  readonly enableSystemLogQuery?: boolean;
  /** The folder that /logs/ shows. Absent: /logs/ serves no files. */
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
      this.#options.log.error('Failed to serve request', {
        method: request.method,
        url: request.url,
        error,
      });
      return errorText(500, 'Internal Server Error');
    }
  }

  /** Serves a request with an upgrade. If its path does not stream, it is answered as without the upgrade. */
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
      this.#options.log.error('Failed to serve streaming request', { url: request.url, error });
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
    if (found.type === 'none') return pathNotFound();
    if (found.type === 'moved') {
      const search = read.query.toString();
      return movedTo(`${found.location}${search === '' ? '' : `?${search}`}`);
    }
    const refusal =
      this.#misdirected(request, read.path, clientIdentity) ??
      (await refusalOf(this.#options, request, read.path, clientIdentity));
    return refusal ?? found.answer({ request, path: read.path, query: read.query });
  }

  /**
   * Only the query API checks the host: clients of the kubelet's own paths may use any name, as in the
   * kubelet.
   */
  #misdirected(
    request: ApiRequest,
    path: string,
    clientIdentity: ClientIdentity,
  ): ApiResponse | null {
    if (path !== QUERY_ROOT && !path.startsWith(`${QUERY_ROOT}/`)) return null;
    const { nodeName, hostNames } = this.#options;
    const host = foreignHostOf(request, clientIdentity, [nodeName, ...(hostNames?.() ?? [])]);
    if (host === null) return null;
    const message = `${JSON.stringify(host)} is not a name of node ${nodeName}`;
    return queryRefusal(421, 'MisdirectedRequest', message);
  }
}

function movedTo(location: string): ApiResponse {
  return { status: 301, headers: [['location', location]], body: null };
}

function pathForMetrics(url: string): string {
  const read = readPath(url);
  return read.type === 'path' ? read.path : '';
}
