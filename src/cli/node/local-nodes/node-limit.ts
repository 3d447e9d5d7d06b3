/** The maximum number of nodes of one podkeep: each has its own informers, loops and listeners. */
export const NODES_MAX = 100;
