/**
 * Converts a CustomResourceDefinition to kind definitions: one for each served version.
 *
 * All versions serve the same objects. These are stored once, in the storage version, and converted when they are
 * read or written through another one (conversion/).
 */
import type { StoredForm, Subresource } from '../objects/kind.ts';
import { statusSubresource } from '../objects/plain-kind.ts';
import { scaleSubresource } from '../registry/scale.ts';
import type { Crd, CrdVersion } from './crd.ts';
import { customRules } from './custom-rules.ts';
import type { CustomKind } from '../schema/custom-object.ts';
import { customScaling, readScalePaths } from './custom-scaling.ts';
import { printerColumns } from './printer-columns.ts';
import { compareVersions } from '../objects/version-order.ts';
import { versionForm } from './conversion/version-form.ts';
import type { WebhookConversion } from './conversion/webhook-conversion.ts';

/** As kube-apiserver lists them for custom kinds. */
const VERBS = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
] as const;

/** What the versions of one definition share. */
export interface SharedVersions {
  /** Absent: no webhook converts them. */
  readonly conversion?: WebhookConversion | undefined;
  readonly whenReplaced: NonNullable<StoredForm['whenReplaced']>;
}

/** The served versions, the preferred one first; none before it is established. */
export function definitionsOf(
  crd: Crd,
  { conversion, whenReplaced }: SharedVersions,
): readonly CustomKind[] {
  const storage = storageOf(crd);
  if (!storage || !crd.isEstablished) return [];
  const isAlone = crd.versions.length === 1;
  return crd.versions
    .filter(({ isServed }) => isServed)
    .toSorted((a, b) => compareVersions(a.name, b.name))
    .map((version) => {
      const form = versionForm(crd, version, storage, conversion);
      const storedAs = isAlone ? form : { ...form, whenReplaced };
      return { ...defineVersion(crd, version), storedAs };
    });
}

/** The kind under which the objects are stored, served or not. */
export function storageOf(crd: Crd): CustomKind | undefined {
  const version = crd.versions.find(({ isStorage }) => isStorage);
  return version && defineVersion(crd, version);
}

function defineVersion(crd: Crd, version: CrdVersion): CustomKind {
  const { group, isNamespaced, acceptedNames } = crd;
  const { plural, singular, shortNames, kind, listKind, categories } = acceptedNames;
  const subresources = subresourcesOf(version, kind);
  const warning = warningOf(crd, version);
  return {
    group,
    version: version.name,
    kind,
    listKind,
    resource: plural,
    singular,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    namespaced: isNamespaced,
    schema: version.schema,
    openApiSchema: version.schema.source,
    verbs: VERBS,
    ...(subresources.length > 0 && { subresources }),
    rules: customRules(crd, version),
    columns: printerColumns(version.columns),
    ...(warning !== undefined && { warning }),
  };
}

function subresourcesOf({ hasStatus, scale }: CrdVersion, kind: string): readonly Subresource[] {
  return [
    ...(hasStatus ? [statusSubresource(kind)] : []),
    ...(scale ? [scaleSubresource(customScaling(readScalePaths(scale)))] : []),
  ];
}

function warningOf(crd: Crd, version: CrdVersion): string | undefined {
  if (!version.isDeprecated) return undefined;
  if (version.deprecationWarning !== '') return version.deprecationWarning;
  const { group, names } = crd;
  const [replacement] = crd.versions
    .filter(({ isServed, isDeprecated }) => isServed && !isDeprecated)
    .map(({ name }) => name)
    .filter((name) => compareVersions(name, version.name) < 0)
    .toSorted(compareVersions);
  const given = `${group}/${version.name} ${names.kind} is deprecated`;
  return replacement === undefined ? given : `${given}; use ${group}/${replacement} ${names.kind}`;
}
