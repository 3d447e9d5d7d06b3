/**
 * Parses the actions of an alert rule:
 *
 *     actions:
 *       - { type: evict, rateLimit: { max: 1, per: 10m }, dryRun: true }
 *       - { type: command, args: [/usr/local/bin/report, --short], timeout: 10s }
 *       - { type: webhook, url: 'https://hooks.example/restart', bearerTokenFile: /etc/podkeep/token }
 *
 * An action that could never run makes the file invalid: an action on a container in a rule about the node,
 * or a command on a node that does not allow commands.
 */
import path from 'node:path';
import type { SubjectKind } from '../../../core/alerts/alert-rule.ts';
import type { ActionLimit } from '../../../core/alerts/action-decision.ts';
import type { ActionTask, RuleAction } from '../../../core/alerts/rule-action.ts';
import { readUrl } from '../receivers/receiver-file.ts';
import type { YamlValue } from '../yaml-position.ts';

export interface ActionPermissions {
  /** Whether rules may run commands. */
  readonly commands: boolean;
}

/** The limit of an action without `rateLimit`. */
const DEFAULT_LIMIT: ActionLimit = { max: 1, perMs: 10 * 60_000 };
const RUNS_MAX = 100;
const PER_MS_MIN = 10_000;
const PER_MS_MAX = 7 * 24 * 60 * 60_000;
const ARGS_MAX = 64;
const TIMEOUT_MS = 10_000;
const TIMEOUT_MS_MAX = 5 * 60_000;
const COMMON = ['type', 'rateLimit', 'dryRun'];
const FIELDS: Readonly<Record<ActionTask['type'], readonly string[]>> = {
  restart: COMMON,
  evict: COMMON,
  cordon: COMMON,
  command: [...COMMON, 'args', 'timeout'],
  webhook: [...COMMON, 'url', 'bearerTokenFile'],
};
const TYPES = Object.keys(FIELDS);

type Fields = ReadonlyMap<string, YamlValue>;

/** Throws ALERT_RULE_INVALID. */
export function readActions(
  value: YamlValue | undefined,
  subject: SubjectKind,
  permissions: ActionPermissions,
): readonly RuleAction[] {
  const seen = new Set<string>();
  return (value?.items(TYPES.length) ?? []).map((item) => {
    const typeValue = item.entries().get('type')?.value ?? item.fail('type is missing');
    const type = typeValue.text();
    if (!isType(type)) return typeValue.fail(`type must be one of ${TYPES.join(', ')}`);
    // Runs are counted by type of action, even after the file has changed.
    if (seen.has(type)) typeValue.fail(`the rule has two actions of type ${type}`);
    seen.add(type);
    const fields = item.fields(FIELDS[type]);
    checkUse(typeValue, type, subject, permissions);
    return {
      task: readTask(item, fields, type),
      limit: readLimit(fields.get('rateLimit')),
      dryRun: fields.get('dryRun')?.flag() ?? false,
    };
  });
}

function isType(type: string): type is ActionTask['type'] {
  return Object.hasOwn(FIELDS, type);
}

function checkUse(
  value: YamlValue,
  type: ActionTask['type'],
  subject: SubjectKind,
  { commands }: ActionPermissions,
): void {
  if (type === 'restart' && subject !== 'container')
    value.fail('restart needs an expression that reads container');
  if (type === 'evict' && subject === 'node')
    value.fail('evict needs an expression that reads a pod or a container');
  if (type === 'command' && !commands)
    value.fail('commands are not allowed on this node: podkeep runs without --alert-commands');
}

function readTask(item: YamlValue, fields: Fields, type: ActionTask['type']): ActionTask {
  const need = (name: string): YamlValue => fields.get(name) ?? item.fail(`${name} is missing`);
  if (type === 'webhook') {
    const bearerTokenFile = fields.get('bearerTokenFile')?.text() ?? '';
    return { type, url: readUrl(need('url')), bearerTokenFile };
  }
  if (type !== 'command') return { type };
  const items = need('args').items(ARGS_MAX);
  const [program] = items;
  if (!program) return need('args').fail('args is empty');
  if (!path.isAbsolute(program.text())) program.fail('the program must be an absolute path');
  const args = items.map((one) => one.text());
  const nul = items.find((_one, index) => args[index]?.includes('\0'));
  if (nul) nul.fail('an argument cannot have a NUL');
  const timeoutMs = fields.get('timeout')?.durationMs() ?? TIMEOUT_MS;
  if (timeoutMs < 1 || timeoutMs > TIMEOUT_MS_MAX)
    need('timeout').fail('timeout must be above 0 and at most 5m');
  return { type, args, timeoutMs };
}

function readLimit(value: YamlValue | undefined): ActionLimit {
  if (!value) return DEFAULT_LIMIT;
  const fields = value.fields(['max', 'per']);
  const need = (name: string): YamlValue => fields.get(name) ?? value.fail(`${name} is missing`);
  const max = need('max').whole(1, RUNS_MAX);
  const perMs = need('per').durationMs();
  if (perMs < PER_MS_MIN || perMs > PER_MS_MAX) need('per').fail('per must be from 10s to 7d');
  return { max, perMs };
}
