/** Builds the router of the kubelet's server: all paths and their handlers. */
import { prometheusText } from '../lib/metrics/exposition.ts';
import type { ApiResponse } from '../ports/api/http-handler.ts';
import type { StreamKind } from '../ports/api/streaming.ts';
import { errorText, json, text } from './answers.ts';
import type { KubeletServerOptions } from './kubelet-server.ts';
import { HealthMetrics } from './metrics/health-metrics.ts';
import { NodeMetrics } from './metrics/node-metrics.ts';
import { addStartTime, ProcessMetrics } from './metrics/process-metrics.ts';
import { SaturationMetrics } from './metrics/saturation-metrics.ts';
import { containerLogs } from './handlers/container-logs.ts';
import { healthHandlers } from './handlers/health.ts';
import { verbosityHandler } from './handlers/debug-flags.ts';
import { nodeLogs } from './handlers/node-logs.ts';
import { ownLogAnswer } from './handlers/own-log-answer.ts';
import { podList, runningPodList } from './handlers/pod-lists.ts';
import { runHandler } from './handlers/run-command.ts';
import { zpagesHandlers } from './handlers/zpages-handlers.ts';
import {
  cadvisorHandler,
  metricsAnswer,
  resourceHandler,
  summaryHandler,
} from './handlers/stats-handlers.ts';
import { queryArea } from './query/query-area.ts';
import {
  disabled,
  routed,
  Router,
  type Area,
  type Handler,
  type HandlerRequest,
  type PathParameters,
} from './routing.ts';
import { STREAM_PATTERNS, targetOf } from './stream-target.ts';

const STREAM_KINDS: readonly StreamKind[] = ['exec', 'attach', 'portForward'];
const STREAM_METHODS = ['GET', 'POST'];
/** The paths that answer "disabled" if enableDebuggingHandlers is false. */
const DEBUGGING = [
  ...['/run', '/exec', '/attach', '/portForward', '/containerLogs'],
  ...['/runningpods', '/debug/pprof', '/logs'],
];

export function makeRouter(options: KubeletServerOptions): Router {
  const { enableDebuggingHandlers = true } = options.settings ?? {};
  const health = new HealthMetrics();
  const handlers = new Map<string, Handler>([
    ...healthHandlers(options.checks, health),
    ...metricHandlers(options, health),
  ]);
  const { query, clock, build } = options;
  const always = [
    podsArea(options),
    statsArea(options),
    ...(query ? [queryArea({ clock, query, version: build.gitVersion })] : []),
  ];
  if (!enableDebuggingHandlers) {
    const off = disabled('Debug endpoints are disabled.');
    return new Router(handlers, [...always, ...DEBUGGING.map((root) => folder(root, off))]);
  }
  handlers.set('/configz', () => json({ kubeletconfig: options.configz() }));
  handlers.set('/debug/flags/v', flagsHandler(options));
  const areas = [
    ...always,
    folder(
      '/runningpods',
      routed('/runningpods', [get('', () => runningPodList(options.runtime))]),
    ),
    folder('/debug/pprof', disabled('profiling endpoint is disabled.')),
    logsArea(options),
    containerLogsArea(options),
    runArea(options),
    ...STREAM_KINDS.map((kind) => streamArea(options, kind)),
  ];
  const paths = [...handlers.keys(), ...areas.map(({ root }) => root)];
  return new Router(new Map([...handlers, ...zpagesHandlers(options, paths)]), areas);
}

function flagsHandler({ ownLog, settings = {} }: KubeletServerOptions): Handler {
  const { enableDebugFlagsHandler = true } = settings;
  return ownLog && enableDebugFlagsHandler
    ? verbosityHandler(ownLog)
    : disabled('flags endpoint is disabled.');
}

function metricHandlers(
  options: KubeletServerOptions,
  health: HealthMetrics,
): readonly [string, Handler][] {
  const { metrics, probeMetrics, clock } = options;
  const own = new ProcessMetrics(metrics, clock.now());
  const node = new NodeMetrics({ ...options, registry: metrics, pods: () => options.pods() });
  const saturation = new SaturationMetrics(metrics, options);
  addStartTime(probeMetrics, clock.now());
  return [
    [
      '/metrics',
      async () => {
        await Promise.all([own.refresh(), node.refresh(), saturation.refresh()]);
        return metricsAnswer(prometheusText.expose(metrics));
      },
    ],
    ['/metrics/cadvisor', () => cadvisorHandler(options)],
    ['/metrics/resource', () => resourceHandler(options)],
    ['/metrics/probes', () => metricsAnswer(prometheusText.expose(probeMetrics))],
    ['/metrics/slis', () => metricsAnswer(health.text())],
  ];
}

function podsArea(options: KubeletServerOptions): Area {
  return { root: '/pods', answer: routed('/pods', [get('', () => podList(options.pods()))]) };
}

function statsArea(options: KubeletServerOptions): Area {
  const methods = ['GET', 'POST'];
  const answer = ({ query }: HandlerRequest): Promise<ApiResponse> =>
    summaryHandler(options, query);
  return folder('/stats', routed('/stats', [{ methods, pattern: 'summary', answer }]));
}

/**
 * /logs/ serves the machine's log files from a folder, and podkeep's own log by a query; either may be off.
 */
function logsArea({ settings = {}, ownLog, clock }: KubeletServerOptions): Area {
  const { systemLogFolder, enableSystemLogQuery = false } = settings;
  const isOff = disabled('logs endpoint is disabled.');
  const files: Handler = (request) => {
    const { path } = request;
    if (systemLogFolder === undefined) return isOff(request);
    return nodeLogs(systemLogFolder, path.slice('/logs/'.length), path.endsWith('/'));
  };
  if (!ownLog || !enableSystemLogQuery) {
    return folder(
      '/logs',
      systemLogFolder === undefined ? isOff : routed('/logs', [get('*', files)]),
    );
  }
  const answer: Handler = async (request) => {
    const rest = request.path.slice('/logs/'.length);
    return (await ownLogAnswer({ ownLog, clock }, request.query, rest)) ?? files(request);
  };
  return { root: '/logs', isFolder: false, answer: routed('/logs', [get('*', answer)]) };
}

function containerLogsArea(options: KubeletServerOptions): Area {
  const root = '/containerLogs';
  const pattern = ':namespace/:pod/:container';
  const route = {
    methods: ['GET'],
    pattern,
    answer: ({ query }: HandlerRequest, parameters: PathParameters) =>
      containerLogs(options, parameters, query),
  };
  return { root, answer: routed(root, [route]) };
}

function runArea(options: KubeletServerOptions): Area {
  const routes = STREAM_PATTERNS.exec.map((pattern) => ({
    methods: ['POST'],
    pattern,
    answer: ({ query }: HandlerRequest, parameters: PathParameters) =>
      runHandler(options, targetOf(parameters), query),
  }));
  return { root: '/run', answer: routed('/run', routes) };
}

/** Answers requests for exec, attach and port-forward that did not ask for an upgrade. */
function streamArea(options: KubeletServerOptions, kind: StreamKind): Area {
  const root = `/${kind}`;
  const routes = STREAM_PATTERNS[kind].map((pattern) => ({
    methods: STREAM_METHODS,
    pattern,
    answer: (_request: HandlerRequest, parameters: PathParameters) => {
      const { namespace, podName } = targetOf(parameters);
      const pod = options.findPod(namespace, podName);
      return pod ? errorText(500, 'Upgrade request required') : text(404, 'pod does not exist');
    },
  }));
  return { root, answer: routed(root, routes) };
}

function get(pattern: string, answer: Handler) {
  return { methods: ['GET'], pattern, answer };
}

function folder(root: string, answer: Handler): Area {
  return { root, isFolder: true, answer };
}
