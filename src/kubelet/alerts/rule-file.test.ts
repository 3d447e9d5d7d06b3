import { describe, expect, test } from 'vitest';
import { readRules } from './rule-file.ts';

function ruleWith(lines: string): string {
  return `groups:\n  - name: apps\n    rules:\n      - alert: Some\n${lines}`;
}

function mistakeIn(text: string): string {
  try {
    readRules('/etc/rules/apps.yaml', text);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'no mistake';
}

describe('a rule file', () => {
  test('is read with what each rule is evaluated for and reads', () => {
    const text = ruleWith(
      `        expr: container.recentRestarts > 5\n        for: 1h30m\n        keepFiringFor: 90s\n` +
        `        labels: { severity: critical, team: '{{ pod.metadata.labels["team"] }}' }\n`,
    );
    const [rule] = readRules('a.yaml', text);
    expect(rule).toMatchObject({ subject: 'container', forMs: 5_400_000, keepFiringForMs: 90_000 });
    expect(rule?.severity).toBe('critical');
    expect([...(rule?.reads ?? [])]).toEqual(['container']);
    expect([...(rule?.shows ?? [])]).toEqual(['pod']);
  });

  test.each([
    ['no YAML', 'groups: [', '/etc/rules/apps.yaml:1:10: '],
    [
      'an unknown field',
      ruleWith('        expr: now > now\n        fro: 5m\n'),
      'apps.yaml:6:9: an item of rules has no field "fro"',
    ],
    [
      'a name that does not exist',
      ruleWith('        expr: pod.status.fase == "x"\n'),
      'apps.yaml:5:25: undefined field',
    ],
    [
      'wrong types',
      ruleWith('        expr: container.restartCount > "5"\n'),
      'apps.yaml:5:38: found no matching overload',
    ],
    [
      'a result that is no bool',
      ruleWith('        expr: 1 + 1\n'),
      'apps.yaml:5:15: expr must evaluate to a bool',
    ],
    [
      'an expression over several lines',
      ruleWith('        expr: |\n          true &&\n            nothing\n'),
      'apps.yaml:7:13: undeclared reference',
    ],
    [
      'a template',
      ruleWith(
        "        expr: now > now\n        annotations:\n          summary: 'on {{ nod.name }}'\n",
      ),
      'apps.yaml:7:27: undeclared reference',
    ],
    [
      'a template that reads a pod in a rule for the node',
      ruleWith("        expr: now > now\n        annotations: { a: '{{ pod.kind }}' }\n"),
      'apps.yaml:6:31: undeclared reference',
    ],
    [
      'a duration',
      ruleWith('        expr: now > now\n        for: 5 minutes\n'),
      'apps.yaml:6:14: for is no duration',
    ],
    [
      'a label of podkeep',
      ruleWith('        expr: now > now\n        labels: { pod: x }\n'),
      'apps.yaml:6:24: label pod is set by podkeep',
    ],
    [
      'a rule twice',
      `${ruleWith('        expr: now > now\n')}      - alert: Some\n        expr: now > now\n`,
      'apps.yaml:6:9: alert Some is twice',
    ],
  ])('with a mistake is refused with line and column: %s', (_what, text, expected) => {
    expect(mistakeIn(text)).toContain(expected);
  });
});
