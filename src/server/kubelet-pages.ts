/** All pages of the kubelet's server, and where they are. */
import { prometheusText } from '../lib/metrics/exposition.ts';
import type { ApiResponse } from '../ports/http-handler.ts';
import type { StreamKind } from '../ports/streaming.ts';
import { errorText, json, text } from './answers.ts';
import type { KubeletServerOptions } from './kubelet-server.ts';
import { HealthMetrics } from './metrics/health-metrics.ts';
import { NodeMetrics } from './metrics/node-metrics.ts';
import { addStartTime, ProcessMetrics } from './metrics/process-metrics.ts';
import { containerLogs } from './pages/container-logs.ts';
import { healthPages } from './pages/health.ts';
import { nodeLogs } from './pages/node-logs.ts';
import { podList, runningPodList } from './pages/pod-lists.ts';
import { runCommand } from './pages/run-command.ts';
import { cadvisorPage, metricsAnswer, resourcePage, summaryPage } from './pages/stats-pages.ts';
import {
  disabled,
  routed,
  Router,
  type Area,
  type Page,
  type PageRequest,
  type Words,
} from './routing.ts';
import { STREAM_PATTERNS, targetOf } from './stream-target.ts';

const STREAM_KINDS: readonly StreamKind[] = ['exec', 'attach', 'portForward'];
const STREAM_METHODS = ['GET', 'POST'];
/** What is left of them if enableDebuggingHandlers is false. */
const DEBUGGING = [
  ...['/run', '/exec', '/attach', '/portForward', '/containerLogs'],
  ...['/runningpods', '/debug/pprof', '/logs'],
];

export function makeRouter(options: KubeletServerOptions): Router {
  const { enableDebuggingHandlers = true } = options.settings ?? {};
  const health = new HealthMetrics();
  const pages = new Map<string, Page>([
    ...healthPages(options.checks, health),
    ...metricPages(options, health),
  ]);
  const always = [podsArea(options), statsArea(options)];
  if (!enableDebuggingHandlers) {
    const off = disabled('Debug endpoints are disabled.');
    return new Router(pages, [...always, ...DEBUGGING.map((root) => folder(root, off))]);
  }
  pages.set('/configz', () => json({ kubeletconfig: options.configz() }));
  pages.set('/debug/flags/v', disabled('flags endpoint is disabled.'));
  return new Router(pages, [
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
  ]);
}

function metricPages(
  options: KubeletServerOptions,
  health: HealthMetrics,
): readonly [string, Page][] {
  const { metrics, probeMetrics, clock } = options;
  const own = new ProcessMetrics(metrics, clock.now());
  const node = new NodeMetrics({ ...options, registry: metrics, pods: () => options.pods() });
  addStartTime(probeMetrics, clock.now());
  return [
    [
      '/metrics',
      async () => {
        await Promise.all([own.refresh(), node.refresh()]);
        return metricsAnswer(prometheusText.expose(metrics));
      },
    ],
    ['/metrics/cadvisor', () => cadvisorPage(options)],
    ['/metrics/resource', () => resourcePage(options)],
    ['/metrics/probes', () => metricsAnswer(prometheusText.expose(probeMetrics))],
    ['/metrics/slis', () => metricsAnswer(health.text())],
  ];
}

function podsArea(options: KubeletServerOptions): Area {
  return { root: '/pods', answer: routed('/pods', [get('', () => podList(options.pods()))]) };
}

function statsArea(options: KubeletServerOptions): Area {
  const methods = ['GET', 'POST'];
  const answer = ({ query }: PageRequest): Promise<ApiResponse> => summaryPage(options, query);
  return folder('/stats', routed('/stats', [{ methods, pattern: 'summary', answer }]));
}

function logsArea({ settings = {} }: KubeletServerOptions): Area {
  const { systemLogFolder } = settings;
  if (systemLogFolder === undefined) return folder('/logs', disabled('logs endpoint is disabled.'));
  const answer: Page = ({ path }) =>
    nodeLogs(systemLogFolder, path.slice('/logs/'.length), path.endsWith('/'));
  return folder('/logs', routed('/logs', [get('*', answer)]));
}

function containerLogsArea(options: KubeletServerOptions): Area {
  const root = '/containerLogs';
  const pattern = ':namespace/:pod/:container';
  const route = {
    methods: ['GET'],
    pattern,
    answer: ({ query }: PageRequest, words: Words) => containerLogs(options, words, query),
  };
  return { root, answer: routed(root, [route]) };
}

function runArea(options: KubeletServerOptions): Area {
  const routes = STREAM_PATTERNS.exec.map((pattern) => ({
    methods: ['POST'],
    pattern,
    answer: ({ query }: PageRequest, words: Words) => runCommand(options, targetOf(words), query),
  }));
  return { root: '/run', answer: routed('/run', routes) };
}

/** Who comes here has not asked for the protocol that it takes. */
function streamArea(options: KubeletServerOptions, kind: StreamKind): Area {
  const root = `/${kind}`;
  const routes = STREAM_PATTERNS[kind].map((pattern) => ({
    methods: STREAM_METHODS,
    pattern,
    answer: (_request: PageRequest, words: Words) => {
      const { namespace, podName } = targetOf(words);
      const pod = options.findPod(namespace, podName);
      return pod ? errorText(500, 'Upgrade request required') : text(404, 'pod does not exist');
    },
  }));
  return { root, answer: routed(root, routes) };
}

function get(pattern: string, answer: Page) {
  return { methods: ['GET'], pattern, answer };
}

function folder(root: string, answer: Page): Area {
  return { root, isFolder: true, answer };
}
