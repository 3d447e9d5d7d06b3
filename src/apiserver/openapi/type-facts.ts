/**
 * Adds facts about a few types that the schema table lacks: which fields exclude each other
 * (`x-kubernetes-unions`), and which maps are explicitly marked as granular (all maps are granular by
 * default).
 */
import type { TypeName } from '../../api/schema/shape.ts';
import type { JsonObject } from '../../lib/json.ts';

const LOCALHOST_PROFILE = unionOf(['localhostProfile'], 'type');

const UNIONS: ReadonlyMap<TypeName, JsonObject> = new Map([
  ['core/v1.AppArmorProfile', LOCALHOST_PROFILE],
  ['core/v1.SeccompProfile', LOCALHOST_PROFILE],
  ['core/v1.PodSchedulingGroup', unionOf(['podGroupName'])],
  ['flowcontrol/v1.LimitResponse', unionOf(['queuing'], 'type')],
  ['flowcontrol/v1.PriorityLevelConfigurationSpec', unionOf(['exempt', 'limited'], 'type')],
  ['flowcontrol/v1.Subject', unionOf(['group', 'serviceAccount', 'user'], 'kind')],
  ['scheduling/v1alpha2.PodGroupSchedulingPolicy', unionOf(['basic', 'gang'])],
  ['scheduling/v1alpha2.PodGroupTemplateReference', unionOf(['workload'])],
]);

const GRANULAR: ReadonlySet<string> = new Set([
  'core/v1.PersistentVolumeClaimStatus.allocatedResourceStatuses',
  'core/v1.PersistentVolumeSpec.claimRef',
]);

/** The names of types that are not in the schema table. */
export const PATCH = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch';
export const VERSION_INFO = 'io.k8s.apimachinery.pkg.version.Info';

export function unionsOf(type: TypeName): JsonObject | undefined {
  return UNIONS.get(type);
}

export function isGranular(type: TypeName, field: string): boolean {
  return GRANULAR.has(`${type}.${field}`);
}

const VERSION_FIELDS = [
  'major',
  'minor',
  'gitVersion',
  'gitCommit',
  'gitTreeState',
  'buildDate',
  'goVersion',
  'compiler',
  'platform',
] as const;

const EMULATION_FIELDS = [
  'emulationMajor',
  'emulationMinor',
  'minCompatibilityMajor',
  'minCompatibilityMinor',
] as const;

/** The response of `/version`. Only the emulation fields are optional. */
export function versionInfoSchema(hasDefaults: boolean): JsonObject {
  const required = { type: 'string', ...(hasDefaults && { default: '' }) };
  const properties = [
    ...VERSION_FIELDS.map((name) => [name, required] as const),
    ...EMULATION_FIELDS.map((name) => [name, { type: 'string' }] as const),
  ].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    description: 'Which version of the API this server speaks, and what it was built from.',
    type: 'object',
    required: VERSION_FIELDS,
    properties: Object.fromEntries(properties),
  };
}

export const PATCH_SCHEMA: JsonObject = {
  description: 'The body of a PATCH: what it holds is up to its content type.',
  type: 'object',
};

function unionOf(fields: readonly string[], discriminator?: string): JsonObject {
  const named = Object.fromEntries(
    fields.map((field) => [field, `${field.slice(0, 1).toUpperCase()}${field.slice(1)}`] as const),
  );
  return { ...(discriminator && { discriminator }), 'fields-to-discriminateBy': named };
}
