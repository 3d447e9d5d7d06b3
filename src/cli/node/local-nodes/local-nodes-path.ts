/** The path at which the API server of `podkeep up` serves the nodes of its process (nodes-handler.ts). */
export const LOCAL_NODES_PATH = '/podkeep/v1/nodes';
