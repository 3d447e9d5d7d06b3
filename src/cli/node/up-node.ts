/** Everything that `podkeep up` needs for its node, loaded in one go. */
export { startLocalNode } from './local-node.ts';
export { runtimeChoice } from './runtime-choice.ts';
export { readUpConfig } from './up-config.ts';
