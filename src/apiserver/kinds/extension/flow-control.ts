/**
 * Defines the kinds FlowSchema and PriorityLevelConfiguration: their defaults, validation and columns.
 *
 * They are stored for tools that write them, but have no effect: the server's own priority levels are fixed
 * (flow/priority.ts).
 */
import type { JsonObject } from '../../../lib/json.ts';
import { nameOf } from '../../objects/metadata.ts';
import { textColumn } from '../../objects/columns.ts';
import {
  changeGivenAt,
  changeStructAt,
  numberAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../objects/field-path.ts';
import { validateFlowRule } from './flow-rules.ts';
import { startWithoutStatus } from '../lifecycle.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { validateQueuing } from './priority-level-queues.ts';
import {
  forbiddenField,
  invalidField,
  required,
  requireOneOf,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { fillAbsent, fillEmpty } from '../../../api/validation/json-changes.ts';
import { isGiven, readNumber } from '../../../api/validation/json-reading.ts';
import { validateDnsSubdomain } from '../../../api/validation/names.ts';

const FLOW_CONTROL = 'flowcontrol.apiserver.k8s.io/v1';
const PRECEDENCE = 'spec.matchingPrecedence';
const PRECEDENCE_MAX = 10_000;
const EXEMPT = 'exempt';
const METHODS = ['ByNamespace', 'ByUser'];
const TYPES = ['Exempt', 'Limited'];
const RESPONSES = ['Queue', 'Reject'];
const NOT_NEGATIVE = 'must be a non-negative integer';

export const flowSchemas = plainKind(FLOW_CONTROL, {
  kind: 'FlowSchema',
  resource: 'flowschemas',
  subresources: [statusSubresource('FlowSchema')],
  rules: {
    applyDefaults: (object) =>
      changeStructAt(object, 'spec', (spec) => fillEmpty(spec, { matchingPrecedence: 1000 })),
    prepareForCreate: startWithoutStatus,
    validate: (object) => [...checkSchema(object)],
    validateUpdate: (object) => [...checkSchema(object)],
  },
  columns: [
    NAME,
    textColumn('PriorityLevel', 'The level of its requests.', (object) =>
      textAt(object, 'spec.priorityLevelConfiguration.name'),
    ),
    textColumn('MatchingPrecedence', 'The lower, the sooner it is asked.', (object) =>
      numberAt(object, PRECEDENCE),
    ),
    textColumn('DistinguisherMethod', 'What makes two flows different.', (object) =>
      isGiven(valueAt(object, 'spec.distinguisherMethod'))
        ? textAt(object, 'spec.distinguisherMethod.type')
        : '<none>',
    ),
    AGE,
    textColumn('MissingPL', 'Whether its level is not there.', (object) => {
      const dangling = objectsAt(object, 'status.conditions').find(
        ({ type }) => type === 'Dangling',
      );
      return dangling ? textAt(dangling, 'status') : '?';
    }),
  ],
});

export const priorityLevelConfigurations = plainKind(FLOW_CONTROL, {
  kind: 'PriorityLevelConfiguration',
  resource: 'prioritylevelconfigurations',
  subresources: [statusSubresource('PriorityLevelConfiguration')],
  rules: {
    applyDefaults: defaultLevel,
    prepareForCreate: startWithoutStatus,
    validate: (object) => [...checkLevel(object)],
    validateUpdate: (object) => [...checkLevel(object)],
  },
  columns: [
    NAME,
    textColumn('Type', 'Whether it is limited.', (object) => textAt(object, 'spec.type')),
    numberColumn(
      'NominalConcurrencyShares',
      'Its share of the server.',
      'nominalConcurrencyShares',
    ),
    numberColumn('Queues', 'How many queues there are.', 'limitResponse.queuing.queues'),
    numberColumn('HandSize', 'How many queues a flow may use.', 'limitResponse.queuing.handSize'),
    numberColumn(
      'QueueLengthLimit',
      'How long a line may be.',
      'limitResponse.queuing.queueLengthLimit',
    ),
    AGE,
  ],
});

function numberColumn(name: string, description: string, path: string) {
  return textColumn(name, description, (object) => {
    const value = valueAt(object, `spec.limited.${path}`);
    return isGiven(value) ? readNumber(value) : '<none>';
  });
}

function defaultLevel(object: JsonObject): JsonObject {
  const exempted = changeGivenAt(object, 'spec.exempt', (exempt) =>
    fillAbsent(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 }),
  );
  const limited = changeGivenAt(exempted, 'spec.limited', (level) =>
    fillAbsent(level, { nominalConcurrencyShares: 30, lendablePercent: 0 }),
  );
  return changeGivenAt(limited, 'spec.limited.limitResponse.queuing', (queuing) =>
    fillEmpty(queuing, { handSize: 8, queues: 64, queueLengthLimit: 50 }),
  );
}

function* checkSchema(object: JsonObject): FieldErrors {
  const precedence = numberAt(object, PRECEDENCE);
  if (precedence <= 0) yield invalidField(PRECEDENCE, precedence, 'must be a positive value');
  if (precedence > PRECEDENCE_MAX) {
    yield invalidField(PRECEDENCE, precedence, `must not be greater than ${PRECEDENCE_MAX}`);
  }
  if (precedence === 1 && nameOf(object) !== EXEMPT) {
    const detail = "only the schema named 'exempt' may have matchingPrecedence 1";
    yield invalidField(PRECEDENCE, precedence, detail);
  }
  const method = valueAt(object, 'spec.distinguisherMethod');
  if (isGiven(method) && !METHODS.includes(textAt(object, 'spec.distinguisherMethod.type'))) {
    yield unsupported('spec.distinguisherMethod.type', method, METHODS);
  }
  const level = textAt(object, 'spec.priorityLevelConfiguration.name');
  const field = 'spec.priorityLevelConfiguration.name';
  if (level === '') yield required(field, 'must reference a priority level');
  else yield* validateDnsSubdomain(level, field);
  for (const [index, rule] of objectsAt(object, 'spec.rules').entries()) {
    yield* validateFlowRule(rule, `spec.rules[${index}]`);
  }
}

function* checkLevel(object: JsonObject): FieldErrors {
  const type = textAt(object, 'spec.type');
  if ((nameOf(object) === EXEMPT) !== (type === 'Exempt')) {
    yield invalidField('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'");
  }
  yield* requireOneOf('spec.type', type, TYPES);
  const isLimited = isGiven(valueAt(object, 'spec.limited'));
  if (type === 'Exempt' && isLimited) {
    yield forbiddenField('spec.limited', 'must be nil if the type is not Limited');
  }
  if (type === 'Exempt') yield* checkShares(object, 'spec.exempt');
  if (type !== 'Limited') return;
  if (isGiven(valueAt(object, 'spec.exempt'))) {
    yield forbiddenField('spec.exempt', 'must be nil if the type is Limited');
  }
  if (isLimited) yield* checkLimits(object);
  else yield required('spec.limited', 'must not be empty when type is Limited');
}

function* checkLimits(object: JsonObject): FieldErrors {
  yield* checkShares(object, 'spec.limited');
  const path = 'spec.limited.limitResponse';
  const type = textAt(object, `${path}.type`);
  const queuing = valueAt(object, `${path}.queuing`);
  yield* requireOneOf(`${path}.type`, type, RESPONSES);
  if (type === 'Reject' && isGiven(queuing)) {
    const detail = 'must be nil if limited.limitResponse.type is not Limited';
    yield forbiddenField(`${path}.queuing`, detail);
  }
  if (type === 'Queue') yield* validateQueuing(queuing, `${path}.queuing`);
  const borrowed = numberAt(object, 'spec.limited.borrowingLimitPercent');
  if (borrowed < 0) {
    const detail = 'if specified, must be a non-negative integer';
    yield invalidField('spec.limited.borrowingLimitPercent', borrowed, detail);
  }
}

function* checkShares(object: JsonObject, path: string): FieldErrors {
  const shares = numberAt(object, `${path}.nominalConcurrencyShares`);
  const percent = numberAt(object, `${path}.lendablePercent`);
  if (shares < 0) yield invalidField(`${path}.nominalConcurrencyShares`, shares, NOT_NEGATIVE);
  if (percent >= 0 && percent <= 100) return;
  yield invalidField(`${path}.lendablePercent`, percent, 'must be between 0 and 100, inclusive');
}
