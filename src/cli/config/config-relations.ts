/** What fields mean for each other: defaults that follow from other fields, and pairs that clash. */
import type { JsonObject } from '../../lib/json.ts';
import type { KubeletConfig } from './kubelet-config.ts';
import type { Place } from './place.ts';

/** `said` is the document: it tells what was written from what is a default. */
export function checkTogether(
  config: KubeletConfig,
  said: JsonObject,
  place: Place,
): KubeletConfig {
  const complete = { ...config, ...derivedFrom(config, said) };
  complainOfClashes(complete, place);
  return complete;
}

function derivedFrom(config: KubeletConfig, said: JsonObject): Partial<KubeletConfig> {
  const { maxParallelImagePulls, nodeStatusUpdateFrequencyMs } = config;
  const isSaid = (name: string): boolean => {
    const value = Object.hasOwn(said, name) ? said[name] : null;
    return value !== null && value !== 0 && value !== '0' && value !== '0s';
  };
  return {
    // Who reports at another pace than usual also writes at that pace, unless they say more.
    ...(isSaid('nodeStatusUpdateFrequency') &&
      !isSaid('nodeStatusReportFrequency') && {
        nodeStatusReportFrequencyMs: nodeStatusUpdateFrequencyMs,
      }),
    // Who wants several pulls at once need not say that they are not one by one.
    ...(!isSaid('serializeImagePulls') && {
      serializeImagePulls: maxParallelImagePulls === null || maxParallelImagePulls < 2,
    }),
  };
}

function complainOfClashes(config: KubeletConfig, place: Place): void {
  const { maxParallelImagePulls, serializeImagePulls } = config;
  if (serializeImagePulls && (maxParallelImagePulls ?? 1) > 1) {
    place
      .field('maxParallelImagePulls')
      .complain('must be 1 while serializeImagePulls is true; set that to false');
  }
  const enforces = config.enforceNodeAllocatable.some((what) => what !== 'none');
  if (!config.cgroupsPerQOS && enforces) {
    place
      .field('enforceNodeAllocatable')
      .complain('needs the groups that cgroupsPerQOS makes; set it to [] or to [none]');
  }
  if (config.imageGCLowThresholdPercent >= config.imageGCHighThresholdPercent) {
    place.field('imageGCLowThresholdPercent').complain('must be below imageGCHighThresholdPercent');
  }
  const { imageMaximumGCAgeMs: ageMaxMs, imageMinimumGCAgeMs: ageMinMs } = config;
  if (ageMaxMs !== 0 && ageMaxMs <= ageMinMs) {
    place.field('imageMaximumGCAge').complain('must be above imageMinimumGCAge, or 0');
  }
  if (config.kubeAPIQPS === 0) {
    place.field('kubeAPIQPS').complain('must be -1 for no limit, or at least 1');
  }
  if ((config.tlsCertFile === '') !== (config.tlsPrivateKeyFile === '')) {
    const missing = config.tlsCertFile === '' ? 'tlsCertFile' : 'tlsPrivateKeyFile';
    place.field(missing).complain('is missing: a certificate and its key go together');
  }
}
