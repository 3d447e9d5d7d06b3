/**
 * CEL's authorization library, for expressions that have a variable of type `Authorizer`.
 *
 *     authorizer.group('apps').resource('deployments').namespace('web').check('create').allowed()
 *
 * A check costs as many units as in Kubernetes, so a budget allows only a few checks.
 */
import { CelError, noSuchOverload } from '../fault.ts';
import { overload, type Overload } from '../overload.ts';
import { Opaque, type CelValue, type OpaqueValue, type ResourceCheckParts } from '../value.ts';
import { text } from './arguments.ts';

const CHECK_COST = 350_000;

type PartsOf<Kind extends OpaqueValue['kind']> = Extract<OpaqueValue, { kind: Kind }>['parts'];

export const authorization: readonly Overload[] = [
  overload('Authorizer.path(string): PathCheck', ([a, path]) => {
    if (text(path).trim() === '') throw new CelError('path must not be empty');
    return new Opaque('PathCheck', { authorizer: partsOf(a, 'Authorizer'), path: text(path) });
  }),
  overload('Authorizer.group(string): GroupCheck', ([a, group]) => {
    return new Opaque('GroupCheck', { authorizer: partsOf(a, 'Authorizer'), group: text(group) });
  }),
  overload('Authorizer.serviceAccount(string, string): Authorizer', ([a, namespace, name]) => {
    const account = partsOf(a, 'Authorizer').serviceAccount(text(namespace), text(name));
    return new Opaque('Authorizer', account);
  }),
  overload('GroupCheck.resource(string): ResourceCheck', ([a, resource]) => {
    if (text(resource).trim() === '') throw new CelError('resource must not be empty');
    const empty = { subresource: '', namespace: '', name: '' };
    return new Opaque('ResourceCheck', {
      ...partsOf(a, 'GroupCheck'),
      ...empty,
      resource: text(resource),
    });
  }),
  overload('ResourceCheck.subresource(string): ResourceCheck', ([a, subresource]) =>
    narrowed(a, { subresource: text(subresource) }),
  ),
  overload('ResourceCheck.namespace(string): ResourceCheck', ([a, namespace]) =>
    narrowed(a, { namespace: text(namespace) }),
  ),
  overload('ResourceCheck.name(string): ResourceCheck', ([a, name]) =>
    narrowed(a, { name: text(name) }),
  ),
  overload('PathCheck.check(string): Decision', ([a, verb], budget) => {
    budget.spend(CHECK_COST);
    const { authorizer, path } = partsOf(a, 'PathCheck');
    return new Opaque('Decision', authorizer.authorize({ verb: text(verb), path }));
  }),
  overload('ResourceCheck.check(string): Decision', ([a, verb], budget) => {
    budget.spend(CHECK_COST);
    const { authorizer, ...wanted } = partsOf(a, 'ResourceCheck');
    return new Opaque('Decision', authorizer.authorize({ ...wanted, verb: text(verb) }));
  }),
  // The authorizers of this server decide without I/O: they never fail.
  overload('Decision.errored(): bool', () => false),
  overload('Decision.error(): string', () => ''),
  overload('Decision.allowed(): bool', ([a]) => partsOf(a, 'Decision').isAllowed),
  overload('Decision.reason(): string', ([a]) => partsOf(a, 'Decision').reason),
];

function narrowed(value: CelValue | undefined, more: Partial<ResourceCheckParts>): CelValue {
  return new Opaque('ResourceCheck', { ...partsOf(value, 'ResourceCheck'), ...more });
}

function partsOf<Kind extends OpaqueValue['kind']>(
  value: CelValue | undefined,
  kind: Kind,
): PartsOf<Kind> {
  if (!(value instanceof Opaque) || value.kind !== kind) throw noSuchOverload();
  // oxlint-disable-next-line no-unsafe-type-assertion -- the kind determines the parts
  return value.parts as PartsOf<Kind>;
}
