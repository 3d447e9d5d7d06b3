import { expect, test } from 'vitest';
import { readKubeletConfig } from './kubelet-config.ts';
import { withPodkeepFlags } from './podkeep-flags.ts';

test('a flag overrides the file, and one that is not given leaves the file alone', async () => {
  const config = await readKubeletConfig(null);
  expect(config.podkeep.process.masquerade).toBeUndefined();
  const masqueraded = withPodkeepFlags(config, { podMasquerade: true });
  expect(masqueraded.podkeep.process).toMatchObject({ masquerade: true });
  expect(withPodkeepFlags(masqueraded, {})).toBe(masqueraded);
});
