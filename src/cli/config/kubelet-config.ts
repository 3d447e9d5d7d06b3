/**
 * The configuration of a node: the kubelet's defaults, overridden by a file, overridden by the command
 * line.
 *
 * Reading a file takes a YAML parser; without a file none is loaded.
 */
import { section, type SectionOf } from './collections.ts';
import { KUBELET_FIELDS, type KubeletFields } from './kubelet-fields.ts';
import { PODKEEP_FIELDS } from './podkeep-fields.ts';

export type PodkeepConfig = SectionOf<typeof PODKEEP_FIELDS>;

/** KubeletConfiguration as podkeep honours it; durations are in milliseconds (`…Ms`). */
export interface KubeletConfig extends KubeletFields {
  /** The section that is only ours. */
  readonly podkeep: PodkeepConfig;
}

export const kubeletSection = section(KUBELET_FIELDS);
export const podkeepSection = section(PODKEEP_FIELDS);

/**
 * `path`: the file; null: there is none. `overrides` override the file; `defaults` apply to fields that
 * it does not set. Throws CONFIG_UNREADABLE or CONFIG_INVALID.
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
