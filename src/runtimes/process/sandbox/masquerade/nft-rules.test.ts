import { expect, test } from 'vitest';
import { removalText, ruleText } from './nft-rules.ts';

const RULES = {
  table: 'podkeep_ab',
  bridge: 'pk-ab',
  subnet: '10.224.1.0/24',
  opened: ['eth0'],
  resolvers: [],
  neighbours: [],
};

/** The rules of one chain, in order. */
function chainOf(text: string, name: string): readonly string[] {
  const [, body = ''] = new RegExp(`chain ${name} \\{\\n(.*?)\\n  \\}`, 's').exec(text) ?? [];
  return body.split('\n').map((line) => line.trim());
}

test('one transaction replaces the table of this podkeep and touches no other', () => {
  const text = ruleText(RULES);
  expect(text.startsWith(removalText('podkeep_ab'))).toBe(true);
  expect(text.match(/^(table|delete table) .*$/gm)).toEqual([
    'table inet podkeep_ab',
    'delete table inet podkeep_ab',
    'table inet podkeep_ab {',
  ]);
});

test('link-local addresses are refused before any traffic of pods is accepted', () => {
  const forward = chainOf(ruleText(RULES), 'forward');
  const refused = forward.findIndex((rule) => rule.includes('169.254.0.0/16 reject'));
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThan(forward.indexOf('iifname "pk-ab" accept'));
  expect(chainOf(ruleText(RULES), 'input').join()).toContain('fe80::/10 reject');
});

test('a resolver at a link-local address answers DNS and nothing else', () => {
  const forward = chainOf(ruleText({ ...RULES, resolvers: ['169.254.169.254'] }), 'forward');
  expect(forward.filter((rule) => rule.includes('169.254.169.254'))).toEqual([
    'iifname "pk-ab" ip daddr 169.254.169.254 udp dport 53 accept',
    'iifname "pk-ab" ip daddr 169.254.169.254 tcp dport 53 accept',
  ]);
});

test('an interface that forwards because of podkeep forwards for pods alone', () => {
  expect(chainOf(ruleText(RULES), 'forward').at(-1)).toBe(
    'iifname { "eth0" } oifname != "pk-*" drop',
  );
  expect(ruleText({ ...RULES, opened: [] })).not.toContain('oifname != "pk-*" drop');
});

test('pods of other nodes of this podkeep come in, and are reached without masquerading', () => {
  const text = ruleText({ ...RULES, neighbours: ['pk-cd', 'pk-ef'] });
  const forward = chainOf(text, 'forward');
  const accepted = forward.indexOf('iifname { "pk-cd", "pk-ef" } oifname "pk-ab" accept');
  expect(accepted).toBeGreaterThan(0);
  expect(accepted).toBeLessThan(forward.indexOf('oifname "pk-ab" drop'));
  expect(chainOf(text, 'postrouting').at(-1)).toBe(
    'ip saddr 10.224.1.0/24 oifname != { "pk-ab", "pk-cd", "pk-ef" } masquerade',
  );
});
