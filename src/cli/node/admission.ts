import type { AdmissionRoom, KubeletAdmission } from '../../kubelet/kubelet-options.ts';
export function createAdmission(
  _: { room: AdmissionRoom } & Record<string, unknown>,
): KubeletAdmission {
  return {
    admit: () => true,
    kept: () => Promise.resolve(),
    changed() {},
    removed() {},
    allocated: (p) => p,
    keepOnly: () => Promise.resolve(),
    stop() {},
  };
}
