/** The reasons why a claim has no volume yet, although its class has a provisioner. */
import { defineError } from '../../../../lib/errors.ts';

export const volumeNotProvisioned = defineError<{ claim: string; why: string }>({
  code: 'VOLUME_NOT_PROVISIONED',
  retry: 'backoff',
  message: ({ claim, why }) => `no volume was provisioned for claim ${claim}: ${why}`,
  hint: () => 'Check that the node of podkeep is registered and that its disk can be written to.',
});

/** In Kubernetes' words, which the Event of the pod repeats. */
export const ephemeralClaimTaken = defineError<{ namespace: string; claim: string; pod: string }>({
  code: 'EPHEMERAL_CLAIM_TAKEN',
  retry: 'backoff',
  message: ({ namespace, claim, pod }) =>
    `PVC ${namespace}/${claim} was not created for pod ${namespace}/${pod} (pod is not owner)`,
  hint: () => 'Delete the claim, or give the pod or its volume another name.',
});
