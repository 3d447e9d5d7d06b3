/**
 * Explain rule: a readiness gate is not fulfilled, because its controller has not set the condition to True.
 */
import { because, quoted, sentence, type Rule } from '../finding.ts';
import { objectsAt, wordAt } from '../loose-json.ts';

export const readinessGate: Rule = {
  situation: 'readiness-gate-open',
  find: ({ spec, conditions, phase, deletedMs }) => {
    if (phase !== 'Running' || deletedMs !== null) return [];
    const gates = objectsAt(spec, 'readinessGates').map((gate) => wordAt(gate, 'conditionType'));
    return gates
      .filter((type) => conditions.get(type)?.status !== 'True')
      .map((type) => {
        const condition = conditions.get(type);
        const state = condition
          ? `the condition is ${condition.status}${because(condition.message || condition.reason)}`
          : 'no controller has set the condition';
        return {
          what: sentence(`Readiness gate ${quoted(type)} is open: ${state}`),
          sinceMs:
            condition?.sinceMs ??
            conditions.get('ContainersReady')?.sinceMs ??
            conditions.get('Ready')?.sinceMs,
          next: `the pod is Ready when the condition ${quoted(type)} is True`,
          advice: [
            'The kubelet never sets this condition: check the controller that owns the gate and its logs.',
          ],
        };
      });
  },
};
