import { describe, expect, test } from 'vitest';
import type { Container, PodSpec, RestartPolicy } from '../../api/pod.ts';
import { container, podOf, restartRule, sidecar } from '../../../test/support/pod-parts.ts';
import {
  matchingRestartRule,
  mayRestartAllContainers,
  restartsAfterExit,
  restartsAllContainers,
  restartsOnFailure,
} from './restart-policy.ts';

function policy(restartPolicy?: RestartPolicy): Pick<PodSpec, 'restartPolicy'> {
  return restartPolicy ? { restartPolicy } : {};
}

function own(restartPolicy: RestartPolicy, ...rules: readonly Container['restartPolicyRules'][]) {
  return container('c', { restartPolicy, restartPolicyRules: rules.flatMap((rule) => rule ?? []) });
}

describe('SM-34: without a policy of its own a container follows its pod', () => {
  test.each([
    ['Always', true, true],
    ['OnFailure', false, true],
    ['Never', false, false],
    [undefined, true, true],
  ] as const)('%s: after exit 0 %s, after exit 1 %s', (restartPolicy, afterZero, afterOne) => {
    const spec = policy(restartPolicy);
    expect(restartsAfterExit(container('c'), spec, 0)).toBe(afterZero);
    expect(restartsAfterExit(container('c'), spec, 1)).toBe(afterOne);
  });

  test('a policy that this version does not know restarts', () => {
    const spec = { restartPolicy: 'Sometimes' as RestartPolicy };
    expect(restartsAfterExit(container('c'), spec, 0)).toBe(true);
  });

  test('A-10: a kill by signal is a failure, for OnFailure', () => {
    expect(restartsAfterExit(container('c'), policy('OnFailure'), 137)).toBe(true);
    expect(restartsAfterExit(container('c'), policy('OnFailure'), -1)).toBe(true);
  });
});

describe('SM-34: its own policy takes precedence over that of its pod', () => {
  test.each([
    ['Always', 'Never', true, true],
    ['OnFailure', 'Never', false, true],
    ['OnFailure', 'Always', false, true],
    ['Never', 'Always', false, false],
  ] as const)('%s in a pod that says %s', (restartPolicy, podPolicy, afterZero, afterOne) => {
    expect(restartsAfterExit(own(restartPolicy), policy(podPolicy), 0)).toBe(afterZero);
    expect(restartsAfterExit(own(restartPolicy), policy(podPolicy), 1)).toBe(afterOne);
  });

  test('one that this version does not know leaves it to the pod', () => {
    const odd = container('c', { restartPolicy: 'Sometimes' as RestartPolicy });
    expect(restartsAfterExit(odd, policy('Never'), 1)).toBe(false);
    expect(restartsAfterExit(odd, policy('Always'), 0)).toBe(true);
  });
});

describe('SM-34, E-6: its own rules take precedence over its own policy', () => {
  const restart42 = [restartRule('Restart', 'In', 42)];

  test('a rule that matches restarts, whatever the policies say', () => {
    expect(restartsAfterExit(own('Never', restart42), policy('Never'), 42)).toBe(true);
    expect(restartsAfterExit(own('Never', restart42), policy('Always'), 41)).toBe(false);
  });

  test('a rule can restart after a success', () => {
    const rules = [restartRule('Restart', 'In', 0)];
    expect(restartsAfterExit(own('OnFailure', rules), policy('Never'), 0)).toBe(true);
  });

  test('RestartAllContainers restarts the container with the rule, too', () => {
    const rules = [restartRule('RestartAllContainers', 'In', 42)];
    expect(restartsAfterExit(own('Never', rules), policy('Never'), 42)).toBe(true);
  });

  test('rules of a container without a policy of its own do not count', () => {
    const ruled = container('c', { restartPolicyRules: restart42 });
    expect(restartsAfterExit(ruled, policy('Never'), 42)).toBe(false);
  });

  test('an action that this version does not know leaves it to the policies', () => {
    const odd = [{ ...restartRule('Restart', 'In', 1), action: 'Explode' as 'Restart' }];
    expect(restartsAfterExit(own('Never', odd), policy('Always'), 1)).toBe(false);
    expect(restartsAfterExit(own('OnFailure', odd), policy('Never'), 1)).toBe(true);
  });
});

describe('SM-34: which rule matches', () => {
  const ruled = (...rules: NonNullable<Container['restartPolicyRules']>[number][]) =>
    container('c', { restartPolicyRules: rules });

  test('In matches the codes listed, NotIn all others', () => {
    const [inside, outside] = [
      restartRule('Restart', 'In', 1, 2),
      restartRule('Restart', 'NotIn', 1, 2),
    ];
    expect(matchingRestartRule(ruled(inside), 2)).toBe(inside);
    expect(matchingRestartRule(ruled(inside), 3)).toBeUndefined();
    expect(matchingRestartRule(ruled(outside), 3)).toBe(outside);
    expect(matchingRestartRule(ruled(outside), 1)).toBeUndefined();
  });

  test('the first match wins, even if it restarts less', () => {
    const [first, second] = [
      restartRule('Restart', 'In', 1),
      restartRule('RestartAllContainers', 'NotIn', 0),
    ];
    expect(matchingRestartRule(ruled(first, second), 1)).toBe(first);
    expect(restartsAllContainers(ruled(first, second), 1)).toBe(false);
    expect(restartsAllContainers(ruled(first, second), 2)).toBe(true);
  });

  test('no values: In matches nothing, NotIn everything', () => {
    expect(matchingRestartRule(ruled(restartRule('Restart', 'In')), 0)).toBeUndefined();
    const all = restartRule('Restart', 'NotIn');
    expect(matchingRestartRule(ruled(all), 0)).toBe(all);
    const absent = { action: 'Restart', exitCodes: { operator: 'NotIn' } } as const;
    expect(matchingRestartRule(ruled(absent), 0)).toBe(absent);
  });

  test('a rule without exit codes, or with an unknown operator, never matches', () => {
    expect(matchingRestartRule(ruled({ action: 'Restart' }), 1)).toBeUndefined();
    const odd = {
      action: 'Restart',
      exitCodes: { operator: 'Near' as 'In', values: [1] },
    } as const;
    expect(matchingRestartRule(ruled(odd), 1)).toBeUndefined();
  });

  test('a container without rules matches none', () => {
    expect(matchingRestartRule(container('c'), 1)).toBeUndefined();
  });
});

describe('E-7: pods that may restart in place', () => {
  const all = container('c', {
    restartPolicyRules: [restartRule('RestartAllContainers', 'In', 42)],
  });

  test('are those in which a regular or an init container has such a rule', () => {
    expect(mayRestartAllContainers(podOf({ containers: [all] }).spec)).toBe(true);
    expect(mayRestartAllContainers(podOf({ initContainers: [all] }).spec)).toBe(true);
  });

  test('are no others', () => {
    expect(mayRestartAllContainers(podOf().spec)).toBe(false);
    expect(mayRestartAllContainers(podOf({ ephemeralContainers: [all] }).spec)).toBe(false);
    const restart = container('c', { restartPolicyRules: [restartRule('Restart', 'In', 42)] });
    expect(mayRestartAllContainers(podOf({ containers: [restart] }).spec)).toBe(false);
  });
});

describe('a container that is stopped while it runs', () => {
  test('may start again unless its own policy, or else its pod’s, is Never', () => {
    expect(restartsOnFailure(container('c'), policy('Always'))).toBe(true);
    expect(restartsOnFailure(container('c'), policy('OnFailure'))).toBe(true);
    expect(restartsOnFailure(container('c'), policy('Never'))).toBe(false);
    expect(restartsOnFailure(container('c'), policy())).toBe(true);
    expect(restartsOnFailure(own('Never'), policy('Always'))).toBe(false);
    expect(restartsOnFailure(sidecar('s'), policy('Never'))).toBe(true);
  });

  test('has no exit code, so its rules do not count', () => {
    const ruled = own('Never', [restartRule('Restart', 'NotIn')]);
    expect(restartsOnFailure(ruled, policy('Always'))).toBe(false);
  });
});
