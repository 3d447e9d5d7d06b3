/**
 * Parses an alert rule file, whose format is close to that of Prometheus:
 *
 *     groups:
 *       - name: apps
 *         rules:
 *           - alert: ManyRestarts
 *             expr: container.recentRestarts > 5
 *             for: 2m
 *             keepFiringFor: 5m
 *             labels: { severity: warning }
 *             annotations: { summary: '{{ container.name }} restarts' }
 *             actions: [{ type: restart, rateLimit: { max: 1, per: 10m } }]
 *
 * Expressions are compiled and type-checked here, so that a mistake is found when the file is loaded and not
 * when the alert is needed.
 */
import { subjectOf, type AlertRule } from '../../core/alerts/alert-rule.ts';
import {
  compileTemplate,
  TemplateFault,
  type Template,
} from '../../core/alerts/annotation-template.ts';
import { ruleVariables, type AlertInput } from '../../core/alerts/rule-variables.ts';
import { compileProgram, type CelType, type Program } from '../../cel/cel.ts';
import { readActions, type ActionPermissions } from './actions/action-file.ts';
import { readReceivers, type AlertReceiver } from './receivers/receiver-file.ts';
import { YamlFile, type YamlValue } from './yaml-position.ts';

const GROUPS_MAX = 100;
const RULES_MAX = 500;
const ALERT_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
const LABEL_NAME = /^(?!__)[A-Za-z_][A-Za-z0-9_]{0,62}$/;
/**
 * Labels that podkeep sets: a rule that could set them could make its alert look like that of another
 * subject.
 */
const OWN_LABELS: readonly string[] = [
  'alertname',
  'alertstate',
  'namespace',
  'pod',
  'container',
  'node',
  'uid',
];
const DEFAULT_SEVERITY = 'warning';

const RULE_FIELDS = ['alert', 'expr', 'for', 'keepFiringFor', 'labels', 'annotations', 'actions'];
const NO_COMMANDS: ActionPermissions = { commands: false };

export interface RuleFileContent {
  readonly rules: readonly AlertRule[];
  readonly receivers: readonly AlertReceiver[];
}

/** Throws ALERT_RULE_INVALID. */
export function readRuleFile(
  file: string,
  text: string,
  permissions: ActionPermissions,
): RuleFileContent {
  const fields = new YamlFile(file, text).root.fields(['groups', 'receivers']);
  const receivers = readReceivers(fields.get('receivers'));
  return { rules: fields.has('groups') ? readRules(file, text, permissions) : [], receivers };
}

/** Throws ALERT_RULE_INVALID. `file` is empty for the rules that ship with podkeep. */
export function readRules(
  file: string,
  text: string,
  permissions = NO_COMMANDS,
): readonly AlertRule[] {
  const { root } = new YamlFile(file === '' ? 'default rules' : file, text);
  const groups =
    root.fields(['groups', 'receivers']).get('groups') ?? root.fail('the file has no groups');
  const seen = new Set<string>();
  return groups.items(GROUPS_MAX).flatMap((group) => {
    const fields = group.fields(['name', 'rules']);
    const name = required(group, fields, 'name').text(63);
    return required(group, fields, 'rules')
      .items(RULES_MAX)
      .map((value) => {
        const rule = readRule(value, name, file, permissions);
        if (seen.has(rule.id)) value.fail(`alert ${rule.alert} is twice in group ${name}`);
        seen.add(rule.id);
        return rule;
      });
  });
}

function readRule(
  value: YamlValue,
  group: string,
  file: string,
  permissions: ActionPermissions,
): AlertRule {
  const fields = value.fields(RULE_FIELDS);
  const nameValue = required(value, fields, 'alert');
  const alert = nameValue.text();
  if (!ALERT_NAME.test(alert)) nameValue.fail('alert must be letters, digits and _, at most 63');
  const condition = readCondition(required(value, fields, 'expr'));
  const subject = subjectOf(condition.uses);
  const variables = variablesOf(subject);
  const labels = readTexts(fields.get('labels'), variables, OWN_LABELS);
  const annotations = readTexts(fields.get('annotations'), variables, []);
  const reads = inputsIn(condition.uses);
  const shown = [...labels.values(), ...annotations.values()].flatMap(({ uses }) => [...uses]);
  return {
    id: `${file}/${group}/${alert}`,
    alert,
    group,
    file,
    severity: readSeverity(fields.get('labels')),
    subject,
    reads,
    shows: inputsIn(new Set(shown)),
    condition,
    forMs: fields.get('for')?.durationMs() ?? 0,
    keepFiringForMs: fields.get('keepFiringFor')?.durationMs() ?? 0,
    labels,
    annotations,
    actions: readActions(fields.get('actions'), subject, permissions),
  };
}

function required(
  owner: YamlValue,
  fields: ReadonlyMap<string, YamlValue>,
  name: string,
): YamlValue {
  return fields.get(name) ?? owner.fail(`${name} is missing`);
}

function readCondition(value: YamlValue): Program {
  const text = value.text();
  const program = compiled(value, () => compileProgram(text, ruleVariables()));
  if (program.type.kind !== 'bool') value.fail('expr must evaluate to a bool');
  return program;
}

/**
 * The variables that the texts of a rule may read: those of a rule about the node cannot read a pod. Values
 * are passed in the order of all variables, so a variable that may not be read stays in the map, under a name
 * that no expression can have.
 */
function variablesOf(subject: AlertRule['subject']) {
  const ofNode: ReadonlySet<string> = new Set(['node', 'metrics', 'samples', 'now']);
  const isReadable = (name: string): boolean =>
    subject === 'container' || (subject === 'pod' ? name !== 'container' : ofNode.has(name));
  return new Map<string, CelType>(
    [...ruleVariables()].map(([name, type]) => [isReadable(name) ? name : `-${name}`, type]),
  );
}

function readTexts(
  value: YamlValue | undefined,
  variables: ReturnType<typeof variablesOf>,
  reserved: readonly string[],
): ReadonlyMap<string, Template> {
  const found = new Map<string, Template>();
  for (const [name, { value: text }] of value?.entries() ?? []) {
    if (!LABEL_NAME.test(name)) text.fail(`${JSON.stringify(name)} cannot be a name of a label`);
    if (reserved.includes(name)) text.fail(`label ${name} is set by podkeep`);
    found.set(
      name,
      compiled(text, () => compileTemplate(text.text(), variables)),
    );
  }
  return found;
}

/**
 * The severity is a plain text and not a template: it selects receivers, and metric labels must not depend on
 * pods.
 */
function readSeverity(labels: YamlValue | undefined): string {
  const value = labels?.entries().get('severity')?.value;
  if (!value) return DEFAULT_SEVERITY;
  const severity = value.text(63);
  return severity.includes('{{') ? value.fail('severity must be a plain text') : severity;
}

function compiled<Compiled>(value: YamlValue, compile: () => Compiled): Compiled {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof Error) || 'code' in error) throw error;
    const at = 'at' in error && typeof error.at === 'number' ? error.at : 0;
    const source =
      error instanceof TemplateFault && error.cause instanceof Error ? error.cause : error;
    return value.fail(problemOf(source), at, error);
  }
}

/**
 * The first line of the message, without the position in the expression: `fail` adds the position in the
 * file.
 */
function problemOf({ message }: Error): string {
  const [first = ''] = message.split('\n');
  return first.replace(/^ERROR: <input>:\d+:\d+: /, '');
}

function inputsIn(uses: ReadonlySet<string>): ReadonlySet<AlertInput> {
  return new Set([...ruleVariables().keys()].filter((name) => uses.has(name)));
}
