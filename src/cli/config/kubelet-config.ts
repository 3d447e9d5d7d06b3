/**
 * Reads the configuration of a node: defaults (kubelet-fields.ts), overridden by a file, overridden by the
 * command line.
 *
 * The YAML parser is loaded only if there is a file.
 */
import { section, type SectionOf } from './collections.ts';
import { KUBELET_FIELDS, type KubeletFields } from './kubelet-fields.ts';
import { PODKEEP_FIELDS } from './podkeep-fields.ts';

export type PodkeepConfig = SectionOf<typeof PODKEEP_FIELDS>;

/** KubeletConfiguration as podkeep honours it; durations are in milliseconds (`…Ms`). */
export interface KubeletConfig extends KubeletFields {
  /** The fields of PodkeepConfiguration. */
  readonly podkeep: PodkeepConfig;
}

export const kubeletSection = section(KUBELET_FIELDS);
export const podkeepSection = section(PODKEEP_FIELDS);

/**
 * `path`: the file. Null: there is none. `overrides` take precedence over the file; `defaults` apply to
 * fields that the file does not set. Throws CONFIG_UNREADABLE or CONFIG_INVALID.
 */
export async function readKubeletConfig(
  path: string | null,
  overrides: Partial<KubeletConfig> = {},
  defaults: Partial<KubeletConfig> = {},
): Promise<KubeletConfig> {
  if (path === null) {
    const { initial } = kubeletSection;
    return { ...initial, podkeep: podkeepSection.initial, ...defaults, ...overrides };
  }
  const { readConfigFile } = await import('./config-file.ts');
  return { ...(await readConfigFile(path, defaults)), ...overrides };
}
