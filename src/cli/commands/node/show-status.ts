/**
 * `podkeep status`: prints readiness, conditions, pods by phase, pods that are not ready and why, and recent
 * Warning Events.
 */
import { formatHumanDuration } from '../../../api/values/human-duration.ts';
import { PodkeepError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import { ApiError } from '../../../ports/api/api-client.ts';
import type { Io } from '../../io.ts';
import { visibleText } from '../../terminal-text.ts';
import { openSession, type ApiSession, type SessionOptions } from '../api-session.ts';
import { objectsIn, textOf } from '../kind-lookup.ts';
import { askNode, askNodes, namespaceQuery, nodeNames } from './node-queries.ts';
import { numberAt, objectAt, tableOf } from './object-fields.ts';
import { printObject } from '../object-printer.ts';
import { TablePrinter } from '../table-printer.ts';

/** With a namespace, only its pods and warnings are listed. */
export interface StatusOptions extends SessionOptions {
  readonly output: 'text' | 'json';
}

const WARNINGS_MAX = 10;
const WARNINGS_QUERY = 'fieldSelector=type%3DWarning&limit=500';

export async function showStatus(
  wanted: string | undefined,
  { output, ...options }: StatusOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const session = await openSession(options, io);
  try {
    const names = await nodeNames(session, wanted, signal);
    const { namespace } = options;
    const events = await readWarnings(session, namespace, io, signal);
    const pods = `pods${namespace === undefined ? '' : `?${namespaceQuery(namespace)}`}`;
    const { answers, code } = await askNodes(names, io, async (node) => ({
      ...(await askNode(session, node, 'node', signal)),
      notReadyPods: notReadyPods(await askNode(session, node, pods, signal)),
      alerts: await firingAlerts(session, node, signal),
      warnings: events.filter((event) => isOfNode(event, node)).slice(-WARNINGS_MAX),
    }));
    if (output === 'json') {
      const list = { kind: 'NodeReportList', apiVersion: 'podkeep/v1', items: answers };
      const text = await printObject(list, 'json');
      io.out(io.isOutTerminal ? visibleText(text) : text);
    } else io.out(answers.map((report) => visibleText(textOfReport(report))).join('\n'));
    return code;
  } finally {
    await session.close();
  }
}

/** Empty: no alert fires, the node evaluates no rules, or an older podkeep runs it. */
async function firingAlerts(
  session: ApiSession,
  node: string,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  try {
    const { items } = await askNode(session, node, 'alerts', signal);
    return objectsIn(items).filter(({ state }) => state === 'firing');
  } catch (error) {
    if (error instanceof PodkeepError && error.code === 'NODE_NOT_QUERYABLE') return [];
    throw error;
  }
}

/** Warning Events, oldest first. A user who may not read Events still gets the rest of the status. */
async function readWarnings(
  session: ApiSession,
  namespace: string | undefined,
  io: Io,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  try {
    const inside = namespace === undefined ? '' : `namespaces/${encodeURIComponent(namespace)}/`;
    const list = await session.ask(`/api/v1/${inside}events?${WARNINGS_QUERY}`, signal);
    return objectsIn(list['items']).toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    io.err(`warning events are not shown: ${visibleText(error.message)}\n`);
    return [];
  }
}

function isOfNode(event: JsonObject, node: string): boolean {
  const host = textOf(objectAt(event, 'source')['host']);
  return host === node || textOf(event['reportingInstance']) === node;
}

function timeOf(event: JsonObject): string {
  const { lastTimestamp, eventTime } = event;
  const { creationTimestamp } = objectAt(event, 'metadata');
  return (
    [lastTimestamp, eventTime, creationTimestamp].map(textOf).find((text) => text !== '') ?? ''
  );
}

function notReadyPods(list: JsonObject): readonly JsonObject[] {
  return objectsIn(list['items']).flatMap((pod) => {
    const status = objectAt(pod, 'status');
    const ready = objectsIn(status['conditions']).find(({ type }) => type === 'Ready');
    if (ready?.['status'] === 'True' || status['phase'] === 'Succeeded') return [];
    const { namespace = '', name = '' } = objectAt(pod, 'metadata');
    return [{ namespace, name, phase: textOf(status['phase']), why: reasonOf(status, ready) }];
  });
}

/** The reason of a waiting or terminated container says more than the condition of the pod. */
function reasonOf(status: JsonObject, ready: JsonObject | undefined): string {
  const all = [status['initContainerStatuses'], status['containerStatuses']].flatMap(objectsIn);
  const states = all.map((container) => objectAt(container, 'state'));
  const found = [
    status,
    ...states.map((state) => objectAt(state, 'waiting')),
    ...states.map((state) => objectAt(state, 'terminated')),
    ready ?? {},
  ].find(({ reason }) => textOf(reason) !== '' && reason !== 'Completed');
  return [found?.['reason'], found?.['message']].map(textOf).filter(Boolean).join(': ');
}

function textOfReport(report: JsonObject): string {
  const reasons = report['notReadyReasons'];
  const state =
    report['ready'] === true
      ? 'Ready'
      : `NotReady${Array.isArray(reasons) ? `: ${reasons.join('; ')}` : ''}`;
  const warnings = objectsIn(report['warnings']);
  return [
    `Node ${textOf(report['name'])}: ${state}\n`,
    section('Conditions', ['Type', 'Status', 'Reason', 'Message'], conditionRows(report)),
    podLine(report),
    section(
      'Pods that are not ready',
      ['Namespace', 'Name', 'Phase', 'Why'],
      objectsIn(report['notReadyPods']).map((pod) =>
        ['namespace', 'name', 'phase', 'why'].map((field) => textOf(pod[field])),
      ),
    ),
    section(
      'Firing alerts',
      ['Alert', 'Severity', 'Summary'],
      objectsIn(report['alerts']).map((alert) => [
        textOf(alert['alertname']),
        textOf(alert['severity']),
        textOf(objectAt(alert, 'annotations')['summary']),
      ]),
    ),
    section('Recent warnings', ['Age', 'Object', 'Reason', 'Message'], warnings.map(warningRow)),
  ].join('');
}

function conditionRows(report: JsonObject): readonly (readonly string[])[] {
  const { conditions } = objectAt(objectAt(report, 'node'), 'status');
  return objectsIn(conditions).map((condition) =>
    ['type', 'status', 'reason', 'message'].map((field) => textOf(condition[field])),
  );
}

function podLine(report: JsonObject): string {
  const pods = objectAt(report, 'pods');
  const byPhase = objectAt(pods, 'byPhase');
  const phases = Object.keys(byPhase).map((phase) => `${numberAt(byPhase, phase) ?? 0} ${phase}`);
  const counts = `${numberAt(pods, 'total') ?? 0}, ${numberAt(pods, 'ready') ?? 0} ready`;
  return `Pods: ${counts}${phases.length > 0 ? ` (${phases.join(', ')})` : ''}\n`;
}

function warningRow(event: JsonObject): readonly string[] {
  const { kind, namespace, name } = objectAt(event, 'involvedObject');
  const object = [kind, namespace, name].map(textOf).filter(Boolean).join('/');
  const age = formatHumanDuration(clock.now() - Date.parse(timeOf(event)));
  return [age, object, textOf(event['reason']), textOf(event['message'])];
}

/** Empty: there are no rows. */
function section(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length === 0) return '';
  const form = { isWide: false, hasHeaders: true, withNamespace: false, prefix: '' };
  const table = new TablePrinter(form).print(tableOf(columns, rows));
  return `${title}:\n${table.replaceAll(/^(?=.)/gm, '  ')}`;
}
