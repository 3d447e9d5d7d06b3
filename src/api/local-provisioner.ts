/** The provisioner of podkeep's own volumes: folders on the node that runs beside the API server. */
export const LOCAL_PROVISIONER = 'podkeep.dev/local';

/** Volumes are named after the UID of their claim, which the API server draws: no client chooses the name. */
export function provisionedVolumeName(claimUid: string): string {
  return `pvc-${claimUid}`;
}

/** Only such names become names of folders. */
export function isProvisionedVolumeName(name: string): boolean {
  return /^pvc-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);
}
