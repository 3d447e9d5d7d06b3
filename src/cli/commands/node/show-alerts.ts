/** `podkeep alerts`: prints the alerts of nodes. */
import { formatHumanDuration } from '../../../api/values/human-duration.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import type { Io } from '../../io.ts';
import { visibleText } from '../../terminal-text.ts';
import { openSession, type SessionOptions } from '../api-session.ts';
import { objectsIn, textOf } from '../kind-lookup.ts';
import { askNode, askNodes, nodeNames } from './node-queries.ts';
import { objectAt, tableOf } from './object-fields.ts';
import { printObject } from '../object-printer.ts';
import { TablePrinter } from '../table-printer.ts';

/** With a namespace, only alerts about its pods are listed. */
export interface AlertsOptions extends SessionOptions {
  readonly output: 'table' | 'json';
}

const STATES: readonly string[] = ['firing', 'pending', 'resolved'];
const FORM = { isWide: false, hasHeaders: true, withNamespace: false, prefix: '' };

export async function showAlerts(
  wanted: string | undefined,
  { output, ...options }: AlertsOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const session = await openSession(options, io);
  try {
    const names = await nodeNames(session, wanted, signal);
    const { answers, code } = await askNodes(names, io, (node) =>
      askNode(session, node, 'alerts', signal),
    );
    const { namespace } = options;
    const alerts = answers
      .flatMap(({ items }) => objectsIn(items))
      .filter((alert) => namespace === undefined || labelOf(alert, 'namespace') === namespace)
      .toSorted((a, b) => STATES.indexOf(textOf(a['state'])) - STATES.indexOf(textOf(b['state'])));
    if (output === 'json') {
      const list = { kind: 'AlertList', apiVersion: 'podkeep/v1', items: alerts };
      const text = await printObject(list, 'json');
      io.out(io.isOutTerminal ? visibleText(text) : text);
    } else if (alerts.length === 0) io.err('No alerts.\n');
    else io.out(visibleText(new TablePrinter(FORM).print(tableOf(COLUMNS, alerts.map(rowOf)))));
    return code;
  } finally {
    await session.close();
  }
}

const COLUMNS = ['State', 'Since', 'Severity', 'Alert', 'Subject', 'Summary'];

function rowOf(alert: JsonObject): readonly string[] {
  const { state, activeAt, firedAt, resolvedAt } = alert;
  const since = [resolvedAt, firedAt, activeAt].map(textOf).find((text) => text !== '') ?? '';
  return [
    textOf(state),
    formatHumanDuration(clock.now() - Date.parse(since)),
    textOf(alert['severity']),
    textOf(alert['alertname']),
    subjectOf(alert),
    textOf(objectAt(alert, 'annotations')['summary']),
  ];
}

function subjectOf(alert: JsonObject): string {
  const [namespace, pod, container] = ['namespace', 'pod', 'container'].map((name) =>
    labelOf(alert, name),
  );
  if (pod === '') return `node/${labelOf(alert, 'node')}`;
  return [namespace, pod, container].filter((part) => part !== '').join('/');
}

function labelOf(alert: JsonObject, name: string): string {
  return textOf(objectAt(alert, 'labels')[name]);
}
